#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/model/weights.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/ranks/bars.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kLabel = 72; // [design px]

std::string milliseconds(double value)
{
    return format_seconds(Seconds(value / 1e3));
}

void draw_key(const Painter& p, Rect row, const RankMoment& m)
{
    const Theme& t = p.theme;
    const bool split =
        std::ranges::any_of(m.real.events, [](const Event& e) { return e.operation.pass == Pass::weight; });
    std::vector<LegendItem> items{{"forward", {t.forward}}};
    if (split)
    {
        items.push_back({"input gradient", {t.backward_input}});
        items.push_back({"weight gradient", {t.backward_weight}});
    }
    else
    {
        items.push_back({"backward", {t.backward_input, t.backward_weight.fill}});
    }
    items.push_back({"waits", idle_fill(t)});
    for (const std::string& axis : m.axes)
    {
        items.push_back({axis, plain_fill(colour_of_axis(t, axis)), {}, 6});
    }
    row.cut_left(p.px(kLabel));
    draw_legend(p, row, items);
}

// In the strips below the lanes.
const RankTrace::Message* draw_messages(const Painter& p, Rect area, const LanesStyle& style,
                                        const RankMoment& m, TimeWindow window)
{
    const float above = style.pitch - lane_gap(p, style.pitch) - style.strip;
    area.cut_left(p.px(kLabel));
    area.y += above;
    const std::vector<LaneName> names(m.names.size());
    const TimeLanes strips(p, area, window, {style.pitch, 0, above}, names);
    const RankTrace::Message* hovered = nullptr;
    for (std::size_t rank = 0; rank < names.size(); ++rank)
    {
        float drawn = -1;
        for (const RankTrace::Message& message : m.trace->ranks[rank].messages)
        {
            const Rect r = strips.body(rank, 1e3 * message.start, 1e3 * message.end, true);
            if (r.right() > drawn || message.axis != "control")
            {
                p.fill(r, colour_of_axis(p.theme, message.axis));
                drawn = std::max(drawn, r.right());
            }
            hovered = strips.points_at({r.x - 1, r.y, r.w + 2, r.h + p.px(2)}) ? &message : hovered;
        }
    }
    return hovered;
}

void say_message(const Painter& p, Rect bounds, const RankTrace::Message& message)
{
    const std::array lines{TipLine{"took", format_seconds(Seconds(message.end - message.start)), 0},
                           TipLine{"sent", format_bytes(Bytes(message.sent)), 0}};
    tip_card(p, bounds, ImGui::GetIO().MousePos, fmt::format("{}, axis {}", message.kind, message.axis),
             lines,
             message.waits_for >= 0 ? fmt::format("rank {} came last", message.waits_for) : std::string());
}

void say_work(const Painter& p, Rect bounds, const Event& e)
{
    constexpr std::array<std::string_view, 4> kWords{"Forward", "Backward", "Input gradient",
                                                     "Weight gradient"};
    const std::array lines{TipLine{"from", milliseconds(e.start), 0}, TipLine{"to", milliseconds(e.end), 0}};
    tip_card(p, bounds, ImGui::GetIO().MousePos,
             fmt::format("{} {} on rank {}", kWords.at(static_cast<std::size_t>(e.operation.pass)),
                         e.operation.micro_batch, e.rank),
             lines, fmt::format("stage {} of the model", e.operation.stage));
}

void draw_band(const Painter& p, Rect bounds, Rect area, float pitch, float strip, const RankMoment& m,
               bool real)
{
    const Timeline& timeline = real ? m.real : m.predicted;
    const TimeWindow window{0, m.end};
    LanesStyle style{pitch, kLabel};
    style.labels = m.names;
    style.strip = strip;
    const Lanes lanes{&timeline, real ? &m.real_density : &m.predicted_density, 0.5, nullptr, 1, m.stages};
    const auto hovered = draw_lanes(p, area, lanes, window, style);
    const RankTrace::Message* message = real ? draw_messages(p, area, style, m, window) : nullptr;
    if (message != nullptr)
    {
        say_message(p, bounds, *message);
    }
    else if (hovered)
    {
        say_work(p, bounds, timeline.events[*hovered]);
    }
}

} // namespace

void draw_rank_lanes(const Painter& p, Rect area, const RankMoment& m)
{
    const Rect bounds = area;
    const auto ranks = static_cast<float>(m.names.size());
    if (area.h > p.px(200))
    {
        draw_key(p, area.cut_top(p.px(22)), m);
    }
    const Rect axis = area.cut_bottom(p.px(26));
    const bool both = m.predicted.ranks() > 0 && area.h > p.px(2 * 24) + 2 * ranks * p.px(6);
    const bool heads = area.h > p.px(90);
    const float head = heads ? p.px(26) : p.px(4);
    const float room = area.h - head * (both ? 2 : 1) - p.px(4);
    // What really ran has a strip for its messages, and so more of the height.
    const float pitch = lane_pitch(p, room * (both ? 0.55F : 1.0F), m.names.size(), 64);
    const float strip = std::clamp(std::round(pitch * 0.2F), 2.0F, p.px(7));
    const Rect first = area.cut_top(head);
    if (heads)
    {
        draw_head(p, first, "As it ran",
                  fmt::format("{}, of which operations fill {}", milliseconds(m.real.makespan),
                              format_percent(m.worked(m.real, m.real.makespan))));
    }
    draw_band(p, bounds, area.cut_top(pitch * ranks), pitch, strip, m, true);
    if (both)
    {
        const Rect second = area.cut_top(head);
        if (heads)
        {
            draw_head(p, second, "Predicted",
                      fmt::format("{}: the same order and mean times, transfers free",
                                  milliseconds(m.predicted.makespan)));
        }
        const float low = std::min(pitch - strip, area.h / ranks);
        draw_band(p, bounds, area.cut_top(low * ranks), low, 0, m, false);
    }
    Rect scale = axis;
    scale.y = std::min(axis.y, area.y + p.px(4));
    const double seconds = m.end / 1e3;
    draw_time_axis(p, {area.x + p.px(kLabel), scale.y, area.w - p.px(kLabel), scale.h}, {0, seconds},
                   seconds);
}

void draw_team_loss(const Painter& p, Rect area, const TeamSnapshot& run)
{
    const Theme& t = p.theme;
    draw_head(p, area.cut_top(p.px(24)), "Loss", "nats per token");
    if (area.h < p.px(60) || run.losses.empty())
    {
        return;
    }
    const std::array curves{StepCurve{run.losses, run.loss_stride, 0, true, true, ""}};
    Plot plot(p, area, step_axis(curves), value_axis(curves));
    if (!plot)
    {
        return;
    }
    for (const TeamMark& mark : run.marks)
    {
        const auto step = static_cast<double>(mark.step);
        plot.rule_x(step, {mark.trouble ? t.warning : t.muted, 1});
        const float x = plot.at_x(step);
        if (mark.trouble)
        {
            p.triangle(x - p.px(8), plot.area.y + p.px(8), t.warning);
        }
        if (p.points_at({x - p.px(5), plot.area.y, p.px(10), plot.area.h}))
        {
            tooltip_at_mouse(p, fmt::format("step {}: {}", mark.step, mark.says));
        }
    }
    draw_step_curve(p, plot, curves.front());
}

} // namespace ringside
