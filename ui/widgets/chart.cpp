#include "ui/widgets/chart.h"

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

double ChartAxis::share(double value) const
{
    return logarithmic ? std::log(std::max(value, 1e-300) / low) / std::log(high / low)
                       : (value - low) / (high - low);
}

double ChartAxis::at(double share) const
{
    return logarithmic ? low * std::pow(high / low, share) : low + (high - low) * share;
}

double ChartAxis::held(double value) const
{
    return std::clamp(value, low, std::max(low, high));
}

namespace
{

constexpr double kBeyond = 10; // how far out of the area a point may lie, in areas
constexpr float kRight = 12;   // [design px] beside the area, for x's last number
constexpr float kPad = 3;      // [design px] of a label's ground beside its words

std::vector<double> linear_ticks(const ChartAxis& axis, int most)
{
    const double rough = (axis.high - axis.low) / most;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    const double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    std::vector<double> ticks;
    for (double k = std::ceil(axis.low / step - 1e-9); k * step <= axis.high + step * 1e-6; ++k)
    {
        ticks.push_back(k * step + 0.0); // never -0
    }
    return ticks;
}

std::vector<double> log_ticks(const ChartAxis& axis, int most)
{
    // One more than `most` still has room.
    const int every = static_cast<int>(std::ceil(std::log10(axis.high / axis.low) / (most + 1)));
    std::vector<double> fine;
    std::vector<double> decades;
    for (int k = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10, k) <= axis.high; ++k)
    {
        for (const double part : {1.0, 2.0, 5.0})
        {
            const double v = part * std::pow(10, k);
            if (v < axis.low * (1 - 1e-9) || v > axis.high * (1 + 1e-9))
            {
                continue;
            }
            fine.push_back(v);
            if (part == 1 && k % every == 0)
            {
                decades.push_back(v);
            }
        }
    }
    return fine.size() <= static_cast<std::size_t>(most) + 1 ? fine : decades;
}

std::vector<double> binary_ticks(const ChartAxis& axis, int most)
{
    const int first = static_cast<int>(std::ceil(std::log2(axis.low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(axis.high) + 1e-9));
    std::vector<double> ticks;
    for (int k = first; k <= last; k += std::max(1, (last - first + most - 1) / most))
    {
        ticks.push_back(std::exp2(k));
    }
    return ticks;
}

int ticks_within(const Painter& p, float length, float each)
{
    return std::max(2, static_cast<int>(length / p.px(each)));
}

float beyond(double share)
{
    return static_cast<float>(std::clamp(share, -kBeyond, 1 + kBeyond));
}

} // namespace

std::vector<double> chart_ticks(const ChartAxis& axis, int most)
{
    if (!(axis.high > axis.low))
    {
        return {};
    }
    most = std::max(1, most);
    return !axis.logarithmic ? linear_ticks(axis, most)
           : axis.base == 2  ? binary_ticks(axis, most)
                             : log_ticks(axis, most);
}

void Chart::cut_left(float room)
{
    left = room;
    area.cut_left(room);
}

bool Chart::drawable(const Painter& p) const
{
    return area.w > p.px(40) && area.h > p.px(24);
}

float Chart::at_x(double value) const
{
    return area.x + area.w * beyond(x.share(value));
}

float Chart::at_y(double value) const
{
    return area.bottom() - area.h * beyond(y.share(value));
}

ImVec2 Chart::at(double vx, double vy) const
{
    return {std::clamp(at_x(vx), area.x, area.right()), std::clamp(at_y(vy), area.y, area.bottom())};
}

double Chart::x_of(float pixel) const
{
    return x.at(std::clamp(static_cast<double>((pixel - area.x) / area.w), 0.0, 1.0));
}

double Chart::y_of(float pixel) const
{
    return y.at(std::clamp(static_cast<double>((area.bottom() - pixel) / area.h), 0.0, 1.0));
}

float chart_left(const Painter& p, const ChartAxis& y, const AxisWords& words)
{
    float widest = 0;
    for (const double v : chart_ticks(y, 8))
    {
        widest = std::max(widest, p.width(Type::mono_small, words(v)));
    }
    return widest + p.px(12);
}

