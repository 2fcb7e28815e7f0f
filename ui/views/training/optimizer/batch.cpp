#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/choices.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// The scenario's batch goes to the nearest that suits its layout.
void drag_batch(double wanted, const Frame& frame, Out& out)
{
    const Scenario& s = frame.now.scenario;
    const auto values = legal_values(s, Knob::micro_batches);
    if (values.empty())
    {
        return;
    }
    const double one =
        batch_tokens(s) / static_cast<double>(std::max<std::int64_t>(1, value_of(s, Knob::micro_batches)));
    const auto off = [&](std::int64_t v)
    { return std::fabs(std::log(one * static_cast<double>(v) / wanted)); };
    const std::int64_t best = *std::min_element(
        values.begin(), values.end(), [&](std::int64_t a, std::int64_t b) { return off(a) < off(b); });
    if (best != value_of(s, Knob::micro_batches))
    {
        out.push(ChangeScenario{with(s, Knob::micro_batches, best), true});
    }
}

std::string costs_at(double batch, double critical)
{
    return fmt::format("{} tokens\nsteps 1 + {} / {} = {}\u00d7\nexamples 1 + {} / {} = {}\u00d7",
                       format_count(batch), format_count(critical), format_count(batch),
                       three_digits(steps_over_least(batch, critical)), format_count(batch),
                       format_count(critical), three_digits(examples_over_least(batch, critical)));
}

void draw_costs(const Painter& p, Plot& plot, double batch, double critical)
{
    const Theme& t = p.theme;
    plot.band_x(plot.x.low, critical, with_alpha(t.stage_ramp[3], 0.12F), "more GPUs save time");
    plot.band_x(critical, plot.x.high, with_alpha(t.stage_ramp[1], 0.14F), "beyond the critical batch size");
    plot.rule_x(critical, {t.text, 1.5F, true}, fmt::format("critical: {} tokens", format_count(critical)));
    plot.line(sampled(plot.x, [&](double b) { return steps_over_least(b, critical); }), {t.text, 3}, "steps",
              true);
    plot.line(sampled(plot.x, [&](double b) { return examples_over_least(b, critical); }),
              {t.of(Component::gradients).fill, 3}, "examples", true);
    plot.rule_x(batch, {t.text, 1.5F});
    for (const double cost : {steps_over_least(batch, critical), examples_over_least(batch, critical)})
    {
        plot.dot({batch, cost}, {t.text});
        plot.label({batch, cost}, three_digits(cost) + "\u00d7", true);
    }
}

} // namespace

void draw_batch_page(const Painter& p, Rect area, OptimizerState& state, const Frame& frame, Out& out)
{
    const double critical = critical_batch_tokens(state.loss);
    const double batch = batch_tokens(frame.now.scenario);
    Plot plot(p, area,
              {std::min(critical / 300, batch / 4), std::max(critical * 300, batch * 4), PlotScale::log,
               "tokens in a batch", format_count},
              {0.9, 300, PlotScale::log, "", [](double v) { return fmt::format("{:g}\u00d7", v); }},
              {.title = "Steps and examples to the same loss",
               .says = "over the least there can be of each",
               .part = "batch",
               .names = 110});
    if (!plot)
    {
        return;
    }
    draw_costs(p, plot, batch, critical);
    const PlotMove grip =
        plot.grip({batch, plot.y_of(plot.area.bottom() - p.px(12))}, "###batch of the scenario");
    const PlotField field = plot.field("###steps against the batch");
    if (grip.to || field.held)
    {
        drag_batch(field.at.x, frame, out);
    }
    else if (field.hovered)
    {
        tooltip_at_mouse(p, costs_at(field.at.x, critical));
    }
}

} // namespace ringside
