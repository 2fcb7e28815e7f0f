#include "ui/views/lab/lab/plot.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "ui/views/lab/lab/words.h"
#include "ui/widgets/scrolled_sheet.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

// Step from which run B is another than A: before, one curve lies on the other.
double first_difference(const LabFrame& lab)
{
    const auto& changes = lab.a.snapshot->changes;
    const bool undisturbed = !lab.demo && !changes.empty() && lab.b->snapshot->changes.empty() &&
                             lab.b->config.training == lab.b->snapshot->config.training;
    return undisturbed ? static_cast<double>(changes.front().step) : 0;
}

using Series = std::vector<float> TrainingSnapshot::*;

std::vector<StepCurve> curves_of(const LabFrame& lab, Series series)
{
    std::vector<StepCurve> curves;
    const TrainingSnapshot& a = *lab.a.snapshot;
    const bool exact = series == &TrainingSnapshot::rates;
    curves.push_back({a.*series, a.loss_stride, 0, true, exact, lab.a.name});
    if (lab.b && lab.b->snapshot)
    {
        const TrainingSnapshot& b = *lab.b->snapshot;
        curves.push_back({b.*series, b.loss_stride, first_difference(lab), false, exact, lab.b->name});
    }
    return curves;
}

// A knob turned and turned back.
struct Band
{
    const KnobChange* from;
    const KnobChange* to = nullptr; // null: not yet
};

std::vector<Band> bands_of(const TrainingSnapshot& run)
{
    std::vector<Band> bands;
    for (const KnobChange& change : run.changes)
    {
        if (!bands.empty() && bands.back().to == nullptr && bands.back().from->knob == change.knob &&
            bands.back().from->from == change.to)
        {
            bands.back().to = &change;
            continue;
        }
        bands.push_back({&change});
    }
    return bands;
}

// Where a knob was turned, and turned back.
void draw_breaks(const Painter& p, Plot& plot, const TrainingSnapshot& run)
{
    const auto flag = [&](const KnobChange& change, std::string words)
    {
        const auto step = static_cast<double>(change.step);
        plot.rule_x(step, {p.theme.text, 2}, std::move(words));
        plot.speck({step, plot.y.high}, {p.theme.text});
    };
    for (const Band& band : bands_of(run))
    {
        const auto from = static_cast<double>(band.from->step);
        const double to = band.to == nullptr ? from : static_cast<double>(band.to->step);
        plot.band_x(from, to, with_alpha(p.theme.raised, 0.6F));
        p.part("break", plot.rect(from, to, plot.y.low, plot.y.high));
        flag(*band.from, band.to == nullptr ? fmt::format("{}: {}", band.from->knob, band.from->to)
                                            : fmt::format("break: {}", band.from->to));
        if (band.to != nullptr)
        {
            flag(*band.to, fmt::format("restored: {}", band.to->to));
        }
    }
    for (const std::int64_t mark : run.marks)
    {
        const ImVec2 at = plot.at({static_cast<double>(mark), plot.y.low});
        p.list.AddTriangleFilled({at.x, at.y - p.px(8)}, {at.x + p.px(5), at.y}, {at.x - p.px(5), at.y},
                                 p.theme.muted);
    }
}

void draw_cursor(const Painter& p, Plot& plot, const LabFrame& lab, Series series)
{
    if (!lab.look)
    {
        return;
    }
    const TrainingSnapshot& run = *lab.a.snapshot;
    const auto step = static_cast<double>(*lab.look);
    plot.rule_x(step, {p.theme.text, 1, true});
    if (const auto value = at_step(run, run.*series, *lab.look); value && std::isfinite(*value))
    {
        plot.dot({step, *value}, {p.theme.text, 4});
        plot.label({step, *value}, fmt::format("{:.3g}", *value), true);
    }
}

// Steps whose value was not finite, as crosses at the top.
void draw_not_finite(const Painter& p, Plot& plot, const TrainingSnapshot& run, Series series)
{
    float last = -1e9F;
    const std::vector<float>& values = run.*series;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        const double step = 1 + static_cast<double>(i) * static_cast<double>(run.loss_stride);
        if (!std::isfinite(values[i]) && plot.at_x(step) >= last + p.px(10))
        {
            plot.speck({step, plot.y_of(plot.area.y + p.px(4))}, {p.theme.warning, 4, PlotShape::cross});
            last = plot.at_x(step);
        }
    }
}

// One plot of a series with everything that marks it.
void draw_series_of(const Painter& p, Rect area, const LabFrame& lab, Series series, PlotScale scale)
{
    const auto curves = curves_of(lab, series);
    const auto names =
        largest_over<float>(curves, [&](const StepCurve& curve)
                            { return (p.width(Type::small_strong, curve.name) + p.px(30)) / p.px(1); });
    Plot plot(p, area, step_axis(curves), value_axis(curves, scale), {.names = names});
    if (!plot)
    {
        return;
    }
    draw_breaks(p, plot, *lab.a.snapshot);
    for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve)
    {
        draw_step_curve(p, plot, *curve);
    }
    draw_not_finite(p, plot, *lab.a.snapshot, series);
    draw_cursor(p, plot, lab, series);
}

} // namespace

void draw_loss(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    std::string says = change_words(run);
    if (says.empty() && run.step > 0)
    {
        says = fmt::format("{:.3f} nats per token", run.smoothed_loss);
    }
    draw_head(p, head, "Loss", says);
    draw_series_of(p, area, lab, &TrainingSnapshot::losses, PlotScale::linear);
}

void draw_gradient(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    Rect upper = area.cut_top(std::round(area.h * 0.56F));
    const std::string clip = run.config.recipe.clip > 0
                                 ? fmt::format("before clipping at {}", plain_number(run.config.recipe.clip))
                                 : "not clipped";
    draw_head(p, head, "Gradient norm", clip);
    draw_series_of(p, upper, lab, &TrainingSnapshot::norms, PlotScale::log);
    draw_head(p, area.cut_top(p.px(28)), "Learning rate",
              fmt::format("{:.2g} at the last step", run.learning_rate));
    draw_series_of(p, area, lab, &TrainingSnapshot::rates, PlotScale::log);
}

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
