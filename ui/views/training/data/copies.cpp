// How surely MinHash with bands takes two documents for near-duplicates, by their similarity.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "ui/views/training/data/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kMostRows = 40;
constexpr double kMostBands = 1000;
constexpr double kBandsAt = 0.5; // the chance at which a grip sits on the curve
constexpr double kRowsAt = 0.95;

std::string percent_words(double value)
{
    return fmt::format("{:.0f}%", value * 100);
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
    const auto missed = std::span(own).last(static_cast<std::size_t>(own.end() - split));
    const Colour colour = p.theme.of(Component::buffers).fill;
    plot.fill_below(std::span(own).first(own.size() - missed.size()), with_alpha(colour, 0.3F));
    std::vector<PlotPoint> top(missed.begin(), missed.end());
    for (PlotPoint& v : top)
    {
        v.y = 1;
    }
    plot.fill(missed, top, with_alpha(colour, 0.16F));
}

void draw_copies(const DataRoom& r)
{
    const Painter& p = r.p;
    DataState& state = r.state;
    Plot plot(p, r.area,
              {0, 1, PlotScale::linear, "Jaccard similarity of two documents (5-grams)", percent_words},
              {0, 1, PlotScale::linear, "probability of being flagged as near-duplicates", percent_words},
              {.part = "copies"});
    if (!plot)
    {
        return;
    }
    const double target = duplicate_threshold(state.rows, state.bands);
    const auto own = curve_of(state.rows, state.bands);
    shade(p, plot, own, target);
    plot.rule_x(target, {p.theme.muted, 1, true}, "threshold " + format_percent(target));
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        const auto rows = static_cast<double>(known.rows);
        const auto bands = static_cast<double>(known.bands);
        plot.line(curve_of(rows, bands), {p.theme.muted, 1.5F});
        if (rows != state.rows || bands != state.bands)
        {
            plot.label({similarity_at(0.2, rows, bands), 0.2}, std::string(known.name));
        }
    }
    plot.line(own, {p.theme.forward, 3});
    plot.label({std::max(0.0, similarity_at(0.1, state.rows, state.bands) - 0.3), 0.1}, "false positives",
               false, 4);
    plot.label({target, 0.98}, "false negatives", false, 4);
    const PlotMove bands =
        plot.grip({similarity_at(kBandsAt, state.rows, state.bands), kBandsAt}, "###bands on the curve",
                  fmt::format("{} bands", grouped(std::llround(state.bands))));
    tooltip(p, "Drag: more bands find less similar pairs");
    const PlotMove rows =
        plot.grip({similarity_at(kRowsAt, state.rows, state.bands), kRowsAt}, "###rows on the curve",
                  fmt::format("{} hashes per band", grouped(std::llround(state.rows))));
    tooltip(p, "Drag: more hashes per band require more similarity, and make the curve steeper");
    if (bands.to || bands.steps != 0)
    {
        const double request =
            bands.to ? bands_for(bands.to->x, kBandsAt, state.rows) : state.bands + bands.steps;
        state.bands = std::clamp(std::round(request), 1.0, kMostBands);
        r.out.animating = true;
    }
    if (rows.to || rows.steps != 0)
    {
        const double request = rows.to ? rows_for(rows.to->x, kRowsAt, state.bands) : state.rows + rows.steps;
        state.rows = std::clamp(std::round(request), 1.0, kMostRows);
        r.out.animating = true;
    }
}

void panel_copies(PanelColumn& column, const DataRoom& r)
{
    DataState& state = r.state;
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        const std::string label =
            fmt::format("{}: {} \u00d7 {}###as {}", known.name, known.bands, known.rows, known.name);
        if (column.button(label.c_str()))
        {
            state.rows = static_cast<double>(known.rows);
            state.bands = static_cast<double>(known.bands);
        }
    }
    column.slide("Bands b", Track::log(2, kMostBands, say_whole).rounded(), state.bands);
    column.slide("Hashes per band r", Track::even(1, kMostRows, say_whole).rounded(), state.rows);
    column.fact("Hashes per document", grouped(std::llround(state.rows * state.bands)),
                "b r MinHashes are computed and stored per document");
    column.fact("Threshold", format_percent(duplicate_threshold(state.rows, state.bands)),
                "(1/b)^(1/r): about where the curve is steepest");
    for (const double similarity : {0.6, 0.7, 0.75, 0.8, 0.85, 0.9})
    {
        column.fact(fmt::format("Found at {:.0f}% similarity", similarity * 100),
                    format_percent(duplicate_found(similarity, state.rows, state.bands)),
                    fmt::format("1 \u2212 (1 \u2212 {}^{})^{}", similarity, state.rows, state.bands));
    }
}

Caption caption_copies(const Frame&, DataState& state)
{
    constexpr double kAlike = 0.75;
    constexpr double kUnlike = 0.5;
    Caption c;
    c.sentence = fmt::format("{} bands of {} hashes flag a pair of 75% similarity with probability **{}**, "
                             "one of 50% with **{}**.",
                             grouped(std::llround(state.bands)), grouped(std::llround(state.rows)),
                             format_percent(duplicate_found(kAlike, state.rows, state.bands)),
                             format_percent(duplicate_found(kUnlike, state.rows, state.bands)));
    c.formula =
        fmt::format("1 \u2212 (1 \u2212 s^r)^b = 1 \u2212 (1 \u2212 {}^{})^{} = {}", kAlike, state.rows,
                    state.bands, figure(duplicate_found(kAlike, state.rows, state.bands), 3));
    c.source = "Leskovec, Rajaraman and Ullman, Mining of Massive Datasets, section 3.4.2. FineWeb: 14 bands "
               "of 8; RefinedWeb: 450 of 20 (Penedo et al. 2024, arXiv 2406.17557, appendix). Two documents "
               "are flagged when all r hashes of at least one band agree.";
    return c;
}

} // namespace

const Page<DataState> copies_page{"Dedup",        draw_copies, panel_copies,
                                  caption_copies, nullptr,     "Near-duplicates"};

} // namespace ringside
