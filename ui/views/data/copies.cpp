#include "ui/views/data/copies.h"

#include <fmt/format.h>

#include "core/base/text.h"

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

std::vector<ChartPoint> curve_of(double rows, double bands)
{
    std::vector<ChartPoint> points;
    for (int i = 0; i <= 200; ++i)
    {
        const double s = i / 200.0;
        points.push_back({s, duplicate_found(s, rows, bands)});
    }
    return points;
}

// Below the target all that is found is thrown away though it is different, above it what is missed stays.
void shade(const Painter& p, const Chart& c, double rows, double bands, double target)
{
    constexpr int kSlices = 120;
    for (int i = 0; i < kSlices; ++i)
    {
        const double s = (i + 0.5) / kSlices;
        // Whole pixels, so that slices neither overlap nor part.
        const float x = std::round(c.at_x(i / static_cast<double>(kSlices)));
        const float w = std::round(c.at_x((i + 1) / static_cast<double>(kSlices))) - x;
        const float y = c.at_y(duplicate_found(s, rows, bands));
        const bool different = s < target;
        const Rect wrong{x, different ? y : c.area.y, w, different ? c.area.bottom() - y : y - c.area.y};
        p.fill(wrong, with_alpha(p.theme.of(Component::buffers).fill, different ? 0.3F : 0.16F));
    }
}

} // namespace

void draw_copies(const Painter& p, Rect area, DataState& state, Out& out)
{
    const Chart c = chart_in(p, area, p.px(60)); // both axes from 0 to 1
    if (!c.drawable(p))
    {
        return;
    }
    p.part("copies", c.area);
    const double target = duplicate_threshold(state.rows, state.bands);
    shade(p, c, state.rows, state.bands, target);
    draw_chart_x(p, c, "similarity of two documents (Jaccard, of their 5-grams)", percent_words);
    draw_chart_y(p, c, "chance to be taken for copies", percent_words);
    p.dashed(c.at_x(target), c.area.y, c.at_x(target), c.area.bottom(), p.theme.muted);
    FreeLabels labels(c.area);
    labels.avoid({c.at_x(target), c.area.y}, {c.at_x(target), c.area.bottom()});
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        const auto curve = curve_of(static_cast<double>(known.rows), static_cast<double>(known.bands));
        draw_chart_line(p, c, curve, p.theme.muted, 1.5F);
        labels.avoid(c, curve);
    }
    const auto own = curve_of(state.rows, state.bands);
    draw_chart_line(p, c, own, line_colour(p.theme.forward), 3);
    labels.avoid(c, own);
    const ImVec2 bands_at = c.at(similarity_at(kBandsAt, state.rows, state.bands), kBandsAt);
    const ImVec2 rows_at = c.at(similarity_at(kRowsAt, state.rows, state.bands), kRowsAt);
    const ChartGrip bands = draw_chart_grip(p, bands_at, "###bands on the curve", p.theme.text);
    tooltip(p, "Drag: more bands find less similar pairs");
    const ChartGrip rows = draw_chart_grip(p, rows_at, "###rows on the curve", p.theme.text);
    tooltip(p, "Drag: more hashes in a band ask for more, and make the step steeper");
    labels.take({bands_at.x - p.px(12), bands_at.y - p.px(12), p.px(24), p.px(24)});
    labels.take({rows_at.x - p.px(12), rows_at.y - p.px(12), p.px(24), p.px(24)});
    labels.put(p, bands_at, p.px(16), Type::small_strong, p.theme.text,
               fmt::format("{} bands", grouped(std::llround(state.bands))));
    labels.put(p, rows_at, p.px(16), Type::small_strong, p.theme.text,
               fmt::format("{} hashes in each", grouped(std::llround(state.rows))));
    for (const DuplicateSetting& known : {kFineWebBands, kRefinedWebBands})
    {
        const auto r = static_cast<double>(known.rows);
        const auto b = static_cast<double>(known.bands);
        if (r != state.rows || b != state.bands)
        {
            labels.put(p, c.at(similarity_at(0.2, r, b), 0.2), p.px(6), Type::small, p.theme.muted,
                       known.name);
        }
    }
    const double wrongly = similarity_at(0.1, state.rows, state.bands);
    labels.put(p, c.at(std::max(0.0, wrongly - 0.3), 0.1), p.px(4), Type::small, p.theme.muted,
               "thrown away, though different");
    labels.put(p, c.at(target, 0.98), p.px(4), Type::small, p.theme.muted, "missed");
    if (bands.to || bands.steps != 0)
    {
        const double wish =
            bands.to ? bands_for(c.x_of(bands.to->x), kBandsAt, state.rows) : state.bands + bands.steps;
        state.bands = std::clamp(std::round(wish), 1.0, kMostBands);
        out.animating = true;
    }
    if (rows.to || rows.steps != 0)
    {
        const double wish =
            rows.to ? rows_for(c.x_of(rows.to->x), kRowsAt, state.bands) : state.rows + rows.steps;
        state.rows = std::clamp(std::round(wish), 1.0, kMostRows);
        out.animating = true;
    }
}

} // namespace ringside
