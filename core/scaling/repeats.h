// Data that runs out: what tokens are worth that are seen again (Muennighoff et al. 2023, arXiv 2305.16264).
// The fit assumes that repeats never harm, which holds to some tens of passes.
//
// The fit has constants of its own (C4 data) and is not mixed with those of law.h.
#pragma once

#include "core/scaling/law.h"

namespace ringside
{

// R*_D and R*_N, appendix A: repeats (and parameters in excess) lose their worth as e^(-R / R*).
inline constexpr double kRepeatDecay = 15.387756;
inline constexpr double kExcessDecay = 5.309743;

// Tokens of one pass that would be worth as much as `seen` tokens out of `unique`: U + U R* (1 - e^(-R / R*))
// with R = seen / unique - 1 (equation 5). At most 16.4 U; `seen` itself up to one pass.
double effective_tokens(double unique, double seen);
// Effective parameters, whose unique part is the optimum for the unique tokens (equation 6).
double effective_parameters(double parameters, double unique);
// Parameters that are compute-optimal for so many tokens by this fit: 0.051 U (appendix A).
double parameters_for_unique(double unique);
// L = E + A / N'^0.353 + B / D'^0.353 with the constants of appendix A: 521, 1488 and 1.87. N, unique and
// seen above 0; otherwise infinite.
double repeated_loss(double parameters, double unique, double seen);
// What the next pass is worth against fresh tokens, after so many passes: e^(-(passes - 1) / R*). 1 before
// the end of the first.
double worth_of_next_pass(double passes);

} // namespace ringside
