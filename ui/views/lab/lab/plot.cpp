#include "ui/views/lab/lab/plot.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

// A mean with a memory that suits the length of the curve.
std::vector<float> smooth(std::span<const float> values)
{
    std::vector<float> out;
    out.reserve(values.size());
    const float memory = std::clamp(static_cast<float>(values.size()) / 60, 1.0F, 40.0F);
    float mean = 0;
    float count = 0;
    for (const float value : values)
    {
        if (!std::isfinite(value))
        {
            out.push_back(value);
            continue;
        }
        count += 1;
        mean += (value - mean) / std::min(count, memory);
        out.push_back(mean);
    }
    return out;
}

std::vector<PlotPoint> points_of(const StepCurve& curve, std::span<const float> values)
{
    std::vector<PlotPoint> points;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        const double step = 1 + static_cast<double>(i) * static_cast<double>(curve.stride);
        if (step >= curve.from && std::isfinite(values[i]))
        {
            points.push_back({step, static_cast<double>(values[i])});
        }
    }
    return points;
}

} // namespace

PlotAxis step_axis(std::span<const StepCurve> curves)
{
    double last = 1;
    for (const StepCurve& curve : curves)
    {
        last = std::max(last, static_cast<double>(curve.values.size()) * static_cast<double>(curve.stride));
    }
    return {0, last, PlotScale::linear, "", [](double step) { return grouped(std::llround(step)); }};
}

PlotAxis value_axis(std::span<const StepCurve> curves, PlotScale scale)
{
    const bool powers = scale != PlotScale::linear;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const StepCurve& curve : curves)
    {
        for (const float value : curve.values)
        {
            if (std::isfinite(value) && (!powers || value > 0))
            {
                const auto v = static_cast<double>(value);
                low = std::min(low, powers ? std::log10(v) : v);
                high = std::max(high, powers ? std::log10(v) : v);
            }
        }
    }
    if (!(low <= high))
    {
        low = 0;
        high = 1;
    }
    const double least = powers ? 1 : 0.1; // so that a flat curve does not fill the picture with noise
    const double spare = std::max(least - (high - low), 0.0) / 2 + 0.06 * (high - low);
    low -= spare;
    high += spare;
    return {powers ? std::pow(10, low) : low, powers ? std::pow(10, high) : high, scale, "",
            powers ? AxisWords([](double v) { return fmt::format("{:g}", v); }) : AxisWords(plain_number)};
}

void draw_step_curve(const Painter& p, Plot& plot, const StepCurve& curve)
{
    const auto raw = points_of(curve, curve.values);
    const auto mean = curve.exact ? raw : points_of(curve, smooth(curve.values));
    if (!curve.main)
    {
        plot.line(mean, {p.theme.muted, 2, true}, curve.name);
        return;
    }
    plot.line(raw, {with_alpha(p.theme.muted, 0.35F), 1});
    plot.line(mean, {p.theme.text, 2.5F}, curve.name, true);
    if (!mean.empty())
    {
        plot.speck(mean.back(), {p.theme.text, 4});
    }
}

void draw_head(const Painter& p, Rect row, std::string_view title, std::string_view says)
{
    const float w =
        p.text_within(row.x, row.middle(), row.w, Type::body_strong, p.theme.text, title) + p.px(16);
    if (row.w > w + p.px(60))
    {
        p.text_within(row.x + w, row.middle(), row.w - w, Type::small, p.theme.muted, says);
    }
}

void say_if_room(const Painter& p, Rect& area, Type type, Colour colour, std::string_view words, float gap)
{
    if (words.empty() || area.w < p.px(40))
    {
        return;
    }
    // Wrapping at words leaves some of each line empty.
    const float lines = std::ceil(1.12F * p.width(type, words) / area.w);
    if (lines * p.height(type) * 1.17F <= area.h)
    {
        area.cut_top(p.paragraph(area, type, colour, words) + gap);
    }
}

bool draw_start_page(const Painter& p, Rect area, const char* id, std::string_view title,
                     const std::function<void(Sheet&)>& words, const char* label, std::string_view key)
{
    Rect start = area.cut_bottom(std::min(area.h, p.px(56)));
    area.cut_top(area.h > p.px(360) ? p.px(64) : 0);
    area.cut_bottom(p.px(12));
    {
        ScrolledSheet sheet(p, area, id);
        sheet->title(title);
        sheet->gap(8);
        words(*sheet);
        start = {start.x, std::min(start.y, sheet->y() + p.px(24)), std::min(start.w, p.px(272)), start.h};
    }
    return button(p, start, label, key, ButtonStyle::primary);
}

} // namespace ringside
