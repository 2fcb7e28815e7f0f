#include "ui/views/lab/lab/moments.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/empty_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kMomentsPerSecond = 4;

double largest(const TrainingSnapshot& run)
{
    const auto most = largest_over<std::int64_t>(
        run.timeline, [](const MemoryMoment& moment) { return moment.use.total(); }, run.peak.total());
    return std::max(1.0, static_cast<double>(most));
}

struct Steps
{
    Rect area;
    double most;
    std::size_t count;

    float x(double moment) const
    {
        return area.x +
               area.w * static_cast<float>(moment / static_cast<double>(std::max<std::size_t>(1, count)));
    }
    float height(std::int64_t bytes) const
    {
        return area.h * static_cast<float>(static_cast<double>(bytes) / most);
    }
};

// One column of stacked components a moment; many micro-batches make narrow ones.
void draw_columns(const Painter& p, const Steps& s, const TrainingSnapshot& run)
{
    for (std::size_t i = 0; i < run.timeline.size(); ++i)
    {
        const float x = std::round(s.x(static_cast<double>(i)));
        const float w = std::max(1.0F, std::round(s.x(static_cast<double>(i + 1))) - x);
        std::array<BarPart, kComponents> parts;
        for (std::size_t c = 0; c < kComponents; ++c)
        {
            parts.at(c) = {static_cast<double>(run.timeline[i].use.parts[c]), {p.theme.component[c]}};
        }
        draw_stacked_bar(p, {x, s.area.y, w > 4 ? w - 1 : w, s.area.h}, parts, {s.most});
        p.mark({x, s.area.y, w, s.area.h});
    }
}

void draw_peak_line(const Painter& p, const Steps& s, const TrainingSnapshot& run)
{
    const float y = s.area.bottom() - s.height(run.peak.total());
    p.dashed(s.area.x, y, s.area.right(), y, p.theme.text);
    p.text(s.area.right(), y - p.px(10), Type::small, p.theme.muted,
           fmt::format("peak {}", format_bytes(Bytes(run.peak.total()), p.look.unit)), Align::right);
}

// What is there at the moment that is looked at, largest share first in words beside the picture.
void draw_moment(const Painter& p, Rect area, const MemoryMoment& moment)
{
    const Theme& t = p.theme;
    Rect row = area.cut_top(p.px(26));
    p.text_within(row.x, row.middle(), row.w, Type::small_strong, t.text, name_of(moment));
    row = area.cut_top(p.px(26));
    p.text_within(row.x, row.middle(), row.w, Type::mono, t.text,
                  format_bytes(Bytes(moment.use.total()), p.look.unit));
    for (std::size_t i = kComponents; i > 0; --i)
    {
        if (moment.use.parts[i - 1] == 0 || area.h < p.px(22))
        {
            continue;
        }
        row = area.cut_top(p.px(22));
        const std::string amount = format_bytes(Bytes(moment.use.parts[i - 1]), p.look.unit);
        p.fill({row.x, row.middle() - p.px(5), p.px(10), p.px(10)}, t.component[i - 1].fill);
        const float w = p.width(Type::mono_small, amount);
        p.text_within(row.x + p.px(18), row.middle(), row.w - w - p.px(26), Type::small, t.muted,
                      name_of(static_cast<Component>(i - 1)));
        p.text(row.right(), row.middle(), Type::mono_small, t.text, amount, Align::right);
    }
}

// Where forward, head, backward and update lie below the columns.
void draw_phases(const Painter& p, Rect row, const Steps& s, const TrainingSnapshot& run)
{
    using Where = MemoryMoment::Where;
    const auto phase = [](Where where)
    {
        return where == Where::backward ? "backward"
               : where == Where::head   ? "loss"
               : where == Where::update ? "update"
                                        : "forward";
    };
    std::size_t first = 0;
    for (std::size_t i = 1; i <= run.timeline.size(); ++i)
    {
        const std::string_view words = phase(run.timeline[first].where);
        if (i < run.timeline.size() && phase(run.timeline[i].where) == words)
        {
            continue;
        }
        const float from = s.x(static_cast<double>(first));
        const float to = s.x(static_cast<double>(i));
        if (to - from > p.width(Type::small, words) + p.px(4))
        {
            p.text((from + to) / 2, row.middle(), Type::small, p.theme.muted, words, Align::centre);
        }
        first = i;
    }
}

} // namespace

std::string name_of(const MemoryMoment& moment)
{
    switch (moment.where)
    {
    case MemoryMoment::Where::start:
        return "before the forward";
    case MemoryMoment::Where::embedding:
        return "embedding";
    case MemoryMoment::Where::forward:
        return fmt::format("forward of layer {}", moment.layer + 1);
    case MemoryMoment::Where::head:
        return "logits and loss";
    case MemoryMoment::Where::backward:
        return fmt::format("backward of layer {}", moment.layer + 1);
    case MemoryMoment::Where::update:
        return "after the update";
    }
    return {};
}

void StepMemory::play(double clock)
{
    begun_at_ = begun_ < 0 ? at_ : 0;
    begun_ = begun_ < 0 ? clock : -1;
}

void StepMemory::step(const TrainingSnapshot& run, int by)
{
    begun_ = -1;
    at_ = std::clamp(at_ + by, 0.0, std::max(0.0, static_cast<double>(run.timeline.size()) - 1));
}

std::size_t StepMemory::at(const TrainingSnapshot& run, double clock, bool& playing) const
{
    const auto last = static_cast<double>(run.timeline.size()) - 1;
    playing = begun_ >= 0;
    const double moment =
        playing ? std::fmod(begun_at_ + (clock - begun_) * kMomentsPerSecond, last + 1) : at_;
    return static_cast<std::size_t>(std::clamp(moment, 0.0, last));
}

void StepMemory::draw(const Painter& p, Rect head, Rect area, const Frame& frame, Out& out)
{
    const TrainingSnapshot& run = *frame.lab->a.snapshot;
    draw_head(p, head, "Memory over the step", "point at it, drag through it, or play it");
    if (run.timeline.empty())
    {
        empty_state(p, area, "", "Shown after the first step.");
        return;
    }
    bool playing = false;
    std::size_t shown = at(run, frame.clock, playing);
    out.animating = out.animating || playing;
    Rect side = area.cut_right(std::min(p.px(216), area.w * 0.32F));
    area.cut_right(p.px(16));
    if (side.h > p.px(80))
    {
        if (button(p, side.cut_bottom(p.px(32)), playing ? "Stop###play the step" : "Play###play the step",
                   "P"))
        {
            play(frame.clock);
        }
        side.cut_bottom(p.px(4));
    }
    const Rect phases = area.cut_bottom(p.px(24));
    area.cut_top(p.px(12));
    const Steps steps{area, largest(run) * 1.04, run.timeline.size()};
    const Press pressed = press(p, area, "###step memory", 0);
    const float share =
        std::clamp((ImGui::GetIO().MousePos.x - area.x) / std::max(1.0F, area.w), 0.0F, 0.999F);
    if (pressed.hovered || pressed.held)
    {
        shown = static_cast<std::size_t>(share * static_cast<float>(run.timeline.size()));
    }
    if (pressed.held)
    {
        begun_ = -1;
        at_ = static_cast<double>(shown);
    }
    draw_columns(p, steps, run);
    draw_peak_line(p, steps, run);
    draw_phases(p, phases, steps, run);
    const float x = steps.x(static_cast<double>(shown));
    p.outline({x, area.y, steps.x(static_cast<double>(shown + 1)) - x, area.h}, p.theme.text, p.px(2));
    draw_moment(p, side, run.timeline[shown]);
}

} // namespace ringside
