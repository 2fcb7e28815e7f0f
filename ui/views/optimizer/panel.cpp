#include "ui/views/optimizer/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/optimizer/pages.h"
#include "ui/widgets/stop_slider.h"

#include <algorithm>
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

class Settings
{
public:
    Settings(const Painter& painter, Rect& area, TypedEntry& entry) : p_(painter), area_(area), entry_(entry)
    {
    }

    void slide(const char* label, const std::string& shown, std::span<const double> values, double& value,
               double unit = 1)
    {
        value = stop_slider(p_, area_.cut_top(p_.px(44)), {label, shown, values, unit}, value, entry_);
    }

private:
    const Painter& p_;
    Rect& area_;
    TypedEntry& entry_;
};

void draw_rate(const Painter& p, Rect area, OptimizerState& state, const Frame& frame)
{
    const RateSchedule s = schedule_of(state, frame.now.scenario);
    Settings set(p, area, state.entry);
    set.slide("Peak", learning_rate_words(s.peak), kPeaks, state.rate.peak);
    auto warmup = static_cast<double>(state.rate.warmup);
    set.slide("Warmup, steps", grouped(state.rate.warmup), kWarmups, warmup);
    state.rate.warmup = std::llround(warmup);
    set.slide("Floor, of the peak", plain_number(s.final_share * 100) + "%", kFloors, state.rate.final_share,
              0.01);
    const std::int64_t at = rate_step_at(state, frame);
    fact_row(p, area, "Steps of the run", step_number_words(static_cast<double>(s.end)));
    fact_row(p, area, "At step", step_number_words(static_cast<double>(at)));
    fact_row(p, area, "the rate is", learning_rate_words(learning_rate(s, at)));
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           fmt::format(
               "The run: {} tokens, **{}** a step. A larger batch has fewer steps to warm up and decay in.",
               format_count(frame.now.scenario.training.tokens),
               format_count(batch_tokens(frame.now.scenario))));
}

void draw_clip(const Painter& p, Rect area, OptimizerState& state)
{
    Settings set(p, area, state.entry);
    set.slide("Largest norm", three_digits(state.limit), kLimits, state.limit);
    const double norm = std::hypot(state.gx, state.gy);
    fact_row(p, area, "Norm before", three_digits(norm));
    fact_row(p, area, "Times", three_digits(clip_factor(norm, state.limit)));
    fact_row(p, area, "Norm after", three_digits(norm * clip_factor(norm, state.limit)));
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           "The norm is over **all** parameters of all ranks: each adds its shard\u2019s sum of squares "
           "before the "
           "root is taken.");
}

void draw_descent(const Painter& p, Rect area, OptimizerState& state)
{
    Settings set(p, area, state.entry);
    DescentOptions& o = state.descent;
    set.slide("Learning rate", plain_number(o.rate), kRates, o.rate);
    set.slide("Weight decay", plain_number(o.weight_decay), kDecayed, o.weight_decay);
    set.slide("Steepness across", plain_number(state.valley.across), kAcross, state.valley.across);
    set.slide("Noise of gradients", plain_number(state.valley.noise), kNoise, state.valley.noise);
    if (toggle(p, area.cut_top(p.px(30)), "Bias correction", o.bias_correction))
    {
        o.bias_correction = !o.bias_correction;
    }
    tooltip(p, "Adam divides its averages by 1 \u2212 beta^t, since they start at 0 (I)");
    if (button(p, area.cut_top(p.px(32)), "Other noise", "R"))
    {
        ++o.seed;
    }
    area.cut_top(p.px(8));
    fact_row(p, area, "SGD is stable below", three_digits(largest_stable_rate(state.valley)));
    fact_row(p, area, "Betas", fmt::format("{:g}, {:g}", o.beta1, o.beta2));
}

void draw_batch(const Painter& p, Rect area, OptimizerState& state, const Frame& frame)
{
    Settings set(p, area, state.entry);
    set.slide("Loss, nats a token", plain_number(state.loss), kLosses, state.loss);
    constexpr std::array<std::string_view, 2> kRules{"linear", "square root"};
    p.text_within(area.x, area.y + p.px(10), area.w, Type::small, p.theme.muted, "Rate with the batch");
    area.cut_top(p.px(22));
    if (const auto chosen = segments(p, area.cut_top(p.px(32)), kRules, state.root ? 1 : 0))
    {
        state.root = *chosen == 1;
    }
    area.cut_top(p.px(8));
    const double batch = batch_tokens(frame.now.scenario);
    const double critical = critical_batch_tokens(state.loss);
    fact_row(p, area, "Batch now", format_count(batch));
    fact_row(p, area, "Critical", format_count(critical));
    fact_row(p, area, "A step learns", format_percent(step_progress(batch, critical)));
    const double twice =
        state.root ? sqrt_scaled(state.rate.peak, 1, 2) : linear_scaled(state.rate.peak, 1, 2);
    fact_row(p, area, "Rate at twice the batch", learning_rate_words(twice));
    area.cut_top(p.px(8));
    p.rich(area, Type::small, Type::small_strong, p.theme.muted,
           "The critical batch **grows as the loss falls**: late in training larger batches pay.");
}

} // namespace

void draw_optimizer_panel(const Painter& p, Rect area, OptimizerState& state, const Frame& frame)
{
    if (const auto chosen =
            segments(p, area.cut_top(p.px(32)), kOptimizerPages, static_cast<std::size_t>(state.page)))
    {
        state.page = static_cast<OptimizerPage>(*chosen);
    }
    area.cut_top(p.px(8));
    switch (state.page)
    {
    case OptimizerPage::schedule:
        draw_rate(p, area, state, frame);
        break;
    case OptimizerPage::clip:
        draw_clip(p, area, state);
        break;
    case OptimizerPage::descent:
        draw_descent(p, area, state);
        break;
    case OptimizerPage::batch:
        draw_batch(p, area, state, frame);
        break;
    }
}

} // namespace ringside
