#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/memory/offload/pictures.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::vector<PlotPoint> line_of(const std::vector<TokenPoint>& curve, double TokenPoint::*value)
{
    std::vector<PlotPoint> points;
    for (const TokenPoint& point : curve)
    {
        points.push_back({point.tokens, point.*value});
    }
    return points;
}

PlotAxis times_of(const OffloadReport& r, const std::vector<TokenPoint>& curve)
{
    const double first = curve.front().compute;
    const double last = curve.back().total;
    const double low = std::max((r.transfer > 0 ? std::min(first, r.transfer) : first) / 1.5, last * 1e-7);
    return {low, std::max(last * 1.4, low * 10), PlotScale::log, "step time of one GPU", tick_seconds};
}

} // namespace

std::optional<ChangeScenario> draw_tokens(const Painter& p, Rect area, const OffloadCases& cases)
{
    const std::vector<TokenPoint>& curve = cases.curve;
    if (curve.size() < 2 || curve.back().tokens <= curve.front().tokens)
    {
        return std::nullopt;
    }
    const Theme& t = p.theme;
    const OffloadReport& r = cases.timed();
    Plot plot(
        p, area,
        {curve.front().tokens, curve.back().tokens, PlotScale::log, "tokens per GPU per step", count_words},
        times_of(r, curve));
    if (!plot)
    {
        return std::nullopt;
    }
    // Time that cannot hide: left of the break-even.
    plot.band_x(plot.x.low, plot.x.clamped(r.break_even()), with_alpha(t.data.fill, 0.22F), "transfer-bound",
                kExposedHatch);
    plot.rule_y(r.transfer, {t.data, 2}, "transfers " + format_seconds(Seconds(r.transfer)));
    plot.line(line_of(curve, &TokenPoint::compute), {t.forward, 2}, "compute", true);
    plot.line(line_of(curve, &TokenPoint::total), {t.text, 2.5F}, "step", true);
    if (r.break_even() >= plot.x.low && r.break_even() <= plot.x.high)
    {
        plot.rule_x(r.break_even(), {t.text, 1, true},
                    fmt::format("break-even {}", format_count(r.break_even())));
        plot.dot({r.break_even(), r.transfer}, {t.text, 5, PlotShape::ring});
    }
    plot.dot({r.tokens, r.total}, {t.text, 7.5F});
    plot.label({r.tokens, r.total},
               fmt::format("{}, {}", format_count(r.tokens), format_seconds(Seconds(r.total))), true, 12);
    const PlotMove move = plot.rule_x(r.tokens, {t.text, 1}, "", "###tokens of a step");
    if (move.to || move.steps != 0)
    {
        Scenario next = move.to ? with_tokens(cases.scenario, move.to->x)
                                : with_tokens_stepped(cases.scenario, move.steps);
        return next == cases.scenario ? std::nullopt
                                      : std::optional(ChangeScenario{std::move(next), !!move.to});
    }
    tooltip(p, offloads_weights(r.options.placement)
                   ? "Drag: larger micro-batches, more tokens per fetched weight"
                   : "Drag: more micro-batches, more tokens per update");
    return std::nullopt;
}

} // namespace ringside
