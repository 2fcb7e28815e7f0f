#include "ui/views/ranks/lanes.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/lab/plot.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>

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
    float x = row.x + p.px(kLabel);
    const auto item = [&](std::string_view name, float height, auto&& box)
    {
        if (x + p.px(24) + p.width(Type::small, name) > row.right())
        {
            return;
        }
        box(Rect{x, row.middle() - p.px(height) / 2, p.px(16), p.px(height)});
        x += p.px(24) + p.text(x + p.px(24), row.middle(), Type::small, t.text, name) + p.px(18);
    };
    const bool split =
        std::ranges::any_of(m.real.events, [](const Event& e) { return e.operation.pass == Pass::weight; });
    item("forward", 14, [&](Rect r) { p.fill(r, t.forward.fill); });
    item(split ? "input gradient" : "backward", 14,
         [&](Rect r)
         {
             p.fill(r, t.backward_input.fill);
             if (!split)
             {
                 p.fill({r.centre(), r.y, r.right() - r.centre(), r.h}, t.backward_weight.fill);
             }
         });
    if (split)
    {
        item("weight gradient", 14, [&](Rect r) { p.fill(r, t.backward_weight.fill); });
    }
    item("waits", 14,
         [&](Rect r)
         {
             p.hatch(r, t.idle_hatch, kIdleHatch);
             p.outline(r, t.grid);
         });
    for (const std::string& axis : m.axes)
    {
        item(axis, 6, [&](Rect r) { p.fill(r, colour_of_axis(t, axis)); });
    }
}

// One kind of lanes on the common axis.
struct Band
{
    Rect field; // right of the names
    float pitch = 0;
    float strip = 0;

    Rect messages(const Painter& p, std::size_t rank) const
    {
        const float bottom = field.y + pitch * static_cast<float>(rank + 1) - lane_gap(p, pitch);
        return {field.x, bottom - strip, field.w, strip};
    }
};

const RankTrace::Message* draw_messages(const Painter& p, const Band& band, const RankMoment& m,
                                        TimeWindow window)
{
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const RankTrace::Message* hovered = nullptr;
    p.list.PushClipRect(band.field.min(), band.field.max(), true);
    for (std::size_t rank = 0; rank < m.trace->ranks.size(); ++rank)
    {
        const Rect row = band.messages(p, rank);
        p.fill({row.x, row.y, row.w, row.h}, with_alpha(p.theme.grid, 0.35F));
        float drawn = -1;
        for (const RankTrace::Message& message : m.trace->ranks[rank].messages)
        {
            const float from = window.x(band.field, 1e3 * message.start);
            const float to = std::max(from + 1, window.x(band.field, 1e3 * message.end));
            if (to > drawn || message.axis != "control")
            {
                p.fill({from, row.y + 1, to - from, row.h - 1}, colour_of_axis(p.theme, message.axis));
                drawn = std::max(drawn, to);
            }
            if (Rect{from - 1, row.y, to - from + 2, row.h + p.px(2)}.contains(mouse))
            {
                hovered = &message;
            }
        }
    }
    p.list.PopClipRect();
    return ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) ? hovered : nullptr;
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

void draw_band(const Painter& p, Rect bounds, const Band& band, const RankMoment& m, bool real)
{
    const Timeline& timeline = real ? m.real : m.predicted;
    const TimeWindow window{0, m.end};
    LanesStyle style;
    style.pitch = band.pitch;
    style.label_width = kLabel;
    style.labels = m.names;
    style.strip = band.strip;
    const Lanes lanes{&timeline, real ? &m.real_density : &m.predicted_density, 0.5, nullptr, 1, m.stages};
    const Rect area{band.field.x - p.px(kLabel), band.field.y, band.field.w + p.px(kLabel), band.field.h};
    const auto hovered = draw_lanes(p, area, lanes, window, style);
    const RankTrace::Message* message = real ? draw_messages(p, band, m, window) : nullptr;
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
    const float field_x = area.x + p.px(kLabel);
    const auto band = [&](float height, float below) {
        return Band{{field_x, area.y, area.w - p.px(kLabel), height * ranks}, height, below};
    };
    const Rect first = area.cut_top(head);
    if (heads)
    {
        draw_head(p, first, "As it ran",
                  fmt::format("{}, of which operations fill {}", milliseconds(m.real.makespan),
                              format_percent(m.worked(m.real, m.real.makespan))));
    }
    draw_band(p, bounds, band(pitch, strip), m, true);
    area.cut_top(pitch * ranks);
    if (both)
    {
        const Rect second = area.cut_top(head);
        if (heads)
        {
            draw_head(p, second, "Predicted",
                      fmt::format("{}: the same order and mean times, transfers free",
                                  milliseconds(m.predicted.makespan)));
        }
        draw_band(p, bounds, band(std::min(pitch - strip, area.h / ranks), 0), m, false);
        area.cut_top(std::min(pitch - strip, area.h / ranks) * ranks);
    }
    Rect scale = axis;
    scale.y = std::min(axis.y, area.y + p.px(4));
    draw_time_axis(p, {field_x, scale.y, area.w - p.px(kLabel), scale.h}, {0, m.end});
    p.text(area.x, scale.y + p.px(14), Type::small, p.theme.muted, "ms");
}

} // namespace ringside
