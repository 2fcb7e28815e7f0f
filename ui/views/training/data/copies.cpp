#include "ui/views/training/data/copies.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kBandsAt = 0.5; // the chance at which a grip sits on the curve
constexpr double kRowsAt = 0.95;

std::string percent_words(double value)
{
    return fmt::format("{:.0f}%", value * 100);
}

// The similarity that is found with this chance.
double similarity_at(double found, double rows, double bands)
{
    return std::pow(-std::expm1(std::log1p(-found) / bands), 1 / rows);
}

std::vector<PlotPoint> curve_of(double rows, double bands)
{
    return sampled(
        {}, [&](double s) { return duplicate_found(s, rows, bands); }, 200);
}

// Below the target all that is found is thrown away though it is different, above it what is missed stays.
void shade(const Painter& p, Plot& plot, const std::vector<PlotPoint>& own, double target)
{
    const auto split = std::ranges::find_if(own, [&](const PlotPoint& v) { return v.x >= target; });
    const Colour colour = p.theme.of(Component::buffers).fill;
    plot.fill_below(std::span(own.begin(), split), with_alpha(colour, 0.3F));
    std::vector<PlotPoint> top(split, own.end());
    for (PlotPoint& v : top)
    {
        v.y = 1;
    }
    plot.fill(std::span(split, own.end()), top, with_alpha(colour, 0.16F));
}

} // namespace

void draw_copies(const Painter& p, Rect area, DataState& state, Out& out)
{
    Plot plot(
        p, area,
        {0, 1, PlotScale::linear, "similarity of two documents (Jaccard, of their 5-grams)", percent_words},
        {0, 1, PlotScale::linear, "probability of being flagged as near-duplicates", percent_words},
        {.part = "copies"});
    if (!plot)
    {
        return;
    }
    const double target = duplicate_threshold(state.rows, state.bands);
    const auto own = curve_of(state.rows, state.bands);
    shade(p, plot, own, target);
    plot.rule_x(target, {p.theme.muted, 1, true});
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        const auto r = static_cast<double>(known.rows);
        const auto b = static_cast<double>(known.bands);
        plot.line(curve_of(r, b), {p.theme.muted, 1.5F});
        if (r != state.rows || b != state.bands)
        {
            plot.label({similarity_at(0.2, r, b), 0.2}, std::string(known.name));
        }
    }
    plot.line(own, {line_colour(p.theme.forward), 3});
    plot.label({std::max(0.0, similarity_at(0.1, state.rows, state.bands) - 0.3), 0.1}, "false positives",
               false, 4);
    plot.label({target, 0.98}, "missed", false, 4);
    const PlotMove bands =
        plot.grip({similarity_at(kBandsAt, state.rows, state.bands), kBandsAt}, "###bands on the curve",
                  fmt::format("{} bands", grouped(std::llround(state.bands))));
    tooltip(p, "Drag: more bands find less similar pairs");
    const PlotMove rows =
        plot.grip({similarity_at(kRowsAt, state.rows, state.bands), kRowsAt}, "###rows on the curve",
                  fmt::format("{} hashes in each", grouped(std::llround(state.rows))));
    tooltip(p, "Drag: more hashes in a band ask for more, and make the step steeper");
    if (bands.to || bands.steps != 0)
    {
        const double wish =
            bands.to ? bands_for(bands.to->x, kBandsAt, state.rows) : state.bands + bands.steps;
        state.bands = std::clamp(std::round(wish), 1.0, kMostBands);
        out.animating = true;
    }
    if (rows.to || rows.steps != 0)
    {
        const double wish = rows.to ? rows_for(rows.to->x, kRowsAt, state.bands) : state.rows + rows.steps;
        state.rows = std::clamp(std::round(wish), 1.0, kMostRows);
        out.animating = true;
    }
}

} // namespace ringside
