// What context parallelism costs a scenario: bytes of a hop and of the other ways to share a sequence, and
// from how many tokens on a block's compute hides the next block's transfer. Closed forms; ring_attention.h
// says who computes what.
//
// Without context parallelism in the scenario a degree of 8, 4 or 2 is assumed. Overlap is judged by rates
// that are reached, not by the data sheet's; published block sizes (F / B) are tested with the data sheet's.
// With latent attention the ring sends latents and Ulysses expanded heads. Replicating key/value heads for
// Ulysses and mixing Ulysses with a ring are left out.
#pragma once

#include "core/base/text/term.h"
#include "core/base/units.h"
#include "core/scenario/scenario.h"

namespace ringside
{

// All of one layer's forward for one micro-batch, on one GPU.
struct ContextPlan
{
    Scenario scenario;       // the one all else is about: as given, or with a context cut supposed
    bool supposed = false;   // the scenario has none
    std::int64_t ranks = 1;  // cp
    double tokens = 0;       // c = s / cp
    bool leaves = false;     // a context group has members in two nodes
    Bytes message;           // of one hop: keys and values of c tokens
    Bytes ring;              // (cp - 1) hops; an all-gather of keys and values sends as much
    Bytes exchange;          // Ulysses: queries, keys, values and outputs by all-to-all
    std::int64_t most = 1;   // GPUs that Ulysses can use: key/value heads of a tensor rank
    double tile_flops = 0;   // FLOPs of c queries on c keys, nothing masked
    double flops_per_s = 0;  // that attention reaches
    double bytes_per_s = 0;  // of the link, as rings reach it
    double least_tokens = 0; // c from which on a full block hides a hop

    double tile_s() const { return tile_flops / flops_per_s; }
    double hop_s() const { return bytes_per_s > 0 ? message.value / bytes_per_s : 0; }
    // Causal and evened out: half of every block is masked, so twice the tokens.
    double least_causal() const { return 2 * least_tokens; }
};

// The scenario must be valid.
ContextPlan context_plan(const Scenario& scenario);

// Tokens from which on a full block hides a hop: c >= w_kv bytes F / (2 (d_k + d_v) a B); for as many
// key/value heads as queries and 2 bytes this is F / B (Liu et al. 2023, arXiv 2310.01889, section 3). 0
// without a rate.
double least_block(double kv_bytes_per_token, double flops_per_pair, double flops_per_s, double bytes_per_s);

Term explain_hop(const ContextPlan& plan);
Term explain_least_block(const ContextPlan& plan);
Term explain_exchange(const ContextPlan& plan);

} // namespace ringside
