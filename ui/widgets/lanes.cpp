#include "ui/widgets/lanes.h"

#include <fmt/format.h>

#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kLabelCell = 17; // cells narrower than this carry no number [design px]
constexpr float kMergeCell = 3;  // and narrower than this are drawn by the pixel

// Share of a whole backward that computes input gradients.
float input_share(const StageTimes& times)
{
    const double whole = times.backward_input + times.backward_weight;
    return whole > 0 ? static_cast<float>(times.backward_input / whole) : 0.5F;
}

struct Cell
{
    Rect rect;
    const Event* event;
    bool lit;
};

void draw_cell(const Painter& p, const Cell& cell, float share, float label_from)
{
    const Theme& t = p.theme;
    const auto shade = [&](Colour colour) { return cell.lit ? colour : dim(t, colour); };
    const Rect r = cell.rect;
    const bool forward = cell.event->operation.pass == Pass::forward;
    if (forward)
    {
        p.fill(r, shade(t.forward.fill));
    }
    else
    {
        const float split = std::round(r.w * share);
        p.fill({r.x, r.y, split, r.h}, shade(t.backward_input.fill));
        p.fill({r.x + split, r.y, r.w - split, r.h}, shade(t.backward_weight.fill));
    }
    if (t.light && r.w > 4)
    {
        p.outline(r, shade(forward ? t.forward.edge : t.backward_input.edge));
    }
    const float room = forward ? r.w : r.w * share;
    if (room < label_from || r.h < p.px(14))
    {
        return;
    }
    const std::string number = std::to_string(cell.event->operation.micro_batch);
    if (p.width(Type::mono_small, number) + p.px(2) <= room)
    {
        const Colour ink = forward ? t.forward.label : t.backward_input.label;
        p.text(r.x + room / 2, r.middle(), Type::mono_small, cell.lit ? ink : t.muted, number, Align::centre);
    }
}

// One lane by the pixel: the colour of whatever runs there.
void draw_merged(const Painter& p, Rect lane, std::span<const Event> events, TimeWindow window, float share,
                 std::optional<std::int32_t> lit)
{
    const Theme& t = p.theme;
    const auto colour_at = [&](double time) -> Colour
    {
        const auto next = std::upper_bound(events.begin(), events.end(), time,
                                           [](double at, const Event& e) { return at < e.start; });
        if (next == events.begin() || std::prev(next)->end < time)
        {
            return 0;
        }
        const Event& e = *std::prev(next);
        const bool input = time < e.start + (e.end - e.start) * static_cast<double>(share);
        const Colour colour = e.operation.pass == Pass::forward ? t.forward.fill
                              : input                           ? t.backward_input.fill
                                                                : t.backward_weight.fill;
        return lit && e.operation.micro_batch != *lit ? dim(t, colour) : colour;
    };
    float start = lane.x;
    Colour run = colour_at(window.t(lane, lane.x + 0.5F));
    for (float x = lane.x + 1; x <= lane.right(); ++x)
    {
        const Colour here = x < lane.right() ? colour_at(window.t(lane, x + 0.5F)) : ~run;
        if (here != run)
        {
            p.fill({start, lane.y, x - start, lane.h}, run);
            start = x;
            run = here;
        }
    }
}

void draw_path(const Painter& p, const std::vector<Rect>& cells)
{
    for (std::size_t i = 0; i + 1 < cells.size(); ++i)
    {
        const Rect& a = cells[i];
        const Rect& b = cells[i + 1];
        const bool down = b.y > a.y;
        const float y = down ? a.bottom() + p.px(4) : a.y - p.px(4);
        const ImVec2 points[] = {{a.right() - p.px(3), down ? a.bottom() : a.y},
                                 {a.right() - p.px(3), y},
                                 {b.x + p.px(3), y},
                                 {b.x + p.px(3), down ? b.y : b.bottom()}};
        if (a.y != b.y)
        {
            p.list.AddPolyline(points, 4, p.theme.text, 0, p.px(2));
        }
    }
    for (const Rect& cell : cells)
    {
        p.outline(cell, p.theme.text, p.px(2));
    }
}

} // namespace

float lane_pitch(const Painter& painter, float height, std::size_t ranks, float most)
{
    return std::min(height / static_cast<float>(std::max<std::size_t>(1, ranks)), painter.px(most));
}

