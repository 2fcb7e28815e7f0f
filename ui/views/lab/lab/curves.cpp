#include "ui/views/lab/lab/curves.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/views/lab/lab/words.h"

#include <cmath>

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

} // namespace ringside
