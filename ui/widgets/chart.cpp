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

namespace
{

std::vector<double> linear_ticks(const ChartAxis& axis, int most)
{
    const double rough = (axis.high - axis.low) / std::max(1, most);
    const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-12))));
    const double ratio = rough / power;
    const double step = power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
    std::vector<double> ticks;
    for (double v = std::ceil(axis.low / step - 1e-9) * step; v <= axis.high + step * 1e-6; v += step)
    {
        ticks.push_back(std::fabs(v) < step * 1e-6 ? 0 : v);
    }
    return ticks;
}

std::vector<double> log_ticks(const ChartAxis& axis, int most)
{
    const double decades = std::log10(axis.high / axis.low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, most))));
    const bool parts = decades * 3 <= most;
    std::vector<double> ticks;
    for (int k = static_cast<int>(std::floor(std::log10(axis.low))); std::pow(10, k) <= axis.high; ++k)
    {
        for (const double part : {1.0, 2.0, 5.0})
        {
            const double v = part * std::pow(10, k);
            const bool wanted = part == 1 ? k % every == 0 : parts;
            if (wanted && v >= axis.low * (1 - 1e-9) && v <= axis.high * (1 + 1e-9))
            {
                ticks.push_back(v);
            }
        }
    }
    return ticks;
}

} // namespace

std::vector<double> chart_ticks(const ChartAxis& axis, int most)
{
    return axis.logarithmic ? log_ticks(axis, most) : linear_ticks(axis, most);
}

float Chart::at_x(double value) const
{
    return area.x + area.w * static_cast<float>(std::clamp(x.share(value), -1.0, 2.0));
}

float Chart::at_y(double value) const
{
    return area.bottom() - area.h * static_cast<float>(std::clamp(y.share(value), -1.0, 2.0));
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

Rect chart_area(const Painter& p, Rect area, float left, float right)
{
    area.cut_top(p.height(Type::small) + p.px(8));
    area.cut_bottom(p.height(Type::mono_small) + p.height(Type::small) + p.px(10));
    area.cut_left(left);
    area.cut_right(right);
    if (area.w < p.px(80) || area.h < p.px(60))
    {
        area.h = 0;
    }
    return area;
}

void draw_chart_x(const Painter& p, const Chart& c, std::string_view title, AxisWords words)
{
    const Theme& t = p.theme;
    const float line = c.area.bottom() + p.height(Type::mono_small) / 2 + p.px(3);
    float taken = c.area.x - p.px(40);
    for (const double v : chart_ticks(c.x, static_cast<int>(c.area.w / p.px(64))))
    {
        p.line(c.at_x(v), c.area.y, c.at_x(v), c.area.bottom(), t.grid);
        const std::string text = words(v);
        const float half = p.width(Type::mono_small, text) / 2;
        if (c.at_x(v) - half > taken && c.at_x(v) + half < c.area.right() + p.px(20))
        {
            p.text(c.at_x(v), line, Type::mono_small, t.muted, text, Align::centre);
            taken = c.at_x(v) + half + p.px(8);
        }
    }
    p.line(c.area.x, c.area.bottom(), c.area.right(), c.area.bottom(), t.line);
    const float below = c.area.bottom() + p.height(Type::mono_small) + p.height(Type::small) / 2 + p.px(5);
    p.text_within(c.area.x, below, c.area.w, Type::small, t.muted, title);
}

void draw_chart_y(const Painter& p, const Chart& c, std::string_view title, AxisWords words)
{
    const Theme& t = p.theme;
    float above = c.area.bottom() + p.px(1000);
    for (const double v : chart_ticks(c.y, static_cast<int>(c.area.h / p.px(36))))
    {
        p.line(c.area.x, c.at_y(v), c.area.right(), c.at_y(v), t.grid);
        if (c.at_y(v) < above - p.height(Type::mono_small))
        {
            p.text(c.area.x - p.px(8), c.at_y(v), Type::mono_small, t.muted, words(v), Align::right);
            above = c.at_y(v);
        }
    }
    p.text_within(c.area.x - p.px(56), c.area.y - p.height(Type::small) / 2 - p.px(6), c.area.w + p.px(56),
                  Type::small, t.muted, title);
}

void draw_chart_line(const Painter& p, const Chart& c, std::span<const ImVec2> points, Colour colour,
                     float thickness)
{
    p.list.PushClipRect(c.area.min(), {c.area.right(), c.area.bottom() + 1}, true);
    std::vector<ImVec2> run;
    const auto flush = [&]
    {
        if (run.size() > 1)
        {
            p.list.AddPolyline(run.data(), static_cast<int>(run.size()), colour, 0, thickness);
        }
        run.clear();
    };
    for (const ImVec2& point : points)
    {
        if (std::isfinite(point.x) && std::isfinite(point.y))
        {
            run.push_back(point);
        }
        else
        {
            flush();
        }
    }
    flush();
    p.list.PopClipRect();
}

bool FreeLabels::free(Rect r) const
{
    const bool inside = r.x >= bounds_.x && r.right() <= bounds_.right() && r.y >= bounds_.y &&
                        r.bottom() <= bounds_.bottom();
    return inside && std::none_of(taken_.begin(), taken_.end(),
                                  [&](const Rect& o) {
                                      return r.x < o.right() && o.x < r.right() && r.y < o.bottom() &&
                                             o.y < r.bottom();
                                  });
}

bool FreeLabels::put(const Painter& p, ImVec2 at, float distance, Type type, Colour colour,
                     std::string_view text)
{
    const float w = p.width(type, text) + p.px(6);
    const float h = p.height(type) + p.px(2);
    const std::array<Rect, 4> places{
        Rect{at.x + distance, at.y - h / 2, w, h}, Rect{at.x - distance - w, at.y - h / 2, w, h},
        Rect{at.x - w / 2, at.y - distance - h, w, h}, Rect{at.x - w / 2, at.y + distance, w, h}};
    const auto place = std::find_if(places.begin(), places.end(), [&](const Rect& r) { return free(r); });
    if (place == places.end())
    {
        return false;
    }
    p.fill(*place, with_alpha(p.theme.window, 0.8F), p.px(3));
    p.text(place->x + p.px(3), place->middle(), type, colour, text);
    taken_.push_back(*place);
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
    return value >= 1e12  ? scaled(1e12, " T")
           : value >= 1e9 ? scaled(1e9, " B")
           : value >= 1e6 ? scaled(1e6, " M")
           : value >= 1e3 ? scaled(1e3, " k")
                          : plain_number(value);
}

std::string power_words(double value)
{
    return figure(value, 1);
}

} // namespace ringside
