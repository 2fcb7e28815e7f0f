// Floating-point operations of one optimizer step. Matrix products only, a multiply and an add counting 2;
// nothing about time.
#pragma once

#include "core/base/units.h"
#include "core/model/weights.h"

namespace ringside
{

struct ComputeReport
{
    Flops model_step;    // forward and backward once: what MFU counts
    Flops hardware_step; // with everything computed again: what HFU counts
    Flops forward_token; // forward of one token, attention included
    // FLOPs of one token: the products of all layers, their attention, the output projection, and what the
    // backward recomputes.
    Flops products_token;
    Flops attention_token;
    Flops head_token;
    Flops again_token;
};

// Whether selective recomputation covers the module; attention's core where none is named.
bool covers(const Training& training, RecomputeModule module);
// Whether selective recomputation makes this product of a layer again.
bool made_again(const Training& training, const Weight& weight, bool experts);

// Korthikanti et al., arXiv 2205.05198, equations 7 and 8, for any shape: 2 FLOPs per active weight of every
// product and 4 s a d per token of attention (full scores, no causal half), backward twice the forward.
ComputeReport compute_report(const Scenario& scenario);

// The share of the forward FLOPs of a layer's products that alternate recomputation repeats: every second
// product in their order, and all of the experts' (torchtitan's "op", see activations/tensors.h).
double alternate_share(const Model& model, LayerKind kind);

} // namespace ringside
