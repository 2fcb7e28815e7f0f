// Muon: every matrix's momentum is made orthogonal before it is subtracted, by Newton-Schulz iterations
// (Jordan et al. 2024, kellerjordan.github.io/posts/muon; Liu et al. 2025, Muon is Scalable for LLM Training,
// arXiv 2502.16982). What the iterations do to singular values, and what they cost; the state's bytes are
// memory.h's.
//
// FLOPs are of one GPU that does every matrix once. Embeddings, output head and vectors stay with AdamW.
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

inline constexpr std::int64_t kMuonSteps = 5;

// A singular value after so many iterations of a s + b s^3 + c s^5, with Jordan's a, b, c = 3.4445, -4.7750,
// 2.0315. Between about 0.7 and 1.2 after five for values of 0.01 and more.
double newton_schulz(double singular, std::int64_t steps);

// [FLOP] X X' (2 m^2 n), its square (2 m^3) and a product with X (2 m^2 n) in each step, m the shorter side.
double muon_flops(double rows, double cols, std::int64_t steps = kMuonSteps);

struct MuonCost
{
    double matrices = 0;    // parameters that Muon updates
    double flops = 0;       // of an update
    double token_flops = 0; // of training one token in these matrices: 6 for each active parameter

    // The share of a step's FLOPs in these matrices. For square ones 5 m / tokens.
    double overhead(double tokens) const { return flops / (token_flops * tokens); }
};
// The cost for all layers' matrices; experts count all, of which a token trains some.
MuonCost muon_cost(const Model& model, std::int64_t steps = kMuonSteps);

// [B] of each parameter that a data-parallel rank exchanges: gradients reduced and weights gathered in FP32,
// and where matrices are sharded their momentum gathered in 16 bits (arXiv 2502.16982, section 2.3: at most
// 1.25 times AdamW's).
double adamw_exchanged();
double muon_exchanged();

} // namespace ringside
