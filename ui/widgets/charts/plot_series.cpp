#include "ui/widgets/charts/plot_series.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <cmath>

namespace ringside
{

std::optional<double> draw_series(const Painter& p, Rect area, const PlotFrame& frame, const char* id,
                                  PlotAxis values, std::size_t step, std::span<const PlotSeries> all)
{
    const auto last = static_cast<double>(std::max<std::size_t>(2, all.front().values.size()) - 1);
    Plot plot(p, area, {0, last, PlotScale::linear, "", [](double v) { return fmt::format("{:g}", v); }},
              std::move(values), frame);
    if (!plot)
    {
        return std::nullopt;
    }
    const auto now = static_cast<double>(step);
    plot.rule_x(now, {p.theme.text, 1});
    for (const PlotSeries& s : all)
    {
        plot.line(series(s.values), s.stroke, fmt::format("{}  {}", s.name, three_digits(s.values.back())),
                  s.chosen);
    }
    for (const PlotSeries& s : all)
    {
        if (s.chosen && step < s.values.size())
        {
            plot.dot({now, s.values[step]}, {s.stroke.colour, 4});
        }
    }
    const PlotField field = plot.field(id);
    const double to = std::round(field.at.x);
    return field.held && to != now ? std::optional(to) : std::nullopt;
}

} // namespace ringside
