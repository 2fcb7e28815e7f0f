#include <fmt/format.h>

#include "core/base/term.h"
#include "core/base/text.h"
#include "core/scaling/lifetime.h"
#include "core/scaling/repeats.h"
#include "ui/views/scaling/laws/pictures.h"

#include <cmath>

namespace ringside
{

namespace
{

std::string fit_formula(const LossFit& fit, const LawsSplit& s)
{
    return fmt::format("L = E + A/N^\u03b1 + B/D^\u03b2 = {} + {} + {} = {:.3f}", figure(fit.floor, 4),
                       figure(fit.a / std::pow(s.parameters, fit.alpha), 3),
                       figure(fit.b / std::pow(s.tokens, fit.beta), 3), s.loss);
}

std::string fit_source(const LossFit& fit)
{
    return fmt::format("E = {:g}, A = {:g}, B = {:g}, \u03b1 = {:g}, \u03b2 = {:g}\n{}", fit.floor, fit.a,
                       fit.b, fit.alpha, fit.beta, fit.source);
}

Caption valleys_caption(const LawsState& state, const LawsSplit& s)
{
    Caption c;
    const bool there = s.overspent < 1.005;
    const std::string best =
        fmt::format("{} are best spent on **{} parameters and {} tokens**", flop_words(s.flops),
                    format_count(s.best.parameters), format_count(s.best.tokens));
    c.sentence = there
                     ? best + ": this point."
                     : fmt::format("{}; this loss needs only **{}**.", best, format_percent(1 / s.overspent));
    c.formula = fit_formula(state.fit(), s);
    c.source = fit_source(state.fit());
    return c;
}

Caption models_caption(const LawsState& state, const LawsSplit& s)
{
    Caption c;
    const double times = s.parameters / s.best.parameters;
    c.sentence = fmt::format(
        "{} on {}: **{} tokens per parameter**, {}\u00d7 {} than {} would have it.",
        format_count(s.parameters), format_count(s.tokens), three_digits(s.tokens / s.parameters),
        three_digits(times > 1 ? times : 1 / times), times > 1 ? "larger" : "smaller", state.fit().name);
    c.formula = fmt::format("D / N = {} / {} = {};  C = 6 N D = {}", figure(s.tokens, 3),
                            figure(s.parameters, 3), figure(s.tokens / s.parameters, 3), flop_words(s.flops));
    c.source = fit_source(state.fit());
    return c;
}

Caption serving_caption(const LawsState& state, const LawsSplit& s)
{
    Caption c;
    const auto best = lifetime_optimum(state.fit(), s.loss, state.served);
    const ComputeOptimum plain = optimum(state.fit(), compute_for_loss(state.fit(), s.loss));
    const auto before = lifetime_at(state.fit(), s.loss, plain.parameters, state.served);
    if (!best || !before)
    {
        c.sentence = "No size reaches this loss.";
        return c;
    }
    c.sentence =
        fmt::format("For {} tokens served **{} on {}** is cheapest: **{} less** than the compute-optimal {}.",
                    format_count(state.served), format_count(best->parameters), format_count(best->tokens),
                    format_percent(1 - best->total() / before->total()), format_count(plain.parameters));
    c.formula = fmt::format("6 N D + 2 N D_served = {} + {} = {}", figure(best->training, 3),
                            figure(best->serving, 3), flop_words(best->total()));
    c.source = "Sardana et al. 2024, arXiv 2401.00448: the least at equal loss.\n" + fit_source(state.fit());
    return c;
}

Caption repeats_caption(const LawsState& state, const LawsSplit& s)
{
    Caption c;
    const double unique = unique_of(state, s);
    const double worth = effective_tokens(unique, unique * state.passes);
    c.sentence =
        fmt::format("{} passes over {} tokens are worth **{} fresh ones**; the next pass is worth **{}** "
                    "of a fresh one.",
                    three_digits(state.passes), format_count(unique), format_count(worth),
                    format_percent(worth_of_next_pass(state.passes)));
    c.formula = fmt::format(
        "D\u2032 = U + U R* (1 \u2212 e^(\u2212R/R*)), R* = {:.4g}, R = {} \u2212 1; D\u2032 = {}",
        kRepeatDecay, figure(state.passes, 3), figure(worth, 3));
    c.source =
        "Muennighoff et al. 2023, arXiv 2305.16264, equation 5 and appendix A. Repeats cannot hurt in this "
        "fit; beyond some tens of passes they do.";
    return c;
}

Caption caption_of(const LawsState& state, const LawsSplit& split)
{
    switch (state.picture)
    {
    case LawsPicture::valleys:
        return valleys_caption(state, split);
    case LawsPicture::models:
        return models_caption(state, split);
    case LawsPicture::serving:
        return serving_caption(state, split);
    case LawsPicture::repeats:
        break;
    }
    return repeats_caption(state, split);
}

} // namespace

std::string flop_words(double flops)
{
    return figure(flops, 3) + " FLOP";
}

Caption laws_caption(const LawsState& state, const LawsSplit& split)
{
    Caption caption = caption_of(state, split);
    caption.sentence += split.moved_in ? " The scenario itself lies beyond this picture." : "";
    return caption;
}

} // namespace ringside