Chart chart_in(const Painter& p, Rect whole, float left, ChartAxis x, ChartAxis y, bool below)
{
    Chart c{whole, x, y, left};
    c.area.cut_top(p.height(Type::small) + p.px(8));
    c.area.cut_bottom(below ? p.height(Type::mono_small) + p.height(Type::small) + p.px(7) : 0);
    c.area.cut_left(left);
    c.area.cut_right(p.px(kRight));
    if (c.area.w < p.px(80) || c.area.h < p.px(24))
    {
        c.area.h = 0;
    }
    return c;
}

void draw_chart_title(const Painter& p, Rect row, std::string_view title, std::string_view says)
{
    const float w = p.text_within(row.x, row.middle(), row.w, Type::small_strong, p.theme.text, title);
    if (w + p.px(12) + p.width(Type::small, says) <= row.w)
    {
        p.text(row.x + w + p.px(12), row.middle(), Type::small, p.theme.muted, says);
    }
}

void draw_chart_x(const Painter& p, const Chart& c, std::string_view title, const AxisWords& words)
{
    const Theme& t = p.theme;
    const float line = c.area.bottom() + p.height(Type::mono_small) / 2 + p.px(3);
    float taken = c.area.x - c.left;
    for (const double v : chart_ticks(c.x, ticks_within(p, c.area.w, 64)))
    {
        p.line(c.at_x(v), c.area.y, c.at_x(v), c.area.bottom(), t.grid);
        const std::string text = words ? words(v) : "";
        const float half = p.width(Type::mono_small, text) / 2;
        const float centre = std::min(c.at_x(v), c.area.right() + p.px(kRight) - half);
        if (centre - half > taken)
        {
            p.text(centre, line, Type::mono_small, t.muted, text, Align::centre);
            taken = centre + half + p.px(8);
        }
    }
    p.line(c.area.x, c.area.bottom(), c.area.right(), c.area.bottom(), t.line);
    const float below = c.area.bottom() + p.height(Type::mono_small) + p.height(Type::small) / 2 + p.px(5);
    p.text_within(c.area.x, below, c.area.w, Type::small, t.muted, title);
}

void draw_chart_y(const Painter& p, const Chart& c, std::string_view title, const AxisWords& words)
{
    const Theme& t = p.theme;
    float above = c.area.bottom() + p.px(1000);
    for (const double v : chart_ticks(c.y, ticks_within(p, c.area.h, 34)))
    {
        p.line(c.area.x, c.at_y(v), c.area.right(), c.at_y(v), t.grid);
        if (c.at_y(v) < above - p.height(Type::mono_small))
        {
            p.text(c.area.x - p.px(8), c.at_y(v), Type::mono_small, t.muted, words(v), Align::right);
            above = c.at_y(v);
        }
    }
    const float room = c.left - p.px(4);
    p.text_within(c.area.x - room, c.area.y - p.height(Type::small) / 2 - p.px(6), c.area.w + room,
                  Type::small, t.muted, title);
}

void draw_chart_line(const Painter& p, const Chart& c, std::span<const ChartPoint> points, Colour colour,
                     float thickness)
{
    p.list.PushClipRect({c.area.x, c.area.y - p.px(2)}, {c.area.right(), c.area.bottom() + p.px(1)}, true);
    std::vector<ImVec2> run;
    const auto flush = [&]
    {
        if (run.size() > 1)
        {
            p.list.AddPolyline(run.data(), static_cast<int>(run.size()), colour, 0, p.px(thickness));
        }
        run.clear();
    };
    for (const ChartPoint& point : points)
    {
        if (!std::isfinite(point.x) || !std::isfinite(point.y))
        {
            flush();
            continue;
        }
        // Points on one another would make the joint between them swell.
        const ImVec2 at{c.at_x(point.x), c.at_y(point.y)};
        if (run.empty() || std::fabs(at.x - run.back().x) >= 0.5F || std::fabs(at.y - run.back().y) >= 0.5F)
        {
            run.push_back(at);
        }
    }
    flush();
    p.list.PopClipRect();
}

