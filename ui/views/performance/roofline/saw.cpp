// The rate of a product over its number of rows: up along a tile, down where the next one is begun.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/performance/roofline/pages.h"
#include "ui/widgets/charts/plot.h"

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

} // namespace

void draw_saw(const RooflineRoom& r, Rect area, const RooflineSheet& sheet)
{
    const Painter& p = r.p;
    RooflineState& state = r.state;
    const Theme& t = p.theme;
    const ProductDetail d = sheet.product(state);
    const double reach = reach_of(state, d.product.rows);
    const std::string says =
        fmt::format("N = {}, K = {}", plain_number(d.product.cols), plain_number(d.product.inner));
    Plot plot(
        p, area, {0, reach, PlotScale::linear, "", plain_number},
        {0, d.peak * 1.08, PlotScale::linear, "", [](double v) { return plain_number(v / 1e12) + " T"; }},
        {.title = "Throughput vs M", .note = says, .part = "saw", .names = 140});
    if (!plot)
    {
        return;
    }
    plot.line({{0, d.peak}, {reach, d.peak}}, {t.forward, 2}, flop_rate_words(d.peak) + " peak");
    plot.line({{0, d.peak * d.reached}, {reach, d.peak * d.reached}}, {t.muted, 1.5F, true},
              format_percent(d.reached) + " in full waves");
    std::vector<PlotPoint> line;
    for (const ProductDetail& each : sheet.saw(state, teeth(reach)))
    {
        line.push_back({each.product.rows, each.rate()});
    }
    plot.line(line, {t.forward, 2.5F});
    plot.line({{d.product.rows, 0}, {d.product.rows, d.rate()}}, {t.text, 1, true});
    const PlotMove grip =
        plot.grip({d.product.rows, d.rate()}, "###rows of the product",
                  fmt::format("M {}: {}, {}", plain_number(std::round(d.product.rows)),
                              flop_rate_words(d.rate()), format_seconds(Seconds(d.seconds))));
    if (const auto to = grip.x(1))
    {
        Product moved = d.product;
        moved.rows = std::round(std::min(kRooflineRows.clamped(*to), reach));
        state.moved = moved;
        r.out.animating = true;
    }
    else if (grip.hovered)
    {
        tooltip(p, "Drag, or arrow keys: one more row can start a new tile, and one more tile a new wave");
    }
}

} // namespace ringside
