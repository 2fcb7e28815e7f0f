#include "ui/views/ranks/saves.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/lab/plot.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

std::string seconds_words(double value)
{
    return format_seconds(Seconds(value));
}

constexpr std::array kModes{std::pair{SaveMode::synchronous, "Synchronous"},
                            std::pair{SaveMode::asynchronous, "Asynchronous"}};

// The middle one: a few steps are slow for reasons of their own.
double usual_step(const std::vector<TeamPace>& pace)
{
    std::vector<double> seconds(pace.size());
    std::ranges::transform(pace, seconds.begin(), &TeamPace::seconds);
    if (seconds.empty())
    {
        return 0;
    }
    const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
}

// The mean of all saves of one mode that are over.
struct Cost
{
    std::int64_t count = 0;
    double bytes = 0;
    double stalled = 0;   // [s]
    double written = 0;   // [s]
    double predicted = 0; // [s] of `stalled`
};

Cost cost_of(const TeamFrame& team, SaveMode mode)
{
    const TeamSnapshot& snapshot = *team.snapshot;
    Cost cost;
    for (const TeamSave& s : snapshot.saves)
    {
        if (s.mode == mode && s.written_s >= 0 && s.fault.empty())
        {
            ++cost.count;
            cost.bytes += static_cast<double>(s.bytes);
            cost.stalled += s.stalled_s;
            cost.written += s.written_s;
        }
    }
    const auto n = static_cast<double>(std::max<std::int64_t>(1, cost.count));
    cost.bytes /= n;
    cost.stalled /= n;
    cost.written /= n;
    SavePlan plan = team.wish.saving;
    plan.mode = mode;
    cost.predicted = predicted_stall(plan, std::llround(cost.bytes), usual_step(snapshot.pace));
    return cost;
}

void draw_pace(const Painter& p, Rect area, const std::vector<TeamPace>& pace)
{
    const Theme& t = p.theme;
    double most = 1e-9;
    for (const TeamPace& step : pace)
    {
        most = std::max(most, step.seconds + step.stalled_s);
    }
    const double first = static_cast<double>(pace.front().step) - 1;
    const double last = std::max(first + 40, static_cast<double>(pace.back().step));
    const ChartAxis times{0, most * 1.06, false};
    const Chart c = chart_in(p, area, chart_left(p, times, seconds_words), {first, last, false}, times);
    if (!c.drawable(p))
    {
        return;
    }
    draw_chart_y(p, c, "time of a step, and of the wait behind it", seconds_words);
    draw_chart_x(p, c, "step", [](double v) { return grouped(std::llround(v)); });
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float gap = c.area.w / static_cast<float>(last - first) > p.px(4) ? p.px(1) : 0;
    for (const TeamPace& step : pace)
    {
        const float left = c.at_x(static_cast<double>(step.step) - 1);
        const float right = c.at_x(static_cast<double>(step.step)) - gap;
        const float top = c.at_y(step.seconds);
        const Rect work{left, top, right - left, c.area.bottom() - top};
        const float above = c.at_y(step.seconds + step.stalled_s);
        const Rect stall{left, above, right - left, top - above};
        p.fill(work, t.forward.fill);
        p.fill(stall, t.backward_weight.fill);
        if (stall.h > p.px(3))
        {
            p.hatch(stall, t.window, kExposedHatch);
        }
        if (mouse.x >= left && mouse.x < right && c.area.contains(mouse) && ImGui::IsWindowHovered())
        {
            tooltip_at_mouse(p, step.stalled_s > 0
                                    ? fmt::format("step {}: {}, then {} for a checkpoint", step.step,
                                                  seconds_words(step.seconds), seconds_words(step.stalled_s))
                                    : fmt::format("step {}: {}", step.step, seconds_words(step.seconds)));
        }
    }
}

struct Column
{
    std::string_view title;
    float right; // share of the width
};
constexpr std::array kColumns{Column{"saves", 0.32F}, Column{"checkpoint", 0.47F},
                              Column{"on its way", 0.62F}, Column{"stands still", 0.80F},
                              Column{"predicted", 0.97F}};

