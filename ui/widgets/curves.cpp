#include "ui/widgets/curves.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct Plot
{
    Rect area;
    float most;
    std::size_t steps;

    float x(std::size_t step) const
    {
        return area.x +
               area.w * static_cast<float>(step) / static_cast<float>(std::max<std::size_t>(1, steps - 1));
    }
    float y(float value) const { return area.bottom() - area.h * std::clamp(value / most, 0.0F, 1.0F); }
};

Colour colour_of(const Theme& t, CurveStyle style, Colour ink)
{
    return style == CurveStyle::chosen ? (ink != 0 ? ink : t.of(Component::gradients).fill)
           : style == CurveStyle::base ? t.text
                                       : t.muted;
}

void draw_line(const Painter& p, const Plot& plot, const Curve& curve, Colour ink)
{
    const Colour colour = colour_of(p.theme, curve.style, ink);
    if (curve.style == CurveStyle::base)
    {
        // Dashes of a fixed length along the curve, by the step.
        for (std::size_t i = 0; i + 1 < curve.values.size(); ++i)
        {
            if (i / 2 % 2 == 0)
            {
                p.line(plot.x(i), plot.y(curve.values[i]), plot.x(i + 1), plot.y(curve.values[i + 1]), colour,
                       p.px(1.5F));
            }
        }
        return;
    }
    std::vector<ImVec2> points;
    for (std::size_t i = 0; i < curve.values.size(); ++i)
    {
        points.emplace_back(plot.x(i), plot.y(curve.values[i]));
    }
    p.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0,
                       p.px(curve.style == CurveStyle::chosen ? 2.5F : 1.5F));
}

// Names beside the right ends, kept apart, the whole stack inside the chart.
void draw_names(const Painter& p, const Plot& plot, std::span<const Curve> curves, float room)
{
    std::vector<std::pair<float, const Curve*>> ends;
    for (const Curve& c : curves)
    {
        ends.emplace_back(plot.y(c.values.back()), &c);
    }
    std::sort(ends.begin(), ends.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const float pitch = p.height(Type::small) + p.px(1);
    float last = plot.area.y - pitch;
    for (auto& [y, c] : ends)
    {
        last = y = std::max(y, last + pitch);
    }
    float limit = plot.area.bottom();
    for (std::size_t i = ends.size(); i > 0; --i)
    {
        float& y = ends[i - 1].first;
        y = std::min(y, limit);
        limit = y - pitch;
    }
    for (const auto& [y, c] : ends)
    {
        if (y < plot.area.y - pitch)
        {
            continue;
        }
        const bool chosen = c->style == CurveStyle::chosen;
        const float x = plot.area.right() + p.px(8);
        const float number = p.width(Type::mono_small, c->says);
        p.text(plot.area.right() + room, y, Type::mono_small, chosen ? p.theme.text : p.theme.muted, c->says,
               Align::right);
        p.text_within(x, y, room - p.px(14) - number, chosen ? Type::small_strong : Type::small,
                      chosen ? p.theme.text : p.theme.muted, c->name);
    }
}

void draw_axes(const Painter& p, const Plot& plot)
{
    const Theme& t = p.theme;
    const double rough = static_cast<double>(plot.most) / 3;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    const double step = power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
    const bool roomy = plot.area.h > p.px(60);
    for (double v = 0; v <= static_cast<double>(plot.most); v += step)
    {
        const float y = plot.y(static_cast<float>(v));
        p.line(plot.area.x, y, plot.area.right(), y, v == 0 ? t.line : t.grid);
        if (v == 0 || roomy)
        {
            p.text(plot.area.x - p.px(8), y, Type::mono_small, t.muted, plain_number(v), Align::right);
        }
    }
}

} // namespace

std::optional<std::size_t> draw_curves(const Painter& p, Rect area, const CurveChart& chart,
                                       std::span<const Curve> curves)
{
    const Rect head = area.cut_top(p.px(26));
    const float title = std::min(p.width(Type::body_strong, chart.title), head.w);
    p.text_within(head.x, head.middle(), head.w, Type::body_strong, p.theme.text, chart.title);
    if (title + p.px(10) + p.width(Type::small, chart.unit) <= head.w)
    {
        p.text(head.x + title + p.px(10), head.middle(), Type::small, p.theme.muted, chart.unit);
    }
    area.cut_top(p.px(8));
    area.cut_bottom(p.px(10));
    area.cut_left(p.px(40));
    float room = p.px(64);
    for (const Curve& c : curves)
    {
        room = std::max(room,
                        p.width(Type::small_strong, c.name) + p.width(Type::mono_small, c.says) + p.px(20));
    }
    room = std::min(room, area.w / 2);
    area.cut_right(room);
    const Plot plot{area, chart.most, curves.front().values.size()};
    if (area.w < p.px(24) || area.h < p.px(16))
    {
        return std::nullopt;
    }
    draw_axes(p, plot);
    for (const Curve& c : curves)
    {
        draw_line(p, plot, c, chart.ink);
    }
    const float x = plot.x(chart.step);
    p.line(x, area.y, x, area.bottom(), p.theme.text);
    for (const Curve& c : curves)
    {
        if (c.style != CurveStyle::base)
        {
            p.list.AddCircleFilled({x, plot.y(c.values[chart.step])}, p.px(4),
                                   colour_of(p.theme, c.style, chart.ink));
            p.list.AddCircle({x, plot.y(c.values[chart.step])}, p.px(4), p.theme.window);
        }
    }
    draw_names(p, plot, curves, room);
    const Press pressed = press(p, area, std::string(chart.id).c_str(), 3);
    if (!pressed.held)
    {
        return std::nullopt;
    }
    const float share = std::clamp((ImGui::GetIO().MousePos.x - area.x) / area.w, 0.0F, 1.0F);
    return static_cast<std::size_t>(std::lround(share * static_cast<float>(plot.steps - 1)));
}

} // namespace ringside
