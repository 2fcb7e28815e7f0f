// What a longer sequence costs: the operations of a forward pass in a linear and a quadratic part, and the
// memory of the peak-memory GPU. One model, one layout; how to cut a long sequence is not asked here.
//
// All scores count by default, as in MFU. The output projection is a line of its own and belongs to neither
// side of the crossover. Memory is the report's at each length; stored scores are the difference to the same
// stage with flash attention, and the chart draws them even where the scenario stores none, because that
// line is what flash attention removes. KV caches for serving are not counted here.
#pragma once

#include "core/memory/memory.h"

#include <vector>

namespace ringside
{

enum class Mask
{
    full,  // every token scores every token: what MFU counts by custom
    causal // only those before it: half as many, and what flash attention computes
};

// [FLOP] Forward, of all layers together, as compute.h counts: 24 b s h^2 + 4 b s^2 h a layer for the classic
// model (Korthikanti et al. 2022, arXiv 2205.05198, appendix A; Narayanan et al. 2021, arXiv 2104.04473,
// equation 3), and its counterpart for gated, grouped, latent and expert layers.
struct ContextFlops
{
    double products = 0; // of a token: matrices of all layers
    double scores = 0;   // of a token and a token it looks at: query times key, score times value
    double head = 0;     // of a token: the output projection

    double of_products(double tokens) const { return tokens * products; }
    double of_head(double tokens) const { return tokens * head; }
    double of_scores(double tokens, Mask mask) const
    {
        return tokens * tokens * scores * (mask == Mask::causal ? 0.5 : 1);
    }
    // FLOPs of one sequence.
    double total(double tokens, Mask mask) const
    {
        return of_products(tokens) + of_head(tokens) + of_scores(tokens, mask);
    }
};

ContextFlops context_flops(const Scenario& scenario);
// Tokens at which the scores cost as many operations as all matrices of the layers: 6 h for the classic
// model, twice that when causal. 0 where there is no attention to speak of.
double crossover_tokens(const ContextFlops& flops, Mask mask);
// The scores' share of the layers' operations, the output projection left out. 0 to 1.
double scores_share(const ContextFlops& flops, double tokens, Mask mask);
// How many times the operations twice the tokens take: 2 for short sequences, 4 in the limit.
double doubling_factor(const ContextFlops& flops, double tokens, Mask mask);

// Memory of the fullest GPU at one length of the sequence, in bytes; the parts add up to `total`.
struct ContextMemory
{
    std::int64_t tokens = 0;
    double state = 0;  // weights, gradients, optimizer
    double linear = 0; // activations that grow like the sequence
    double scores = 0; // stored score matrices; 0 with flash attention or recomputed
    double logits = 0; // 0 where another stage than the last is the fullest
    double buffers = 0;
    double total = 0;
};

// The scenario must be valid with this length of the sequence.
ContextMemory context_memory(const Scenario& scenario, std::int64_t tokens);
// Powers of two from 512 to 4 Mi tokens that are valid for the scenario's layout, and the scenario's own.
std::vector<std::int64_t> context_lengths(const Scenario& scenario);

} // namespace ringside