void draw_costs(const Painter& p, Rect area, const TeamFrame& team)
{
    const Theme& t = p.theme;
    const float row = std::max(p.px(26), p.height(Type::body) * 1.3F);
    const Rect head = area.cut_top(row);
    for (const Column& c : kColumns)
    {
        p.text(head.x + head.w * c.right, head.middle(), Type::small, t.muted, c.title, Align::right);
    }
    for (const auto& [mode, name] : kModes)
    {
        const Cost cost = cost_of(team, mode);
        const Rect r = area.cut_top(row);
        p.text_within(r.x, r.middle(), r.w * 0.24F, Type::body, t.text, name);
        const bool any = cost.count > 0;
        const std::string none = "\u2013";
        const std::array<std::string, 5> words{
            grouped(cost.count), any ? format_bytes(Bytes(cost.bytes)) : none,
            any ? seconds_words(cost.written) : none, any ? seconds_words(cost.stalled) : none,
            any ? seconds_words(cost.predicted) : none};
        for (std::size_t c = 0; c < kColumns.size(); ++c)
        {
            p.text(r.x + r.w * kColumns.at(c).right, r.middle(), Type::mono, t.text, words.at(c),
                   Align::right);
        }
    }
}

void draw_key(const Painter& p, Rect row)
{
    float x = row.x;
    for (const auto& [ink, words] : {std::pair{p.theme.forward, "the step"},
                                     std::pair{p.theme.backward_weight, "stands still for a checkpoint"}})
    {
        const Rect mark{x, row.middle() - p.px(6), p.px(16), p.px(12)};
        p.fill(mark, ink.fill);
        x = mark.right() + p.px(8);
        x += p.text_within(x, row.middle(), std::max(0.0F, row.right() - x), Type::small, p.theme.text,
                           words) +
             p.px(20);
    }
}

} // namespace

void draw_saves_page(const Painter& p, Rect area, const TeamFrame& team)
{
    const TeamSnapshot& s = *team.snapshot;
    const bool none = team.wish.saving.mode == SaveMode::none && s.saves.empty();
    draw_head(p, area.cut_top(p.px(28)), "What a checkpoint costs",
              !team.watched.empty() ? ""
              : none                ? "press K, and they are saved while it trains"
                                    : "really written, to a storage of the rate in the panel");
    const auto fault =
        std::ranges::find_if(s.saves, [](const TeamSave& save) { return !save.fault.empty(); });
    if (fault != s.saves.end())
    {
        say_if_room(p, area, Type::body, p.theme.text, "Not saved: " + fault->fault, p.px(8));
    }
    if (s.pace.empty())
    {
        say_if_room(p, area, Type::body, p.theme.muted,
                    team.watched.empty() ? "Press . for the first step."
                                         : "A training elsewhere does not say what its checkpoints cost.",
                    0);
        return;
    }
    const float row = std::max(p.px(26), p.height(Type::body) * 1.3F);
    if (area.h > 3 * row + p.px(150))
    {
        area.cut_bottom(p.px(8));
        draw_costs(p, area.cut_bottom(3 * row), team);
        area.cut_bottom(p.px(10));
    }
    draw_key(p, area.cut_top(p.px(24)));
    draw_pace(p, area, s.pace);
}

Caption saves_caption(const TeamFrame& team)
{
    Caption caption{
        "A checkpoint is on its way for its bytes over the rate of the storage: **who waits for it?**",
        "synchronous = bytes / rate; asynchronous = max(0, bytes / rate \u2212 steps between two)",
        "Mohan et al. 2021, CheckFreq, FAST, section 4: snapshot and persist."};
    std::string measured;
    for (const auto& [mode, name] : kModes)
    {
        const Cost cost = team.started() ? cost_of(team, mode) : Cost{};
        if (cost.count > 0)
        {
            const bool sync = mode == SaveMode::synchronous;
            measured += fmt::format("{} {} save held training up for **{}**, predicted {}",
                                    measured.empty() ? (sync ? "A" : "An") : (sync ? "; a" : "; an"),
                                    sync ? "synchronous" : "asynchronous", seconds_words(cost.stalled),
                                    seconds_words(cost.predicted));
        }
    }
    if (!measured.empty())
    {
        caption.sentence = measured + ".";
    }
    return caption;
}

} // namespace ringside
