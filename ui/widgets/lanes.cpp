#include "ui/widgets/lanes.h"

#include <fmt/format.h>

#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

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
    const int pixels = static_cast<int>(std::ceil(lane.w));
    for (int i = 1; i <= pixels; ++i)
    {
        const float x = std::min(lane.x + static_cast<float>(i), lane.right());
        const Colour here = i < pixels ? colour_at(window.t(lane, x + 0.5F)) : 0;
        if (here != run || i == pixels)
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
        const std::array points{ImVec2{a.right() - p.px(3), down ? a.bottom() : a.y},
                                ImVec2{a.right() - p.px(3), y}, ImVec2{b.x + p.px(3), y},
                                ImVec2{b.x + p.px(3), down ? b.y : b.bottom()}};
        if (a.y != b.y)
        {
            p.list.AddPolyline(points.data(), 4, p.theme.text, 0, p.px(2));
        }
    }
    for (const Rect& cell : cells)
    {
        p.outline(cell, p.theme.text, p.px(2));
    }
}

// All lanes of one timeline, while they are drawn.
class Lanes
{
public:
    Lanes(const Painter& p, Rect field, const Timeline& timeline, const StageTimes& times, TimeWindow window,
          const LanesStyle& style)
        : p_(p), field_(field), timeline_(timeline), share_(input_share(times)), window_(window),
          style_(style), mouse_(ImGui::GetIO().MousePos),
          inside_(field.contains(mouse_) &&
                  ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))
    {
    }

    // Returns the event under the mouse.
    std::optional<std::size_t> draw(float gap)
    {
        for (std::size_t rank = 0; rank < timeline_.ranks(); ++rank)
        {
            const float top = field_.y + style_.pitch * static_cast<float>(rank);
            draw_lane({field_.x, top, field_.w, style_.pitch - gap}, timeline_.rank(rank));
        }
        std::stable_sort(path_.begin(), path_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        std::vector<Rect> cells;
        std::transform(path_.begin(), path_.end(), std::back_inserter(cells),
                       [](const auto& step) { return step.second; });
        draw_path(p_, cells);
        return hovered_;
    }

private:
    void draw_lane(Rect lane, std::span<const Event> events)
    {
        const float from = std::max(lane.x, window_.x(field_, 0));
        const float to = std::min(lane.right(), window_.x(field_, timeline_.makespan));
        p_.hatch({from, lane.y, to - from, lane.h}, dim(p_.theme, p_.theme.idle_hatch, 0.3F), kIdleHatch);
        // Only what is in sight: events of a lane are in order of time.
        const auto first = std::upper_bound(events.begin(), events.end(), window_.from,
                                            [](double t, const Event& e) { return t < e.end; });
        const auto last = std::lower_bound(first, events.end(), window_.to,
                                           [](const Event& e, double t) { return e.start < t; });
        const auto count = static_cast<float>(last - first);
        if (count > 0 && field_.w / count < p_.px(kMergeCell))
        {
            draw_merged(p_, lane, events, window_, share_, style_.lit_micro_batch);
            return;
        }
        std::for_each(first, last, [&](const Event& e) { draw_event(lane, e); });
    }

    void draw_event(Rect lane, const Event& e)
    {
        const float x1 = std::round(window_.x(field_, e.start));
        const float x2 = std::round(window_.x(field_, e.end));
        const Rect cell{x1, lane.y, std::max(1.0F, x2 - x1 - (x2 - x1 > 3 ? 1.0F : 0.0F)), lane.h};
        const bool lit = !style_.lit_micro_batch || e.operation.micro_batch == *style_.lit_micro_batch;
        p_.fill({x1, cell.y, x2 - x1, cell.h}, p_.theme.window);
        draw_cell(p_, {cell, &e, lit}, share_, p_.px(kLabelCell));
        if (style_.lit_micro_batch && lit)
        {
            path_.emplace_back(e.start, cell);
        }
        if (inside_ && mouse_.y >= lane.y && mouse_.y < lane.y + style_.pitch && mouse_.x >= cell.x &&
            mouse_.x < x2)
        {
            hovered_ = static_cast<std::size_t>(&e - timeline_.events.data());
        }
    }

    const Painter& p_;
    Rect field_;
    const Timeline& timeline_;
    float share_;
    TimeWindow window_;
    const LanesStyle& style_;
    ImVec2 mouse_;
    bool inside_;
    std::optional<std::size_t> hovered_;
    std::vector<std::pair<double, Rect>> path_; // of the lit micro-batch, with its times
};

} // namespace

float lane_pitch(const Painter& painter, float height, std::size_t ranks, float most)
{
    return std::min(height / static_cast<float>(std::max<std::size_t>(1, ranks)), painter.px(most));
}

std::optional<std::size_t> draw_lanes(const Painter& p, Rect area, const Timeline& timeline,
                                      const StageTimes& times, TimeWindow window, const LanesStyle& style)
{
    const float pitch = style.pitch;
    const float label = p.px(style.label_width);
    const Rect field{area.x + label, area.y, area.w - label, pitch * static_cast<float>(timeline.ranks())};
    const float gap = pitch > p.px(12) ? std::min(p.px(8), pitch * 0.22F) : pitch > 4 ? 1.0F : 0.0F;
    p.list.PushClipRect({field.x, field.y - p.px(2)}, {field.right() + 1, field.bottom() + p.px(2)}, true);
    const auto hovered = Lanes(p, field, timeline, times, window, style).draw(gap);
    p.list.PopClipRect();
    // Where lanes are low, every so manyth has its name.
    const auto every = static_cast<std::size_t>(std::ceil(p.px(18) / std::max(1.0F, pitch)));
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
    const auto first = static_cast<std::int64_t>(std::ceil(window.from / step));
    const auto last = static_cast<std::int64_t>(std::floor(window.to / step + 1e-6));
    for (std::int64_t i = first; i <= last; ++i)
    {
        const double t = static_cast<double>(i) * step;
        const float x = std::round(window.x(area, t));
        p.line(x, area.y, x, area.y + p.px(4), p.theme.line);
        p.text(std::clamp(x, area.x + p.px(6), area.right() - p.px(14)), area.y + p.px(14), Type::mono_small,
               p.theme.muted, fmt::format("{:g}", t), Align::centre);
    }
}

} // namespace ringside
