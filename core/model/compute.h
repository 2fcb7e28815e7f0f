// Floating-point operations of one optimizer step. Matrix products only, a multiply and an add counting 2;
// nothing about time.
#pragma once

#include "core/base/units.h"
#include "core/scenario/scenario.h"

namespace ringside
{

struct ComputeReport
{
    Flops model_step;    // forward and backward once: what MFU counts
    Flops hardware_step; // with everything computed again: what HFU counts
    Flops forward_token; // forward of one token, attention included
    // Of one token: the products of all layers, their attention, the output projection, and what the backward
    // computes again.
    Flops products_token;
    Flops attention_token;
    Flops head_token;
    Flops again_token;
};

// Korthikanti et al., arXiv 2205.05198, equations 7 and 8, for any shape: 2 FLOPs per active weight of every
// product and 4 s a d per token of attention (full scores, no causal half), backward twice the forward.
ComputeReport compute_report(const Scenario& scenario);

// Of the scores of full attention over `tokens`, what the layers make: of a window of r times the sequence
// 2 r - r^2, the mean of min(i, w) over half the sequence. 1 without windows.
double scores_share(const Model& model, double tokens);
// Of the forward FLOPs of a layer's products, what alternate recomputation makes again: of the products in
// their order every second one, and all of the experts' (torchtitan's "op", see activations/tensors.h).
double alternate_share(const Model& model, bool with_experts);

} // namespace ringside
