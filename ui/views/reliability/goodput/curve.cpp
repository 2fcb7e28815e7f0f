#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/reliability/goodput/pictures.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kSnap = 0.06; // share of the best interval within which a drag takes it

std::pair<PlotAxis, PlotAxis> axes_of(const std::vector<IntervalPoint>& points)
{
    double best = 1;
    for (const IntervalPoint& point : points)
    {
        best = std::min(best, point.loss);
    }
    return {{points.front().interval,
             points.back().interval,
             PlotScale::log,
             "",
             tick_seconds,
             {0.1, 1, 10, 60, 300, 1800, 7200, 21600, 86400, 345600, 1.2096e6, 5.184e6, 3.1536e7, 1.2e8, 1e9,
              1e10}},
            {0, std::clamp(best * 3, 1e-4, 1.0), PlotScale::linear, "",
             [](double share) { return share == 0 ? "0" : plain_number(share * 100) + "%"; }}};
}

} // namespace

std::optional<double> draw_interval_curve(const Painter& p, Rect area, const RunDesk& desk)
{
    const auto& points = desk.curve();
    if (points.size() < 2)
    {
        return std::nullopt;
    }
    const auto [intervals, shares] = axes_of(points);
    Plot plot(p, area, intervals, shares, {.title = "Lost time vs checkpoint interval"});
    if (!plot)
    {
        return std::nullopt;
    }
    const Theme& t = p.theme;
    const auto line = [&](double IntervalPoint::*value, PlotStroke stroke, const char* name, bool strong)
    {
        std::vector<PlotPoint> values;
        for (const IntervalPoint& point : points)
        {
            values.push_back({point.interval, point.*value});
        }
        plot.line(values, stroke, name, strong);
    };
    line(&IntervalPoint::saving, {t.of(Component::variance).fill, 2}, "checkpointing", false);
    line(&IntervalPoint::lost, {t.forward.fill, 2}, "lost work", false);
    line(&IntervalPoint::loss, {t.text, 2.5F}, "total", true);
    // Where the formula has it, and where it is best.
    const RunRates& r = desk.rates();
    if (std::abs(std::log(r.young_s / r.best_s)) > 0.08 && r.young_s > intervals.low)
    {
        plot.rule_x(r.young_s, {t.muted, 1, true});
    }
    const bool own = std::abs(r.interval_s / r.best_s - 1) <= 1e-9;
    plot.rule_x(r.best_s, {t.text, 1, true}, own ? "" : fmt::format("best {}", say_time(r.best_s)));
    const double loss = 1 - desk.expected().useful();
    const PlotMove grip = plot.grip({r.interval_s, loss}, "###interval between checkpoints",
                                    fmt::format("{}: {}", say_time(r.interval_s), format_percent(loss)));
    if (grip.hovered && !grip.to)
    {
        tooltip(p, "Drag: training time between two checkpoints. Arrow keys step.");
    }
    const auto to = grip.x(1.25);
    return grip.to && std::abs(*to / r.best_s - 1) < kSnap ? 0
           : to                                            ? std::optional(intervals.held(*to))
                                                           : std::nullopt;
}

} // namespace ringside
