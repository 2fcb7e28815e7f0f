#include "ui/views/lab/plot.h"

#include <fmt/format.h>

#include "core/base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

double scaled(const StepPlot& plot, double value)
{
    return plot.powers ? std::log10(std::max(value, 1e-30)) : value;
}

double tick_distance(double span, int ticks)
{
    const double rough = span / ticks;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    const double ratio = rough / power;
    return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

// The least and the largest of a pixel column, in the order they came.
struct Column
{
    float first = 0;
    float low = std::numeric_limits<float>::infinity();
    float high = -std::numeric_limits<float>::infinity();
    bool low_first = true;

    bool empty() const { return !(low <= high); }
    void add(float value)
    {
        if (value < low)
        {
            low_first = false;
            low = value;
        }
        if (value > high)
        {
            low_first = true;
            high = value;
        }
    }
};

void add_points(const StepPlot& plot, const Column& column, float x, std::vector<ImVec2>& points)
{
    if (column.empty())
    {
        return;
    }
    const float low = plot.y(static_cast<double>(column.low));
    const float high = plot.y(static_cast<double>(column.high));
    points.emplace_back(x, column.low_first ? low : high);
    if (low != high)
    {
        points.emplace_back(x, column.low_first ? high : low);
    }
}

std::vector<ImVec2> points_of(const StepPlot& plot, const StepCurve& curve, std::span<const float> values)
{
    std::vector<ImVec2> points;
    Column column;
    float at = -1;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        const double step = 1 + static_cast<double>(i) * static_cast<double>(curve.stride);
        if (step < curve.from || !std::isfinite(values[i]))
        {
            continue;
        }
        const float x = std::round(plot.x(step));
        if (x != at)
        {
            add_points(plot, column, at, points);
            column = {};
            at = x;
        }
        column.add(values[i]);
    }
    add_points(plot, column, at, points);
    return points;
}

// Dashes of one length along the curve, whatever the distance of its points.
void draw_dashed(const Painter& p, std::span<const ImVec2> points, Colour colour)
{
    const float dash = p.px(5);
    float along = 0;
    for (std::size_t i = 0; i + 1 < points.size(); ++i)
    {
        const ImVec2 a = points[i];
        const ImVec2 b = points[i + 1];
        const float length = std::hypot(b.x - a.x, b.y - a.y);
        for (float at = 0; at < length;)
        {
            const float in_dash = std::fmod(along + at, 2 * dash);
            const float next = std::min(length, at + (in_dash < dash ? dash : 2 * dash) - in_dash + 0.01F);
            if (in_dash < dash)
            {
                const auto between = [&](float share) {
                    return ImVec2{a.x + (b.x - a.x) * share, a.y + (b.y - a.y) * share};
                };
                p.list.AddLine(between(at / length), between(next / length), colour, p.px(2));
            }
            at = next;
        }
        along += length;
    }
}

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

std::vector<float> shown_of(const StepCurve& curve)
{
    return curve.exact ? std::vector<float>(curve.values.begin(), curve.values.end()) : smooth(curve.values);
}

} // namespace

float StepPlot::y(double value) const
{
    const double share = (scaled(*this, value) - low) / (high - low);
    return area.bottom() - area.h * static_cast<float>(std::clamp(share, 0.0, 1.0));
}

StepPlot plot_of(Rect area, std::span<const StepCurve> curves, bool powers)
{
    StepPlot plot{area, 1, 0, 1, powers};
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const StepCurve& curve : curves)
    {
        plot.last =
            std::max(plot.last, static_cast<double>(curve.values.size()) * static_cast<double>(curve.stride));
        for (const float value : curve.values)
        {
            if (std::isfinite(value) && (!powers || value > 0))
            {
                low = std::min(low, scaled(plot, static_cast<double>(value)));
                high = std::max(high, scaled(plot, static_cast<double>(value)));
            }
        }
    }
    if (!(low <= high))
    {
        return plot;
    }
    const double least = powers ? 1 : 0.1; // so that a flat curve does not fill the picture with noise
    const double spare = std::max(least - (high - low), 0.0) / 2 + 0.06 * (high - low);
    plot.low = low - spare;
    plot.high = high + spare;
    return plot;
}

