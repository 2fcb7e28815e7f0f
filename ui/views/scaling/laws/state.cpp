#include "ui/views/scaling/laws/state.h"

#include <algorithm>

namespace ringside
{

double LawsRange::held(double value) const
{
    return std::clamp(value, least, most);
}

LawsSplit split_of(const Frame& frame, const LawsState& state)
{
    LawsSplit s;
    const ComputeOptimum own{static_cast<double>(frame.now.report.parameters.active),
                             frame.now.scenario.training.tokens};
    const ComputeOptimum at = state.moved.value_or(own);
    s.parameters = kLawsParameters.held(at.parameters);
    s.tokens = kLawsTokens.held(at.tokens);
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
    const double n = kLawsParameters.held(parameters);
    move_to(state, n, now.flops / training_flops(n, 1));
}

void move_to(LawsState& state, double parameters, double tokens)
{
    state.moved = ComputeOptimum{kLawsParameters.held(parameters), kLawsTokens.held(tokens)};
}

double unique_of(const LawsState& state, const LawsSplit& split)
{
    return kLawsTokens.held(state.unique.value_or(split.tokens / 4));
}

} // namespace ringside
