#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/scaling/laws/pages.h"

#include <cmath>

namespace ringside
{

LawsSplit split_of(const Frame& frame, const LawsState& state)
{
    LawsSplit s;
    const ComputeOptimum own{static_cast<double>(frame.now.report->parameters.active),
                             frame.now.scenario.training.tokens};
    const ComputeOptimum at = state.moved.value_or(own);
    s.parameters = kLawsParameters.clamped(at.parameters);
    s.tokens = kLawsTokens.clamped(at.tokens);
    s.moved_in = s.parameters != at.parameters || s.tokens != at.tokens;
    s.flops = training_flops(s.parameters, s.tokens);
    s.loss = loss(state.fit(), s.parameters, s.tokens);
    s.best = optimum(state.fit(), s.flops);
    s.best_loss = loss(state.fit(), s.best.parameters, s.best.tokens);
    s.overspent = overspending(state.fit(), s.parameters, s.flops);
    return s;
}

void move_along(LawsState& state, const LawsSplit& now, double parameters)
{
    const double n = kLawsParameters.clamped(parameters);
    move_to(state, n, now.flops / training_flops(n, 1));
}

void move_to(LawsState& state, double parameters, double tokens)
{
    state.moved = ComputeOptimum{kLawsParameters.clamped(parameters), kLawsTokens.clamped(tokens)};
}

void panel_split(PanelColumn& column, const LawsRoom& r, const std::function<void(const LawsSplit&)>& own)
{
    LawsState& state = r.state;
    column.choice({"Printed", "Exact", "Refit"}, state.kind);
    LawsSplit split = split_of(r.frame, state);
    double flops = split.flops;
    if (column.slide("Compute, FLOPs", kLawsCompute, flops))
    {
        // Both grow alike, so that the point keeps its tokens per parameter.
        const double grow = std::sqrt(flops / split.flops);
        move_to(state, split.parameters * grow, split.tokens * grow);
    }
    own(split);
    if (state.moved && column.button("Back to the scenario###as scenario", "R"))
    {
        state.moved.reset();
    }
    split = split_of(r.frame, state);
    const auto say_loss = [](double nats) { return fmt::format("{:.3f}", nats); };
    const double ratio = split.tokens / split.parameters;
    column.fact("Tokens D", format_count(split.tokens));
    column.fact("Tokens per parameter", three_digits(ratio));
    column.fact("vs 20 tokens/param", three_digits(ratio / kTokensPerParameter) + "\u00d7");
    column.fact("Loss, nats per token", say_loss(split.loss));
    column.fact("Compute-optimal loss", say_loss(split.best_loss));
    column.fact(
        "Compute for this loss", format_percent(1 / split.overspent),
        "Compute that reaches this loss at the compute-optimal size, relative to the compute on show");
}

Caption split_caption(const LawsState& state, const LawsSplit& split, std::string sentence,
                      std::string formula)
{
    const LossFit& fit = state.fit();
    sentence += split.moved_in ? " The scenario itself lies beyond this picture." : "";
    return {std::move(sentence), std::move(formula),
            fmt::format("E = {:g}, A = {:g}, B = {:g}, \u03b1 = {:g}, \u03b2 = {:g}\n{}", fit.floor, fit.a,
                        fit.b, fit.alpha, fit.beta, fit.source)};
}

std::string flop_words(double flops)
{
    return figure(flops, 3) + " FLOPs";
}

} // namespace ringside