void draw_axes(const Painter& p, const StepPlot& plot, float right)
{
    const Theme& t = p.theme;
    const Rect& r = plot.area;
    const int rows = std::max(1, static_cast<int>(r.h / p.px(44)));
    const bool halves = plot.powers && plot.high - plot.low < 1.6; // 1, 3, 10, 30
    const double row = plot.powers ? (halves ? 0.5 : std::max(1.0, tick_distance(plot.high - plot.low, rows)))
                                   : tick_distance(plot.high - plot.low, rows);
    for (double value = std::ceil(plot.low / row) * row; value <= plot.high; value += row)
    {
        const float y = r.bottom() - r.h * static_cast<float>((value - plot.low) / (plot.high - plot.low));
        p.line(r.x, y, right, y, t.grid);
        const std::string words = plot.powers ? fmt::format("{:.0g}", std::pow(10, value))
                                              : plain_number(std::abs(value) < 1e-9 ? 0 : value);
        p.text(r.x - p.px(12), y, Type::mono_small, t.muted, words, Align::right);
    }
    const int columns = std::max(1, static_cast<int>(r.w / p.px(110)));
    const double column = std::max(1.0, tick_distance(plot.last, columns));
    const float below = r.bottom() + p.px(16);
    float free = r.x - p.px(20);
    for (double step = 0; step <= plot.last; step += column)
    {
        const std::string words = grouped(std::llround(step));
        const float half = p.width(Type::mono_small, words) / 2;
        if (plot.x(step) - half > free && plot.x(step) + half < right)
        {
            p.text(plot.x(step), below, Type::mono_small, t.muted, words, Align::centre);
            free = plot.x(step) + half + p.px(8);
        }
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

void draw_step_curve(const Painter& p, const StepPlot& plot, const StepCurve& curve)
{
    const auto mean = points_of(plot, curve, shown_of(curve));
    if (!curve.main)
    {
        draw_dashed(p, mean, p.theme.muted);
        return;
    }
    const auto raw = points_of(plot, curve, curve.values);
    p.list.AddPolyline(raw.data(), static_cast<int>(raw.size()), with_alpha(p.theme.muted, 0.35F), 0, 1);
    p.list.AddPolyline(mean.data(), static_cast<int>(mean.size()), p.theme.text, 0, p.px(2.5F));
    if (!mean.empty())
    {
        p.list.AddCircleFilled(mean.back(), p.px(4), p.theme.text);
    }
}

void draw_curve_names(const Painter& p, const StepPlot& plot, std::span<const StepCurve> curves, float right)
{
    struct End
    {
        float x;
        float y;
        const StepCurve* curve;
    };
    std::vector<End> ends;
    for (const StepCurve& curve : curves)
    {
        const auto points = points_of(plot, curve, shown_of(curve));
        if (!points.empty() && !curve.name.empty())
        {
            ends.push_back({points.back().x, points.back().y, &curve});
        }
    }
    std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) { return a.y < b.y; });
    const float pitch = p.height(Type::small) + p.px(2);
    float limit = plot.area.bottom() - pitch / 2;
    for (std::size_t i = ends.size(); i > 0; --i)
    {
        ends[i - 1].y = std::min(ends[i - 1].y, limit);
        limit = ends[i - 1].y - pitch;
    }
    for (const End& end : ends)
    {
        const float x = std::max(end.x, plot.area.right() - p.px(4)) + p.px(12);
        p.text_within(x, end.y, right - x, end.curve->main ? Type::small_strong : Type::small,
                      end.curve->main ? p.theme.text : p.theme.muted, end.curve->name);
    }
}

} // namespace ringside
