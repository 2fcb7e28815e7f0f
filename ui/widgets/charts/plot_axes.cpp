// The axes of a chart: rules across and along it, numbers, titles.
#include "ui/widgets/charts/plot_axes.h"

#include "ui/widgets/charts/curve_board.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kNumber = 13;  // [design px] from y's numbers to the area: a handle at its edge has room
constexpr float kNumberX = 64; // [design px] that a number of x takes
constexpr float kNumberY = 34;

int ticks_within(const Painter& p, float length, float each)
{
    return std::max(2, static_cast<int>(length / p.px(each)));
}

} // namespace

int ticks_along_x(const Painter& p, float wide)
{
    return ticks_within(p, wide, kNumberX);
}

int ticks_along_y(const Painter& p, float high)
{
    return ticks_within(p, high, kNumberY);
}

float plot_left(const Painter& painter, const PlotAxis& y, int most)
{
    if (!y.words)
    {
        return 0;
    }
    const Look look = axes_look(painter);
    const Painter p(painter.list.raw, look, painter.parts);
    float widest = 0;
    for (const std::string& number : axis_numbers(axis_ticks(y, most), y))
    {
        widest = std::max(widest, p.width(Type::mono_small, number));
    }
    return widest + p.px(kNumber + 4);
}

void Plot::draw_x(float least) const
{
    const Look look = axes_look(p_);
    const Painter p(p_.list.raw, look, p_.parts);
    const Theme& t = p.theme;
    const float line = area.bottom() + p.height(Type::mono_small) / 2 + p.px(3);
    float taken = -1e9F;
    const auto ticks = x.words ? axis_ticks(x, ticks_along_x(p, area.w)) : std::vector<double>();
    const auto numbers = axis_numbers(ticks, x);
    for (std::size_t i = 0; i < ticks.size(); ++i)
    {
        const float at = at_x(ticks[i]);
        p.line(at, area.y, at, area.bottom(), t.grid);
        const float half = p.width(Type::mono_small, numbers[i]) / 2;
        // The first number stays off that of y at the corner.
        const float centre = std::max(
            {std::min(at, area.right() + p.px(kBesideAxis) - half), least + half, area.x + half - p.px(6)});
        if (centre - half > taken)
        {
            p.text(centre, line, Type::mono_small, t.muted, numbers[i], Align::centre);
            taken = centre + half + p.px(8);
        }
    }
    p.line(area.x, area.bottom(), area.right(), area.bottom(), t.line);
    const float below =
        area.bottom() + (x.words ? p.height(Type::mono_small) : 0) + p.height(Type::small) / 2 + p.px(5);
    p.text_within(area.x, below, area.w, Type::small, t.muted, x.title);
}

void draw_axis_y(const Painter& painter, Rect area, const PlotAxis& y, float left)
{
    const Look look = axes_look(painter);
    const Painter p(painter.list.raw, look, painter.parts);
    const Theme& t = p.theme;
    float above = area.bottom() + p.px(1000);
    const auto ticks = y.words ? axis_ticks(y, ticks_along_y(p, area.h)) : std::vector<double>();
    const auto numbers = axis_numbers(ticks, y);
    for (std::size_t i = 0; i < ticks.size(); ++i)
    {
        const float at = area.bottom() - area.h * static_cast<float>(y.share(ticks[i]));
        p.line(area.x, at, area.right(), at, t.grid);
        if (at < above - p.height(Type::mono_small))
        {
            p.text(area.x - p.px(kNumber), at, Type::mono_small, t.muted, numbers[i], Align::right);
            above = at;
        }
    }
    const float room = std::max(0.0F, left - p.px(4));
    p.text_within(area.x - room, area.y - p.height(Type::small) / 2 - p.px(9), area.w + room, Type::small,
                  t.muted, y.title);
}

void draw_grid(const Painter& p, const Plot& plot)
{
    const Rect a = plot.area;
    for (const double v : plot.x.words ? axis_ticks(plot.x, ticks_along_x(p, a.w)) : std::vector<double>())
    {
        p.line(plot.at_x(v), a.y, plot.at_x(v), a.bottom(), p.theme.grid);
    }
    for (const double v : plot.y.words ? axis_ticks(plot.y, ticks_along_y(p, a.h)) : std::vector<double>())
    {
        p.line(a.x, plot.at_y(v), a.right(), plot.at_y(v), p.theme.grid);
    }
    p.line(a.x, a.bottom(), a.right(), a.bottom(), p.theme.line);
}

} // namespace ringside