std::optional<std::size_t> draw_lanes(const Painter& p, Rect area, const Timeline& timeline,
                                      const StageTimes& times, TimeWindow window, float pitch,
                                      const LanesStyle& style)
{
    const float share = input_share(times);
    const float label = p.px(style.label_width);
    const Rect field{area.x + label, area.y, area.w - label, pitch * static_cast<float>(timeline.ranks())};
    const float gap = pitch > p.px(12) ? std::min(p.px(8), pitch * 0.22F) : pitch > 4 ? 1.0F : 0.0F;
    const auto every = static_cast<std::size_t>(std::ceil(p.px(18) / std::max(1.0F, pitch)));
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool inside =
        field.contains(mouse) && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    std::optional<std::size_t> hovered;
    std::vector<std::pair<double, Rect>> path;
    p.list.PushClipRect({field.x, field.y - p.px(2)}, {field.right() + 1, field.bottom() + p.px(2)}, true);
    for (std::size_t rank = 0; rank < timeline.ranks(); ++rank)
    {
        const std::span<const Event> events = timeline.rank(rank);
        const Rect lane{field.x, field.y + pitch * static_cast<float>(rank), field.w, pitch - gap};
        const Rect run{std::max(lane.x, window.x(field, 0)), lane.y, 0, lane.h};
        p.hatch({run.x, lane.y, std::min(lane.right(), window.x(field, timeline.makespan)) - run.x, lane.h},
                dim(p.theme, p.theme.idle_hatch, 0.3F), kIdleHatch);
        // Only what is in sight: events of a lane are in order of time.
        auto first = std::upper_bound(events.begin(), events.end(), window.from,
                                      [](double t, const Event& e) { return t < e.end; });
        const auto last = std::lower_bound(first, events.end(), window.to,
                                           [](const Event& e, double t) { return e.start < t; });
        const auto count = static_cast<float>(last - first);
        if (count > 0 && field.w / count < p.px(kMergeCell))
        {
            draw_merged(p, lane, events, window, share, style.lit_micro_batch);
            first = last;
        }
        for (; first != last; ++first)
        {
            const float x1 = std::round(window.x(field, first->start));
            const float x2 = std::round(window.x(field, first->end));
            const Rect cell{x1, lane.y, std::max(1.0F, x2 - x1 - (x2 - x1 > 3 ? 1.0F : 0.0F)), lane.h};
            const bool lit = !style.lit_micro_batch || first->operation.micro_batch == *style.lit_micro_batch;
            p.fill({x1, cell.y, x2 - x1, cell.h}, p.theme.window);
            draw_cell(p, {cell, &*first, lit}, share, p.px(kLabelCell));
            if (style.lit_micro_batch && lit)
            {
                path.emplace_back(first->start, cell);
            }
            if (inside && mouse.y >= lane.y && mouse.y < lane.y + pitch && mouse.x >= cell.x && mouse.x < x2)
            {
                hovered = static_cast<std::size_t>(&*first - timeline.events.data());
            }
        }
    }
    std::stable_sort(path.begin(), path.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Rect> cells;
    std::transform(path.begin(), path.end(), std::back_inserter(cells),
                   [](const auto& step) { return step.second; });
    draw_path(p, cells);
    p.list.PopClipRect();
    for (std::size_t rank = 0; style.names && label > 0 && rank < timeline.ranks(); rank += every)
    {
        p.text_within(area.x, field.y + pitch * static_cast<float>(rank) + (pitch - gap) / 2, label - p.px(4),
                      Type::small, p.theme.muted, fmt::format("stage {}", rank));
    }
    return hovered;
}

void lane_tip(const Painter& painter, Rect bounds, ImVec2 at, const Timeline& timeline, std::size_t index,
              std::size_t ranks)
{
    const Event& e = timeline.events[index];
    const auto stage = static_cast<std::size_t>(e.operation.stage);
    const std::string chunk = stage >= ranks ? fmt::format(", chunk {}", stage / ranks) : "";
    const std::string heading =
        fmt::format("{} {} on stage {}{}", e.operation.pass == Pass::forward ? "Forward" : "Backward",
                    e.operation.micro_batch, stage % ranks, chunk);
    const std::array lines{TipLine{"from", three_digits(e.start), 0}, TipLine{"to", three_digits(e.end), 0}};
    std::string foot = "started as soon as its stage was free";
    if (e.waited_for >= 0)
    {
        const Event& cause = timeline.events[static_cast<std::size_t>(e.waited_for)];
        foot = fmt::format("waited for {} {} on stage {}, done at {}",
                           cause.operation.pass == Pass::forward ? "forward" : "backward",
                           cause.operation.micro_batch,
                           static_cast<std::size_t>(cause.operation.stage) % ranks, three_digits(cause.end));
    }
    tip_card(painter, bounds, at, heading, lines, foot);
}

void draw_time_axis(const Painter& p, Rect area, TimeWindow window)
{
    const double span = window.to - window.from;
    const double rough = span / std::max(2.0, static_cast<double>(area.w / p.px(72)));
    const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, 1e-9))));
    const double ratio = rough / power;
    const double step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 3 : ratio < 7 ? 5 : 10);
    p.line(area.x, area.y, area.right(), area.y, p.theme.line);
    for (double t = std::ceil(window.from / step) * step; t <= window.to + step * 1e-6; t += step)
    {
        const float x = std::round(window.x(area, t));
        p.line(x, area.y, x, area.y + p.px(4), p.theme.line);
        p.text(std::clamp(x, area.x + p.px(6), area.right() - p.px(14)), area.y + p.px(14), Type::mono_small,
               p.theme.muted, fmt::format("{:g}", t), Align::centre);
    }
}

} // namespace ringside
