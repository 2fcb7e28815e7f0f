// What tensor parallelism costs a scenario: the message of its collectives, how often, heads on a GPU, and
// what a layer keeps with and without sequence parallelism. Bytes are those of traffic.h and memory.h.
//
// Without tensor parallelism in the scenario a degree of 8, 4 or 2 is assumed. Key/value heads fewer than
// ranks are repeated, as Megatron-Core does. The second all-gather of the backward (a sharded input that is
// not kept is gathered again for the weight gradient) is not counted, as in traffic.h.
#pragma once

#include "core/base/text/term.h"
#include "core/base/units.h"
#include "core/scenario/scenario.h"

namespace ringside
{

struct TensorPlan
{
    Scenario scenario;          // the one all else is about: as given, or with a tensor cut supposed
    bool supposed = false;      // the scenario has none
    std::int64_t ranks = 1;     // t
    Bytes message;              // of one all-reduce: b s h elements
    Bytes sent;                 // 2 (t-1)/t of it, by one GPU; a gather and a scatter send as much together
    std::int64_t passes = 4;    // all-reduces of a dense layer and micro-batch, forward and backward
    std::int64_t heads = 1;     // query heads on one GPU
    std::int64_t kv_heads = 1;  // key/value heads on one GPU
    std::int64_t kv_copies = 1; // GPUs with the same key/value head: t / h_kv where there are too few
    Bytes kept;                 // of one layer and micro-batch on one GPU, without sequence parallelism
    Bytes kept_split;           // the same with it
};

// The scenario must be valid.
TensorPlan tensor_plan(const Scenario& scenario);

Term explain_tensor_sent(const TensorPlan& plan);

} // namespace ringside
