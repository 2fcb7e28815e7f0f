// How a scenario spreads its experts over GPUs and what their all-to-alls carry. Bytes are those of
// traffic.h; nothing about how evenly tokens fall, which is router.h's.
//
// A dense model is assumed to have eight experts. All bytes are 2 per element; FP8 dispatch, node-limited
// routing and one copy per node are dispatch.h's.
#pragma once

#include "core/base/text/term.h"
#include "core/base/units.h"
#include "core/scenario/scenario.h"

namespace ringside
{

struct ExpertPlan
{
    Scenario scenario;     // the one all else is about: as given, or with experts supposed
    bool supposed = false; // the model is dense: a mixture of 8 experts, 2 a token, in place of its MLPs
    std::int64_t experts = 8;
    std::int64_t chosen = 2;
    std::int64_t ranks = 1;  // ep
    std::int64_t held = 8;   // experts of a layer on one GPU: E / ep
    std::int64_t copies = 1; // GPUs that hold the same experts: expert data parallelism
    std::int64_t cut = 1;    // GPUs that share one expert: expert tensor parallelism
    bool leaves = false;     // an expert group has members in two nodes
    double tokens = 0;       // one GPU routes in a micro-batch: b s / (cp t)
    double element = 2;      // [B] on the wire
    Bytes message;           // of one all-to-all, a GPU's own part included: k T h elements
    Bytes sent;              // (ep - 1)/ep of it
    std::int64_t passes = 4; // all-to-alls of a layer and micro-batch: 2 forward, 2 backward, 2 if recomputed
    double parameters = 0;   // of routed experts on one GPU of the fullest stage
    double whole = 0;        // of them in the whole model
};

// The scenario must be valid.
ExpertPlan expert_plan(const Scenario& scenario);

// What one GPU sends in one all-to-all if tokens fall evenly: k T h x bytes x (ep-1)/ep. [B]
Term explain_expert_sent(const ExpertPlan& plan);
// Parameters of `redundant` more experts of every layer on one GPU.
double replica_parameters(const ExpertPlan& plan, std::int64_t redundant);
// GPUs that hold the same experts.
Term explain_expert_copies(const ExpertPlan& plan);

} // namespace ringside
