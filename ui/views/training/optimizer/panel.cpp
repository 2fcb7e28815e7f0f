#include "ui/views/training/optimizer/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/training/optimizer/pages.h"
#include "ui/widgets/panel_column.h"

#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 13> kPeaks{1e-5, 2e-5, 5e-5, 1e-4, 1.5e-4, 2e-4, 3e-4,
                                        6e-4, 1e-3, 2e-3, 4e-3, 1e-2,   1e-1};
constexpr std::array<double, 11> kWarmups{0, 100, 250, 500, 1000, 2000, 3000, 4000, 8000, 16000, 32000};
constexpr std::array<double, 9> kFloors{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1};
constexpr std::array<double, 13> kRates{0.001, 0.003, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.2, 0.3, 0.5, 1, 2};
constexpr std::array<double, 10> kDecayed{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2};
constexpr std::array<double, 9> kAcross{1, 2, 5, 10, 25, 50, 100, 300, 1000};
constexpr std::array<double, 8> kNoise{0, 0.1, 0.3, 0.5, 1, 2, 5, 10};
constexpr std::array<double, 14> kLosses{1.5, 1.7, 1.8, 1.9, 2, 2.1, 2.2, 2.4, 2.6, 3, 3.5, 4, 5, 6};
constexpr std::array<double, 9> kLimits{0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 3.8};

std::string say_share(double share)
{
    return plain_number(share * 100) + "%";
}

void draw_rate(PanelColumn& column, OptimizerState& state, const Frame& frame)
{
    const Scenario& scenario = frame.now.scenario;
    column.slide("Peak", Track::at(kPeaks, learning_rate_words), state.rate.peak);
    column.slide("Warmup, steps", Track::at(kWarmups, say_whole), state.rate.warmup);
    column.slide("Minimum LR (fraction of peak)", Track::at(kFloors, say_share, 0.01),
                 state.rate.final_share);
    const RateSchedule s = schedule_of(state, scenario);
    const std::int64_t at = rate_step_at(state, frame);
    column.fact("Steps of the run", step_number_words(static_cast<double>(s.end)));
    column.fact("At step", step_number_words(static_cast<double>(at)));
    column.fact("the rate is", learning_rate_words(learning_rate(s, at)));
    column.gap();
    column.note(fmt::format(
        "The run: {} tokens, **{}** a step. A larger batch has fewer steps to warm up and decay in.",
        format_count(scenario.training.tokens), format_count(batch_tokens(scenario))));
}

void draw_clip(PanelColumn& column, OptimizerState& state)
{
    column.slide("max_grad_norm", Track::at(kLimits, three_digits), state.limit);
    const double norm = std::hypot(state.gx, state.gy);
    column.fact("Norm before", three_digits(norm));
    column.fact("Times", three_digits(clip_factor(norm, state.limit)));
    column.fact("Norm after", three_digits(norm * clip_factor(norm, state.limit)));
    column.gap();
    column.note("The norm is over **all** parameters of all ranks: each adds its shard\u2019s sum of squares "
                "before the root is taken.");
}

void draw_descent(PanelColumn& column, OptimizerState& state)
{
    DescentOptions& o = state.descent;
    column.slide("Learning rate", Track::at(kRates, plain_number), o.rate);
    column.slide("Weight decay", Track::at(kDecayed, plain_number), o.weight_decay);
    column.slide("Condition number", Track::at(kAcross, plain_number), state.valley.across);
    column.slide("Noise of gradients", Track::at(kNoise, plain_number), state.valley.noise);
    column.toggle("Bias correction", o.bias_correction,
                  "Adam divides its averages by 1 \u2212 beta^t, since they start at 0 (I)");
    if (column.button("Other noise", "R"))
    {
        ++o.seed;
    }
    column.fact("SGD is stable below", three_digits(largest_stable_rate(state.valley)));
    column.fact("Betas", fmt::format("{:g}, {:g}", o.beta1, o.beta2));
}

void draw_batch(PanelColumn& column, OptimizerState& state, const Frame& frame)
{
    column.slide("Loss, nats per token", Track::at(kLosses, plain_number), state.loss);
    column.label("Rate with the batch");
    column.choice({"linear", "square root"}, state.root);
    const double batch = batch_tokens(frame.now.scenario);
    const double critical = critical_batch_tokens(state.loss);
    column.fact("Batch now", format_count(batch));
    column.fact("Critical", format_count(critical));
    column.fact("A step learns", format_percent(step_progress(batch, critical)));
    const double peak = state.rate.peak;
    column.fact("Rate at twice the batch",
                learning_rate_words(state.root ? sqrt_scaled(peak, 1, 2) : linear_scaled(peak, 1, 2)));
    column.gap();
    column.note("The critical batch **grows as the loss falls**: late in training larger batches pay.");
}

} // namespace

void draw_optimizer_panel(const Painter& p, Rect area, OptimizerState& state, const Frame& frame, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice(kOptimizerPages, state.page);
    switch (state.page)
    {
    case OptimizerPage::schedule:
        draw_rate(column, state, frame);
        break;
    case OptimizerPage::clip:
        draw_clip(column, state);
        break;
    case OptimizerPage::descent:
        draw_descent(column, state);
        break;
    case OptimizerPage::batch:
        draw_batch(column, state, frame);
        break;
    }
}

} // namespace ringside