void draw_chart_label(const Painter& p, Rect inside, ImVec2 at, std::string_view words, bool strong)
{
    const Type type = strong ? Type::small_strong : Type::small;
    const float w = p.width(type, words);
    if (w > inside.w)
    {
        return;
    }
    const float half = p.height(type) / 2;
    const float x = std::clamp(at.x, inside.x, inside.right() - w);
    const float y = std::clamp(at.y, inside.y + half, std::max(inside.y + half, inside.bottom() - half));
    p.fill({x - p.px(kPad), y - half, w + 2 * p.px(kPad), 2 * half}, with_alpha(p.theme.window, 0.88F));
    p.text(x, y, type, strong ? p.theme.text : p.theme.muted, words);
}

bool FreeLabels::put(const Painter& p, ImVec2 at, float distance, Type type, Colour colour,
                     std::string_view text)
{
    const float w = p.width(type, text) + 2 * p.px(kPad);
    const float h = p.height(type) + p.px(2);
    const std::array<Rect, 4> places{
        Rect{at.x + distance, at.y - h / 2, w, h}, Rect{at.x - distance - w, at.y - h / 2, w, h},
        Rect{at.x - w / 2, at.y - distance - h, w, h}, Rect{at.x - w / 2, at.y + distance, w, h}};
    for (const Rect& r : places)
    {
        const bool inside = r.x >= bounds_.x && r.right() <= bounds_.right() && r.y >= bounds_.y &&
                            r.bottom() <= bounds_.bottom();
        if (inside && write(p, r, type, colour, text))
        {
            return true;
        }
    }
    return false;
}

bool FreeLabels::put_inside(const Painter& p, float x, float middle, Type type, Colour colour,
                            std::string_view text, Align align)
{
    const float pad = p.px(kPad);
    const float w = p.width(type, text) + 2 * pad;
    const float h = p.height(type);
    const float from = align == Align::left ? x - pad : align == Align::right ? x + pad - w : x - w / 2;
    const auto held = [](float v, float low, float high) { return std::clamp(v, low, std::max(low, high)); };
    const Rect r{held(from, bounds_.x, bounds_.right() - w),
                 held(middle - h / 2, bounds_.y, bounds_.bottom() - h), w, h};
    return w <= bounds_.w && write(p, r, type, colour, text);
}

bool FreeLabels::write(const Painter& p, Rect r, Type type, Colour colour, std::string_view text)
{
    const auto on = [&](const Rect& o)
    { return r.x < o.right() && o.x < r.right() && r.y < o.bottom() && o.y < r.bottom(); };
    if (std::any_of(taken_.begin(), taken_.end(), on))
    {
        return false;
    }
    p.fill(r, with_alpha(p.theme.window, 0.88F), p.px(3));
    p.text(r.x + p.px(kPad), r.middle(), type, colour, text);
    taken_.push_back(r);
    return true;
}

ChartGrip draw_chart_grip(const Painter& p, ImVec2 at, const char* label, Colour colour)
{
    ChartGrip grip;
    const float reach = p.px(14);
    const Press pressed = press(p, {at.x - reach, at.y - reach, 2 * reach, 2 * reach}, label, 14);
    const bool lit = pressed.hovered || pressed.held;
    if (lit)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    if (pressed.held && ImGui::IsMouseDragging(0, 1))
    {
        grip.to = ImGui::GetIO().MousePos;
    }
    grip.steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
    grip.hovered = pressed.hovered;
    p.list.AddCircleFilled(at, p.px(7), p.theme.window);
    p.list.AddCircleFilled(at, p.px(lit ? 7 : 6), colour);
    p.list.AddCircle(at, p.px(lit ? 12 : 10), colour, 0, p.px(2));
    return grip;
}

Colour line_colour(const Ink& ink)
{
    return ink.edge != 0 ? ink.edge : ink.fill;
}

std::string count_words(double value)
{
    const auto scaled = [&](double unit, const char* sign)
    { return plain_number(std::round(value / unit * 1000) / 1000) + sign; };
    return value >= 1e18   ? scaled(1e18, " E")
           : value >= 1e15 ? scaled(1e15, " P")
           : value >= 1e12 ? scaled(1e12, " T")
           : value >= 1e9  ? scaled(1e9, " B")
           : value >= 1e6  ? scaled(1e6, " M")
           : value >= 1e3  ? scaled(1e3, " k")
                           : plain_number(value);
}

std::string power_words(double value)
{
    return figure(value, 1);
}

} // namespace ringside
