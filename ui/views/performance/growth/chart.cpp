#include "ui/views/performance/growth/chart.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

bool logarithmic(GrowthShows shows)
{
    return shows == GrowthShows::all;
}

// Without a power of ten, for a share as small as a toy's.
std::string percent_words(double share)
{
    const double percent = share * 100;
    return percent == 0 || percent >= 1e-4 ? fmt::format("{:.4g}%", percent)
                                           : fmt::format("{:.6f}%", percent);
}

std::string axis_words(double value, GrowthShows shows)
{
    return shows == GrowthShows::mfu ? percent_words(value)
           : value >= 1000
               ? fmt::format("{:g}{}", value >= 1e6 ? value / 1e6 : value / 1e3, value >= 1e6 ? "M" : "k")
               : fmt::format("{:g}", value);
}

std::pair<PlotAxis, PlotAxis> axes_of(const ScalingSweep& sweep, GrowthShows shows)
{
    double gpus = ScalingSweep::kMostGpus;
    double most = 0;
    double least = 1e300;
    for (const Scaling scaling : {Scaling::strong, Scaling::weak})
    {
        for (const ScalingPoint& point : sweep.of(scaling))
        {
            most = std::max(most, growth_value(point, shows));
            least = std::min(least, growth_value(point, shows));
            gpus = std::max(gpus, static_cast<double>(point.gpus()));
        }
    }
    constexpr std::array<std::string_view, 3> kNames{"MFU, attention counted", "tokens/s/GPU", "tokens/s"};
    PlotAxis y{0, most > 0 ? most * 1.12 : 1, PlotScale::linear,
               std::string(kNames.at(static_cast<std::size_t>(shows))),
               [shows](double v) { return axis_words(v, shows); }};
    if (logarithmic(shows) && most > 0)
    {
        y.scale = PlotScale::log;
        y.low = std::pow(10, std::floor(std::log10(least)));
        y.high = std::pow(10, std::ceil(std::log10(most * 1.01)));
    }
    return {{1, gpus, PlotScale::log2, "GPUs", [](double v) { return grouped(std::llround(v)); }}, y};
}

double ideal_at(const std::vector<ScalingPoint>& points, double gpus, GrowthShows shows)
{
    const double first = growth_value(points.front(), shows);
    return logarithmic(shows) ? first * gpus / static_cast<double>(points.front().gpus()) : first;
}

std::string point_tip(const ScalingPoint& point, const std::vector<ScalingPoint>& points, std::size_t at,
                      Scaling scaling)
{
    return fmt::format(
        "{} scaling, {}\n\nglobal batch {}, {} a replica\nstep {}, {} tokens/s\n"
        "MFU {}, {} of the smallest size\n{}\n\nPress to train there.",
        scaling == Scaling::strong ? "Strong" : "Weak", counted(point.gpus(), "GPU"),
        grouped(point.scenario.training.global_batch), counted(micro_batches(point.scenario), "micro-batch"),
        format_seconds(Seconds(point.step.total())), format_count(point.step.tokens_per_second()),
        format_percent(point.step.mfu()), format_percent(efficiency(points, at)),
        point.fits ? "fits in memory" : "does not fit in memory");
}

PlotPoint place_of(const ScalingPoint& point, GrowthShows shows)
{
    return {static_cast<double>(point.gpus()), growth_value(point, shows)};
}

void draw_line(const Painter& p, Plot& plot, const ScalingSweep& sweep, Scaling scaling, GrowthShows shows,
               Out& out)
{
    const auto& points = sweep.of(scaling);
    const bool strong = scaling == Scaling::strong;
    const Theme& t = p.theme;
    std::vector<PlotPoint> line;
    for (const ScalingPoint& point : points)
    {
        line.push_back(place_of(point, shows));
    }
    plot.line(line, strong ? PlotStroke{t.text, 2.5F} : PlotStroke{t.data.fill, 2},
              strong ? "strong" : "weak", true);
    for (std::size_t i = 0; i < points.size(); ++i)
    {
        const bool here = points[i].scenario == sweep.scenario();
        if (here && !strong)
        {
            continue; // the same point on both lines
        }
        if (!points[i].fits)
        {
            plot.speck(line[i], {t.warning, 3, PlotShape::cross});
        }
        const PlotDot look{points[i].fits ? t.text : t.warning, here ? 7.0F : 5.0F,
                           points[i].fits ? PlotShape::disc : PlotShape::ring, here};
        const Press pressed = plot.dot(
            line[i], look, fmt::format("###{} {} GPUs", strong ? "strong" : "weak", points[i].gpus()),
            point_tip(points[i], points, i, scaling));
        if (here)
        {
            plot.label(line[i], "now", true, 14);
        }
        else if (pressed.clicked)
        {
            out.push(ChangeScenario{points[i].scenario, false, grouped(points[i].gpus()) + " GPUs"});
        }
    }
}

// Too few for a replica, and where every replica has one micro-batch, so that no more can be used.
void draw_ends(const Painter& p, Plot& plot, const ScalingSweep& sweep)
{
    const auto least = static_cast<double>(
        std::min(sweep.of(Scaling::weak).front().gpus(), sweep.of(Scaling::strong).front().gpus()));
    plot.band_x(1, least, with_alpha(p.theme.idle_hatch, 0.35F),
                sweep.replica() > 1 ? fmt::format("one replica needs {} GPUs", grouped(sweep.replica())) : "",
                kIdleHatch);
    if (const auto end = static_cast<double>(sweep.strong_end()); end <= plot.x.high)
    {
        plot.rule_x(end, {p.theme.muted, 1, true},
                    fmt::format("batch used up: {}, 1 micro-batch each",
                                counted(sweep.strong_end() / sweep.replica(), "replica")));
    }
}

} // namespace

double growth_value(const ScalingPoint& point, GrowthShows shows)
{
    switch (shows)
    {
    case GrowthShows::mfu:
        return point.step.mfu();
    case GrowthShows::per_gpu:
        return point.tokens_per_gpu();
    case GrowthShows::all:
        break;
    }
    return point.step.tokens_per_second();
}

void draw_growth_chart(const Painter& p, Rect area, const ScalingSweep& sweep, GrowthShows shows, Out& out)
{
    const auto& weak = sweep.of(Scaling::weak);
    const auto& strong = sweep.of(Scaling::strong);
    if (weak.empty() || strong.empty())
    {
        return;
    }
    const auto [gpus, values] = axes_of(sweep, shows);
    const auto fits = [](const ScalingPoint& point) { return point.fits; };
    const bool all = std::ranges::all_of(weak, fits) && std::ranges::all_of(strong, fits);
    Plot plot(p, area, gpus, values,
              {.title = "Strong and weak scaling",
               .says = all ? "" : "\u2715 does not fit in memory",
               .names = 76});
    if (!plot)
    {
        return;
    }
    draw_ends(p, plot, sweep);
    const auto first = static_cast<double>(strong.front().gpus());
    const auto ideal = [&](double n) { return ideal_at(strong, n, shows); };
    plot.line({{first, ideal(first)}, {plot.x.high, ideal(plot.x.high)}}, {p.theme.muted, 1, true}, "ideal");
    draw_line(p, plot, sweep, Scaling::weak, shows, out);
    draw_line(p, plot, sweep, Scaling::strong, shows, out);
}

} // namespace ringside
