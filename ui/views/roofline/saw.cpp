// The rate of a product over its number of rows: up along a tile, down where the next one is begun.
#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/roofline/pictures.h"
#include "ui/widgets/chart.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kTooth = 64;      // rows of the smallest tile: no tooth is narrower
constexpr double kMostTeeth = 400; // drawn
constexpr double kLeastReach = 4096;

// A power of two beyond what is on show. It only grows, so that nothing slips away under a drag.
double reach_of(RooflineState& state, double rows)
{
    state.reach = std::max({state.reach, kLeastReach, std::exp2(std::ceil(std::log2(rows * 1.15)))});
    return state.reach;
}

std::vector<double> teeth(double reach)
{
    const double step = kTooth * std::max(1.0, std::ceil(reach / kTooth / kMostTeeth));
    std::vector<double> rows{1};
    for (double m = step; m <= reach; m += step)
    {
        rows.push_back(m);
        rows.push_back(m + 1);
    }
    return rows;
}

Chart chart_of(const Painter& p, Rect area, double reach, double peak)
{
    Chart g;
    g.area = area;
    g.cut_left(p.width(Type::mono_small, "0 000 T") + p.px(12));
    g.area.cut_right(p.px(20));
    g.area.cut_top(p.px(26));
    g.area.cut_bottom(p.height(Type::mono_small) + p.px(10));
    g.x = {0, reach};
    g.y = {0, peak * 1.08};
    return g;
}

void draw_limits(const Painter& p, const Chart& g, const ProductDetail& d)
{
    const Theme& t = p.theme;
    p.line(g.area.x, g.at_y(d.peak), g.area.right(), g.at_y(d.peak), line_colour(t.forward), p.px(2));
    p.dashed(g.area.x, g.at_y(d.peak * d.reached), g.area.right(), g.at_y(d.peak * d.reached), t.muted,
             p.px(1.5F));
    if (g.at_y(d.peak * d.reached) - g.at_y(d.peak) > 2.5F * p.height(Type::small))
    {
        draw_chart_label(p, g.area,
                         {g.area.right() - p.px(4) - p.width(Type::small, "peak"), g.at_y(d.peak) + p.px(12)},
                         "peak");
    }
    const std::string full = fmt::format("full waves, {}", format_percent(d.reached));
    draw_chart_label(
        p, g.area,
        {g.area.right() - p.px(4) - p.width(Type::small, full), g.at_y(d.peak * d.reached) - p.px(12)}, full);
}

} // namespace

void draw_saw(const Painter& p, Rect area, RooflineState& state, const RooflineSheet& sheet, Out& out)
{
    const ProductDetail d = sheet.product(state);
    const double reach = reach_of(state, d.product.rows);
    draw_chart_title(
        p, {area.x, area.y, area.w, p.px(20)}, "Rate over the rows M",
        fmt::format("N = {}, K = {}", plain_number(d.product.cols), plain_number(d.product.inner)));
    const Chart g = chart_of(p, area, reach, d.peak);
    if (!g.drawable(p))
    {
        return;
    }
    p.part("saw", area);
    draw_chart_y(p, g, "", [](double v) { return plain_number(v / 1e12) + " T"; });
    draw_chart_x(p, g, "", [](double v) { return plain_number(v); });
    draw_limits(p, g, d);
    std::vector<ChartPoint> line;
    for (const ProductDetail& each : sheet.saw(state, teeth(reach)))
    {
        line.push_back({each.product.rows, each.rate()});
    }
    draw_chart_line(p, g, line, line_colour(p.theme.forward), 2.5F);
    const ImVec2 at = g.at(d.product.rows, d.rate());
    p.dashed(at.x, at.y, at.x, g.area.bottom(), p.theme.text);
    const ChartGrip grip = draw_chart_grip(p, at, "###rows of the product", p.theme.text);
    draw_chart_label(p, g.area, {at.x + p.px(14), at.y + p.px(18)},
                     fmt::format("M {}: {}, {}", plain_number(std::round(d.product.rows)),
                                 flop_rate_words(d.rate()), format_seconds(Seconds(d.seconds))),
                     true);
    if (grip.to || grip.steps != 0)
    {
        const double rows = grip.to ? g.x_of(ImGui::GetIO().MousePos.x) : d.product.rows + grip.steps;
        Product moved = d.product;
        moved.rows = std::round(std::min(kRooflineRows.held(rows), reach));
        state.moved = moved;
        out.animating = true;
    }
    else if (grip.hovered)
    {
        tooltip(p, "Drag, or arrow keys: one row more can begin a tile, and a tile a wave");
    }
}

} // namespace ringside
