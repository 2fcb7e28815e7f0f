#include "ui/views/training/optimizer/words.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/training/optimizer/pages.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::string_view source_of(Decay decay)
{
    switch (decay)
    {
    case Decay::cosine:
        return "Loshchilov and Hutter 2017, arXiv 1608.03983, equation 5, without restarts";
    case Decay::inverse_sqrt:
        return "Vaswani et al. 2017, arXiv 1706.03762";
    case Decay::wsd:
        return "Hu et al. 2024, arXiv 2404.06395: warmup, stable, decay";
    case Decay::linear:
    case Decay::constant:
        break;
    }
    return "Warmup: Goyal et al. 2017, arXiv 1706.02677, section 2.2";
}

Caption of_rate(const OptimizerState& state, const Frame& frame)
{
    const RateSchedule s = schedule_of(state, frame.now.scenario);
    const std::int64_t at = rate_step_at(state, frame);
    const double rate = learning_rate(s, at);
    Caption c;
    c.sentence =
        fmt::format("Step {} of {}: the rate is **{}**, {} of its peak.",
                    step_number_words(static_cast<double>(at)), step_number_words(static_cast<double>(s.end)),
                    learning_rate_words(rate), format_percent(rate / s.peak));
    c.formula = rate_formula(s, at);
    c.source = source_of(s.decay);
    return c;
}

Caption of_clip(const OptimizerState& state)
{
    const double norm = std::hypot(state.gx, state.gy);
    const double factor = clip_factor(norm, state.limit);
    Caption c;
    c.sentence = factor < 1
                     ? fmt::format("A norm of {} comes down to {}: **shorter, in the same direction**.",
                                   three_digits(norm), three_digits(state.limit))
                     : fmt::format("A norm of {} is within {}: **nothing changes**.", three_digits(norm),
                                   three_digits(state.limit));
    c.formula = fmt::format("min(1, c / |g|) = min(1, {} / {}) = {}", three_digits(state.limit),
                            three_digits(norm), three_digits(factor));
    c.source = "Pascanu et al. 2013, arXiv 1211.5063, algorithm 1";
    return c;
}

std::string update_formula(const DescentOptions& o)
{
    const std::string rate = plain_number(o.rate);
    const std::string decay = o.weight_decay > 0 ? fmt::format(" + {} w", plain_number(o.weight_decay)) : "";
    const std::string inside = decay.empty() ? "" : fmt::format("g +={};  ", decay.substr(2));
    switch (o.stepper)
    {
    case Stepper::sgd:
        return decay.empty() ? fmt::format("w \u2212= {} g", rate)
                             : fmt::format("w \u2212= {} (g{})", rate, decay);
    case Stepper::momentum:
        return fmt::format("u = {:g} u + g{};  w \u2212= {} u", o.momentum, decay, rate);
    case Stepper::adam_l2:
        return fmt::format("{}w \u2212= {} m / (sqrt(v) + {:g})", inside, rate, o.epsilon);
    case Stepper::adamw:
        break;
    }
    return decay.empty() ? fmt::format("w \u2212= {} m / (sqrt(v) + {:g})", rate, o.epsilon)
                         : fmt::format("w \u2212= {} (m / (sqrt(v) + {:g}){})", rate, o.epsilon, decay);
}

std::string_view source_of(Stepper stepper)
{
    switch (stepper)
    {
    case Stepper::sgd:
        return "Diverges from 2 / the largest curvature on";
    case Stepper::momentum:
        return "Sutskever et al. 2013; PyTorch\u2019s form";
    case Stepper::adam_l2:
        return "Kingma and Ba 2015, arXiv 1412.6980, algorithm 1. The decay is divided by sqrt(v) like the "
               "gradient, so "
               "steep weights hardly decay";
    case Stepper::adamw:
        break;
    }
    return "Loshchilov and Hutter 2019, arXiv 1711.05101, algorithm 2";
}

Caption of_descent(const OptimizerState& state, const Frame& frame)
{
    const auto path = descend(state.valley, state.descent);
    const std::size_t at = std::min(descent_step_at(state, frame), path.size() - 1);
    const DescentOptions& o = state.descent;
    Caption c;
    c.sentence = diverged(path)
                     ? fmt::format("{} !!diverges!!: its rate of {} is too large for a valley this steep.",
                                   name_of(o.stepper), plain_number(o.rate))
                     : fmt::format("After {} step{} {} is at a loss of **{}**; it began at {}.", at,
                                   at == 1 ? "" : "s", name_of(o.stepper), three_digits(path[at].loss),
                                   three_digits(path.front().loss));
    c.formula = update_formula(o);
    c.source = source_of(o.stepper);
    return c;
}

Caption of_batch(const OptimizerState& state, const Frame& frame)
{
    const double critical = critical_batch_tokens(state.loss);
    const double batch = batch_tokens(frame.now.scenario);
    Caption c;
    c.sentence =
        fmt::format("{} tokens per step: **{}\u00d7** the fewest steps, **{}\u00d7** the fewest examples.",
                    format_count(batch), three_digits(steps_over_least(batch, critical)),
                    three_digits(examples_over_least(batch, critical)));
    c.formula = fmt::format("1 + B_crit / B = 1 + {} / {};  1 + B / B_crit;  B_crit = 2e8 / {:g}^(1/0.21)",
                            format_count(critical), format_count(batch), state.loss);
    c.source =
        "McCandlish et al. 2018, arXiv 1812.06162; the critical batch of a loss: Kaplan et al. 2020, arXiv "
        "2001.08361, measured up to some million tokens. B_noise = tr(Sigma) / |G|^2, which the lab "
        "measures.";
    return c;
}

} // namespace

std::string rate_formula(const RateSchedule& s, std::int64_t step)
{
    const std::string now = learning_rate_words(learning_rate(s, step));
    if (step < s.warmup)
    {
        return fmt::format("peak (t + 1) / warmup = {} \u00d7 {} / {} = {}", learning_rate_words(s.peak),
                           step + 1, s.warmup, now);
    }
    const double way =
        s.end > s.warmup ? static_cast<double>(step - s.warmup) / static_cast<double>(s.end - s.warmup) : 1;
    const std::string floor = learning_rate_words(s.peak * s.final_share);
    switch (s.decay)
    {
    case Decay::cosine:
        return fmt::format("floor + (peak \u2212 floor) (1 + cos(pi \u00d7 {:.3f})) / 2 = {}, floor {}", way,
                           now, floor);
    case Decay::linear:
        return fmt::format("floor + (peak \u2212 floor) (1 \u2212 {:.3f}) = {}, floor {}", way, now, floor);
    case Decay::inverse_sqrt:
        return fmt::format("peak sqrt(warmup / (t + 1)) = {} \u00d7 sqrt({} / {}) = {}",
                           learning_rate_words(s.peak), std::max<std::int64_t>(1, s.warmup), step + 1, now);
    case Decay::wsd:
        return fmt::format("peak until {} of the run, then a line down to {}: {}", format_percent(s.stable),
                           floor, now);
    case Decay::constant:
        break;
    }
    return fmt::format("peak = {}", now);
}

Caption optimizer_caption(const OptimizerState& state, const Frame& frame)
{
    switch (state.page)
    {
    case OptimizerPage::clip:
        return of_clip(state);
    case OptimizerPage::descent:
        return of_descent(state, frame);
    case OptimizerPage::batch:
        return of_batch(state, frame);
    case OptimizerPage::schedule:
        break;
    }
    return of_rate(state, frame);
}

} // namespace ringside
