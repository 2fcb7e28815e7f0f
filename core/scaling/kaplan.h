// The first scaling laws (Kaplan et al. 2020, arXiv 2001.08361). N leaves out embeddings, compute is counted
// in PF-days, and learning-rate schedules were of one length, which favours large models on few tokens
// (Hoffmann et al. 2022, section 2).
//
// Its optimum is drawn; no isoFLOP curve is, because its joint loss assumes early stopping and not one pass
// over the data.
#pragma once

#include "core/scaling/law.h"

namespace ringside
{

// [FLOP] 10^15 operations a second for a day.
inline constexpr double kPetaflopDay = 1e15 * 86400;

// The loss by N and D together, with early stopping: equation 1.5 with the constants of Table 2.
double kaplan_loss(double parameters, double tokens);
// Table 6: N = 1.3e9 C^0.73 and D = 2e10 C^0.27, C in PF-days. The two are fitted apart, and 6 N D is 1.8
// times C at one PF-day. 0 where the budget is not above 0.
ComputeOptimum kaplan_optimum(double flops);

} // namespace ringside
