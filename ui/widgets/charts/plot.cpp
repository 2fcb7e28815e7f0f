#include "ui/widgets/charts/plot.h"

#include "ui/draw/chart_record.h"
#include "ui/widgets/charts/curve_board.h"
#include "ui/widgets/charts/plot_axes.h"
#include "ui/widgets/labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ringside
{

namespace
{

constexpr double kBeyond = 10; // how far out of the area a point may lie, in areas
constexpr double kPlain = 3;   // contrast with the window above which a line needs no edge
constexpr float kEdge = 0.75F; // [design px] of a line

float beyond(double share)
{
    return static_cast<float>(std::clamp(share, -kBeyond, 1 + kBeyond));
}

// Where a path ends, or leaves the area for the last time.
ImVec2 last_inside(std::span<const ImVec2> path, Rect area)
{
    for (std::size_t i = path.size(); i-- > 0;)
    {
        const ImVec2 a = path[i];
        if (!area.inset(-1).contains(a))
        {
            continue;
        }
        if (i + 1 == path.size())
        {
            return a;
        }
        const ImVec2 b = path[i + 1];
        const float x = b.x > area.right() ? (area.right() - a.x) / (b.x - a.x) : 1;
        const float top = b.y < area.y ? (area.y - a.y) / (b.y - a.y) : 1;
        const float bottom = b.y > area.bottom() ? (area.bottom() - a.y) / (b.y - a.y) : 1;
        const float share = std::min({x, top, bottom});
        return {a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
    }
    return path.back();
}

// Dashes of one length along a path, whatever the distance of its points.
void draw_dashes(const Painter& p, std::span<const ImVec2> path, Colour colour, float thickness)
{
    const float dash = p.px(5);
    float along = 0;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
    {
        const ImVec2 a = path[i];
        const ImVec2 b = path[i + 1];
        const float length = std::hypot(b.x - a.x, b.y - a.y);
        for (float at = 0; at < length;)
        {
            const float in_dash = std::fmod(along + at, 2 * dash);
            const float next = std::min(length, at + (in_dash < dash ? dash : 2 * dash) - in_dash + 0.01F);
            if (in_dash < dash)
            {
                const auto between = [&](float share) {
                    return ImVec2{a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
                };
                p.list.AddLine(between(at / length), between(next / length), colour, thickness);
            }
            at = next;
        }
        along += length;
    }
}

} // namespace

std::vector<PlotPoint> stairs(std::span<const PlotPoint> points, bool on)
{
    std::vector<PlotPoint> steps;
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const double before = i > 0 ? points[i].x - points[i - 1].x : 1;
        steps.push_back(points[i]);
        if (!on && i + 1 == points.size())
        {
            break;
        }
        steps.push_back({i + 1 < points.size() ? points[i + 1].x : points[i].x + before, points[i].y});
    }
    return steps;
}

std::optional<double> PlotMove::x(double step) const
{
    return to           ? std::optional(to->x)
           : steps == 0 ? std::nullopt
           : log_x      ? std::optional(from.x * std::pow(step, steps))
                        : std::optional(from.x + steps * step);
}

std::optional<double> PlotMove::y(double step) const
{
    return to           ? std::optional(to->y)
           : steps == 0 ? std::nullopt
           : log_y      ? std::optional(from.y * std::pow(step, steps))
                        : std::optional(from.y + steps * step);
}

Plot::Plot(const Painter& painter, Rect whole, PlotAxis x_axis, PlotAxis y_axis, const PlotFrame& frame)
    : area(whole), x(std::move(x_axis)), y(std::move(y_axis)), p_(painter),
      title_(!frame.reads.empty()   ? frame.reads
             : !frame.title.empty() ? frame.title
                                    : std::string_view(y.title)),
      labels_(std::make_unique<Labels>())
{
    const Rect title = area.cut_top(frame.title.empty() ? 0 : p_.height(Type::small_strong) + p_.px(6));
    area.cut_top(y.title.empty() ? p_.px(8) : p_.height(Type::small) + p_.px(11));
    area.cut_top(frame.above);
    area.cut_bottom((x.words ? p_.height(Type::mono_small) + p_.px(4) : p_.px(2)) +
                    (x.title.empty() ? 0 : p_.height(Type::small) + p_.px(3)));
    const float left = frame.left > 0 ? frame.left : plot_left(p_, y, ticks_along_y(p_, area.h));
    area.cut_left(left);
    enlarges_ = frame.enlarges;
    column_ = frame.names > 0 && area.w > p_.px(frame.names + 82);
    area.cut_right(p_.px(column_ ? frame.names : kBesideAxis));
    room_ = area.w > p_.px(80) && area.h > p_.px(24);
    if (!room_)
    {
        const std::string_view words = "No room for the chart: a larger window, or Ctrl \u2212.";
        if (whole.h > 2 * p_.height(Type::small) && p_.width(Type::small, words) <= whole.w)
        {
            p_.text(whole.x, whole.middle(), Type::small, p_.theme.text, words);
        }
        return;
    }
    *labels_ = Labels(area);
    if (!frame.part.empty())
    {
        p_.part(frame.part, whole);
    }
    if (!frame.title.empty())
    {
        draw_chart_title(p_, title, frame.title, frame.note);
    }
    draw_x(whole.x);
    draw_axis_y(p_, area, y, left);
    if (!enlarges_)
    {
        begin_on_board(p_, *this);
    }
}

Plot::~Plot()
{
    finish();
}

ImVec2 Plot::at(PlotPoint v) const
{
    return {std::clamp(at_x(v.x), area.x, area.right()), std::clamp(at_y(v.y), area.y, area.bottom())};
}

float Plot::at_x(double value) const
{
    return area.x + area.w * beyond(x.share(value));
}

float Plot::at_y(double value) const
{
    return area.bottom() - area.h * beyond(y.share(value));
}

double Plot::x_of(float pixel) const
{
    return x.at(std::clamp(static_cast<double>((pixel - area.x) / area.w), 0.0, 1.0));
}

double Plot::y_of(float pixel) const
{
    return y.at(std::clamp(static_cast<double>((area.bottom() - pixel) / area.h), 0.0, 1.0));
}

bool Plot::inside(PlotPoint v) const
{
    return v.x >= x.low && v.x <= x.high && v.y >= y.low && v.y <= y.high;
}

Rect Plot::rect(double x1, double x2, double y1, double y2) const
{
    const ImVec2 from = at({std::min(x1, x2), std::max(y1, y2)});
    const ImVec2 to = at({std::max(x1, x2), std::min(y1, y2)});
    return {from.x, from.y, to.x - from.x, to.y - from.y};
}

void Plot::stroke(std::span<const ImVec2> path, const PlotStroke& look) const
{
    if (path.size() < 2 || look.colour.fill == 0 || awaits_guesses(p_, area))
    {
        return;
    }
    const auto draw = [&](Colour colour, float thickness)
    {
        look.dashed ? draw_dashes(p_, path, colour, thickness)
                    : p_.list.AddPolyline(path.data(), static_cast<int>(path.size()), colour, 0, thickness);
    };
    p_.list.PushClipRect({area.x, area.y - p_.px(2)}, {area.right(), area.bottom() + p_.px(1)}, true);
    // A pale line has its edge on both sides, as a block has it all round.
    if (look.colour.edge != 0 && contrast_ratio(look.colour.fill, p_.theme.window) < kPlain)
    {
        draw(look.colour.edge, p_.px(look.thickness) + 2 * kEdge * p_.look.scale);
    }
    draw(look.colour.fill, p_.px(look.thickness));
    p_.list.PopClipRect();
}

std::vector<PlotPoint> Plot::thinned(std::span<const PlotPoint> points) const
{
    std::vector<PlotPoint> kept;
    std::vector<PlotPoint> column;
    const auto flush = [&]
    {
        if (column.size() > 3)
        {
            const auto [low, high] = std::ranges::minmax_element(column, {}, &PlotPoint::y);
            const std::array ends{*std::min(low, high), *std::max(low, high), column.back()};
            column.assign(ends.begin(), ends.end());
        }
        kept.insert(kept.end(), column.begin(), column.end());
        column.clear();
    };
    const auto side = [&](const PlotPoint& v) { return v.x < x.low ? -1 : v.x > x.high ? 1 : 0; };
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const PlotPoint v = points[i];
        const int beyond = side(v);
        if (beyond != 0 && i > 0 && i + 1 < points.size() && side(points[i - 1]) == beyond &&
            side(points[i + 1]) == beyond)
        {
            continue;
        }
        const bool finite = std::isfinite(v.x) && std::isfinite(v.y);
        if (!finite || (!column.empty() && std::floor(at_x(v.x)) != std::floor(at_x(column.back().x))))
        {
            flush();
        }
        finite ? column.push_back(v) : kept.push_back(v);
    }
    flush();
    return kept;
}

void Plot::line(std::span<const PlotPoint> points, PlotStroke look, std::string name, bool strong)
{
    std::vector<ImVec2> run;
    std::vector<ImVec2> whole;
    const std::size_t curve = curves_.size();
    curves_.push_back({thinned(points), look.colour, name});
    const auto flush = [&]
    {
        stroke(run, look);
        for (std::size_t i = 1; i < run.size(); ++i)
        {
            labels_->avoid(run[i - 1], run[i], curve);
        }
        whole.insert(whole.end(), run.begin(), run.end());
        run.clear();
    };
    for (const PlotPoint& v : curves_.back().points)
    {
        const ImVec2 place{at_x(v.x), at_y(v.y)};
        // Points on one another would make the joint between them swell.
        const bool apart = run.empty() || std::fabs(place.x - run.back().x) >= 0.5F ||
                           std::fabs(place.y - run.back().y) >= 0.5F;
        if (!std::isfinite(v.x) || !std::isfinite(v.y))
        {
            flush();
        }
        else if (apart)
        {
            run.push_back(place);
        }
    }
    flush();
    if (name.empty() || whole.empty())
    {
        return;
    }
    // What ends before the right side is named there.
    const ImVec2 end = last_inside(whole, area);
    const bool joined = end.x > area.right() - 1;
    const bool stops = !joined && end.y > area.y + 1 && end.y < area.bottom() - 1;
    const bool column = column_ && !stops;
    whole = column_ ? std::vector{end} : std::move(whole);
    words_.push_back(
        {std::move(whole), 8, std::move(name), strong, column, joined, false, look.colour, curve});
}

void Plot::fill(std::span<const PlotPoint> low, std::span<const PlotPoint> high, Colour colour) const
{
    if (awaits_guesses(p_, area))
    {
        return;
    }
    p_.list.PushClipRect(area.min(), area.max(), true);
    const ImDrawListFlags flags = p_.list.raw.Flags;
    p_.list.raw.Flags &= ~ImDrawListFlags_AntiAliasedFill; // or the seams between the pieces would show
    const auto place = [&](PlotPoint v) { return ImVec2{at_x(v.x), at_y(v.y)}; };
    for (std::size_t i = 0; i + 1 < high.size(); ++i)
    {
        if (std::isfinite(high[i].y) && std::isfinite(high[i + 1].y))
        {
            p_.list.AddQuadFilled(place(low[i]), place(high[i]), place(high[i + 1]), place(low[i + 1]),
                                  colour);
        }
    }
    p_.list.raw.Flags = flags;
    p_.list.PopClipRect();
}

void Plot::fill_below(std::span<const PlotPoint> top, Colour colour) const
{
    const std::vector<PlotPoint> high = thinned(top);
    std::vector<PlotPoint> low = high;
    for (PlotPoint& v : low)
    {
        v.y = y.low;
    }
    fill(low, high, colour);
}

namespace
{

void draw_band(const Painter& p, Rect area, Rect r, Colour colour, std::optional<Hatch> hatch)
{
    if (colour != 0 && !awaits_guesses(p, area))
    {
        hatch ? p.hatch(r, colour, *hatch) : p.fill(r, colour);
    }
}

} // namespace

void Plot::band_x(double from, double to, Colour colour, std::string_view words, std::optional<Hatch> hatch)
{
    const Rect r = rect(from, to, y.low, y.high);
    draw_band(p_, area, r, colour, hatch);
    if (p_.width(Type::small, words) + p_.px(12) < r.w)
    {
        label({x_of(r.centre()), y_of(area.y + p_.height(Type::small))}, std::string(words), false, 0);
        words_.back().sinks = true;
    }
}

void Plot::band_y(double from, double to, Colour colour, std::string_view words, std::optional<Hatch> hatch)
{
    const Rect r = rect(x.low, x.high, from, to);
    draw_band(p_, area, r, colour, hatch);
    if (p_.height(Type::small) + p_.px(4) < r.h)
    {
        label({x_of(area.x + p_.px(4)), y_of(r.middle())}, std::string(words), false, 0);
    }
}

void Plot::rule(const std::array<ImVec2, 2>& path, const PlotStroke& look, std::string words)
{
    stroke(path, look);
    labels_->avoid(path[0], path[1], curves_.size());
    words_.push_back({{path.begin(), path.end()},
                      0,
                      std::move(words),
                      look.thickness >= 2,
                      false,
                      false,
                      false,
                      look.colour,
                      curves_.size()});
    curves_.push_back({{}, look.colour, {}, {path.begin(), path.end()}});
}

PlotMove Plot::rule_x(double value, PlotStroke look, std::string words, const char* id)
{
    const float at = this->at({value, y.low}).x;
    const std::array path{ImVec2{at, area.bottom()}, ImVec2{at, area.y}};
    rule(path, look, std::move(words));
    if (id == nullptr || awaits_guesses(p_, area))
    {
        return {};
    }
    const Press pressed = press(p_, {at - p_.px(12), area.y, p_.px(24), area.h}, id, 3);
    on_rule_ = on_rule_ || (pressed.hovered && !pressed.held);
    if (pressed.hovered || pressed.held)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    return moved(pressed, {value, y.low});
}

PlotMove Plot::rule_y(double value, PlotStroke look, std::string words, const char* id)
{
    const float at = this->at({x.low, value}).y;
    const std::array path{ImVec2{area.right(), at}, ImVec2{area.x, at}};
    rule(path, look, std::move(words));
    if (id == nullptr || awaits_guesses(p_, area))
    {
        return {};
    }
    const Press pressed = press(p_, {area.x, at - p_.px(12), area.w, p_.px(24)}, id, 3);
    on_rule_ = on_rule_ || (pressed.hovered && !pressed.held);
    if (pressed.hovered || pressed.held)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    }
    return moved(pressed, {x.low, value});
}

PlotMove Plot::limit_x(double value, std::string words, const char* id)
{
    band_x(value, x.high, with_alpha(p_.theme.warning, 0.16F), {}, kOverflowHatch);
    return rule_x(value, {p_.theme.warning, 2}, std::move(words), id);
}

PlotMove Plot::limit_y(double value, std::string words, const char* id)
{
    band_y(value, y.high, with_alpha(p_.theme.warning, 0.14F), {}, kOverflowHatch);
    return rule_y(value, {p_.theme.warning, 2}, std::move(words), id);
}

Colour line_colour(const Ink& ink)
{
    return ink.edge != 0 ? ink.edge : ink.fill;
}

} // namespace ringside
