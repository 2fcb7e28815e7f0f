#include "ui/views/lab/curves.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/lab/plot.h"
#include "ui/views/lab/words.h"

#include <algorithm>
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

void draw_flag(const Painter& p, const StepPlot& plot, float x)
{
    p.line(x, plot.area.y - p.px(4), x, plot.area.bottom(), p.theme.text, p.px(2));
    p.list.AddCircleFilled({x, plot.area.y - p.px(4)}, p.px(5), p.theme.text);
}

// The label beside a flag, on the side where there is room; those that would lie on another are left out.
void draw_flag_label(const Painter& p, const StepPlot& plot, float x, const std::string& words, bool left,
                     float& taken)
{
    const float w = p.width(Type::small_strong, words);
    const float gap = p.px(12);
    const float y = plot.area.y + p.px(8);
    const bool fits_left = x - gap - w > taken;
    const bool fits_right = x + gap + w < plot.area.right() && x + gap > taken;
    if (left ? !fits_left && !fits_right : !fits_right)
    {
        return;
    }
    const bool at_left = left && fits_left;
    p.text(at_left ? x - gap : x + gap, y, Type::small_strong, p.theme.text, words,
           at_left ? Align::right : Align::left);
    taken = at_left ? x : x + gap + w;
}

void draw_breaks(const Painter& p, const StepPlot& plot, const TrainingSnapshot& run)
{
    float taken = plot.area.x;
    for (const Band& band : bands_of(run))
    {
        const float x = plot.x(static_cast<double>(band.from->step));
        const float end = band.to == nullptr ? x : plot.x(static_cast<double>(band.to->step));
        p.fill({x, plot.area.y, end - x, plot.area.h}, with_alpha(p.theme.raised, 0.6F));
        p.part("break", {x, plot.area.y, end - x, plot.area.h});
        draw_flag(p, plot, x);
        draw_flag_label(p, plot, x,
                        band.to == nullptr ? fmt::format("{}: {}", band.from->knob, band.from->to)
                                           : fmt::format("break: {}", band.from->to),
                        true, taken);
        if (band.to != nullptr)
        {
            draw_flag(p, plot, end);
            draw_flag_label(p, plot, end, fmt::format("restored: {}", band.to->to), false, taken);
        }
    }
}

void draw_marks(const Painter& p, const StepPlot& plot, const TrainingSnapshot& run)
{
    for (const std::int64_t mark : run.marks)
    {
        const float x = plot.x(static_cast<double>(mark));
        const float y = plot.area.bottom();
        p.list.AddTriangleFilled({x, y - p.px(8)}, {x + p.px(5), y}, {x - p.px(5), y}, p.theme.muted);
    }
}

void draw_cursor(const Painter& p, const StepPlot& plot, const LabFrame& lab, Series series)
{
    if (!lab.look)
    {
        return;
    }
    const TrainingSnapshot& run = *lab.a.snapshot;
    const float x = plot.x(static_cast<double>(*lab.look));
    p.dashed(x, plot.area.y, x, plot.area.bottom(), p.theme.text);
    if (const auto value = at_step(run, run.*series, *lab.look); value && std::isfinite(*value))
    {
        p.list.AddCircleFilled({x, plot.y(*value)}, p.px(4), p.theme.text);
        const bool left = x > plot.area.centre();
        p.text(left ? x - p.px(10) : x + p.px(10), plot.y(*value) - p.px(12), Type::mono_small, p.theme.text,
               fmt::format("{:.3g}", *value), left ? Align::right : Align::left);
    }
}

// Steps whose value was not finite, as crosses at the top.
void draw_not_finite(const Painter& p, const StepPlot& plot, const TrainingSnapshot& run, Series series)
{
    float last = -1e9F;
    const std::vector<float>& values = run.*series;
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        const float x = plot.x(1 + static_cast<double>(i) * static_cast<double>(run.loss_stride));
        if (std::isfinite(values[i]) || x < last + p.px(10))
        {
            continue;
        }
        const float u = p.px(4);
        const float y = plot.area.y + u;
        p.line(x - u, y - u, x + u, y + u, p.theme.warning, p.px(2));
        p.line(x - u, y + u, x + u, y - u, p.theme.warning, p.px(2));
        last = x;
    }
}

// One plot of a series with everything that marks it.
void draw_series(const Painter& p, Rect area, const LabFrame& lab, Series series, bool powers)
{
    const auto curves = curves_of(lab, series);
    float names = 0;
    for (const StepCurve& curve : curves)
    {
        names = std::max(names, p.width(Type::small_strong, curve.name) + p.px(24));
    }
    const float right = area.right();
    area.cut_left(std::min(p.px(48), area.w * 0.2F));
    area.cut_right(std::min(std::max(names, p.px(16)), area.w * 0.3F));
    area.cut_top(p.px(10));
    area.cut_bottom(p.px(28));
    if (area.h < p.px(24) || area.w < p.px(60))
    {
        return;
    }
    const StepPlot plot = plot_of(area, curves, powers);
    draw_axes(p, plot, right);
    draw_breaks(p, plot, *lab.a.snapshot);
    draw_marks(p, plot, *lab.a.snapshot);
    for (auto curve = curves.rbegin(); curve != curves.rend(); ++curve)
    {
        draw_step_curve(p, plot, *curve);
    }
    draw_not_finite(p, plot, *lab.a.snapshot, series);
    draw_cursor(p, plot, lab, series);
    draw_curve_names(p, plot, curves, right);
}

} // namespace

void draw_loss(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    std::string says = change_words(run);
    if (says.empty() && run.step > 0)
    {
        says = fmt::format("{:.3f} nats a token", run.smoothed_loss);
    }
    draw_head(p, head, "Loss", says);
    draw_series(p, area, lab, &TrainingSnapshot::losses, false);
}

void draw_gradient(const Painter& p, Rect head, Rect area, const LabFrame& lab)
{
    const TrainingSnapshot& run = *lab.a.snapshot;
    Rect upper = area.cut_top(std::round(area.h * 0.56F));
    const std::string clip = run.config.recipe.clip > 0
                                 ? fmt::format("before clipping at {}", plain_number(run.config.recipe.clip))
                                 : "not clipped";
    draw_head(p, head, "Gradient norm", clip);
    draw_series(p, upper, lab, &TrainingSnapshot::norms, true);
    draw_head(p, area.cut_top(p.px(28)), "Learning rate",
              fmt::format("{:.2g} at the last step", run.learning_rate));
    draw_series(p, area, lab, &TrainingSnapshot::rates, true);
}

} // namespace ringside
