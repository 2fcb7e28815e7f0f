// Steps and examples to the same loss against the batch, and the critical batch size between them.
#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/scenario/choices.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 14> kLosses{1.5, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.4, 2.6, 3, 3.5, 4, 5, 6};

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
    const std::int64_t best = *nearest_by_ratio(values, wanted / one);
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
    plot.rule_x(critical, {t.text, 1.5F, true},
                fmt::format("critical batch size: {} tokens", format_count(critical)));
    plot.line(sampled(plot.x, [&](double b) { return steps_over_least(b, critical); }), {t.text, 3}, "steps",
              true);
    plot.line(sampled(plot.x, [&](double b) { return examples_over_least(b, critical); }),
              {t.of(Component::gradients), 3}, "examples", true);
    plot.rule_x(batch, {t.text, 1.5F});
    for (const double cost : {steps_over_least(batch, critical), examples_over_least(batch, critical)})
    {
        plot.dot({batch, cost}, {t.text});
        plot.label({batch, cost}, three_digits(cost) + "\u00d7", true);
    }
}

void draw_batch(const OptimizerRoom& r)
{
    const double critical = critical_batch_tokens(r.state.loss);
    const double batch = batch_tokens(r.frame.now.scenario);
    Plot plot(r.p, r.area,
              {std::min(critical / 300, batch / 4), std::max(critical * 300, batch * 4), PlotScale::log,
               "batch size, tokens", format_count},
              {0.9, 300, PlotScale::log, "", [](double v) { return fmt::format("{:g}\u00d7", v); }},
              {.title = "Steps and examples to the same loss",
               .note = "relative to the minimum of each",
               .part = "batch",
               .names = 110});
    if (!plot)
    {
        return;
    }
    draw_costs(r.p, plot, batch, critical);
    const PlotMove grip =
        plot.grip({batch, plot.y_of(plot.area.bottom() - r.p.px(12))}, "###batch of the scenario");
    const PlotField field = plot.field("###steps against the batch");
    if (grip.to || field.held)
    {
        drag_batch(field.at.x, r.frame, r.out);
    }
    else if (field.hovered)
    {
        tooltip_at_mouse(r.p, costs_at(field.at.x, critical));
    }
}

void panel_batch(PanelColumn& column, const OptimizerRoom& r)
{
    column.slide("Loss, nats per token", Track::at(kLosses, plain_number), r.state.loss);
    column.label("LR scaling rule");
    column.choice({"linear", "square root"}, r.state.root);
    const double batch = batch_tokens(r.frame.now.scenario);
    const double critical = critical_batch_tokens(r.state.loss);
    column.fact("Batch size, tokens", format_count(batch));
    column.fact("Critical batch size", format_count(critical));
    column.fact("Noise efficiency", format_percent(step_progress(batch, critical)),
                "Progress per step relative to a step without gradient noise: 1 / (1 + B_crit / B)");
    const double peak = r.state.rate.peak;
    column.fact("Peak LR at 2\u00d7 batch",
                learning_rate_words(r.state.root ? sqrt_scaled(peak, 1, 2) : linear_scaled(peak, 1, 2)));
    column.gap();
    column.note("The critical batch size **grows as the loss falls**: late in training, larger batches pay.");
}

Caption caption_batch(const Frame& frame, OptimizerState& state)
{
    const double critical = critical_batch_tokens(state.loss);
    const double batch = batch_tokens(frame.now.scenario);
    return {
        fmt::format("{} tokens per step: **{}\u00d7** the minimum steps, **{}\u00d7** the minimum examples.",
                    format_count(batch), three_digits(steps_over_least(batch, critical)),
                    three_digits(examples_over_least(batch, critical))),
        fmt::format("1 + B_crit / B = 1 + {} / {};  1 + B / B_crit;  B_crit = 2e8 / {:g}^(1/0.21)",
                    format_count(critical), format_count(batch), state.loss),
        "McCandlish et al. 2018, arXiv 1812.06162; the critical batch size at a loss: Kaplan et al. 2020, "
        "arXiv 2001.08361, measured up to a few million tokens. B_noise = tr(Sigma) / |G|^2, which the lab "
        "measures."};
}

} // namespace

const Page<OptimizerState> critical_page{"Batch",       draw_batch, panel_batch,
                                         caption_batch, nullptr,    "Critical batch size"};

} // namespace ringside
