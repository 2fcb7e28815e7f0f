// What one GPU puts on the wire in a step, by the layout's closed forms, and what that means for comparing
// layouts. All bytes are whole, and sent by one GPU in one optimizer step. Averages over stages; nothing
// about topology or congestion.
#pragma once

#include "core/memory/memory.h"

namespace ringside
{

// What a GPU sends in a step on the tensor, context and expert axes.
Bytes tensor_traffic(const Scenario& scenario);
Bytes context_traffic(const Scenario& scenario);
Bytes expert_traffic(const Scenario& scenario);

// What one layer communicates for one micro-batch, on one GPU. The message of a tensor group's all-reduce:
// b s h elements, of one context rank.
Bytes tensor_message(const Scenario& scenario);
// All-reduces of one pass through a layer: behind attention and behind the MLP (Shoeybi et al., arXiv
// 1909.08053, section 3), one in parallel blocks. With sequence parallelism each is a gather and a scatter of
// the same bytes (Korthikanti et al., arXiv 2205.05198, section 4.2.2); the paper gathers once more in the
// backward, beside the input gradient, which is not counted. Routed experts that are not cut themselves need
// none then: their tokens are split already.
std::int64_t tensor_all_reduces(const Scenario& scenario, bool with_experts);
// Keys and values that go one hop around the context ring, their gradients in the same format.
Bytes context_message(const Scenario& scenario);
// What a GPU has for all experts, its own among them, in one all-to-all.
Bytes expert_message(const Scenario& scenario);
// Passes through a layer that communicate: forward, backward, and the forward again where all is recomputed.
double forward_passes(const Scenario& scenario);
// Whether keys and values go round the context ring once more in the backward: where scores are computed
// again, with all of their layer or alone.
bool rings_again(Recompute recompute);
// Passes in which tensor parallelism communicates: those, and backward; of what alternate recomputation makes
// again only the gathers, as what is scattered is kept.
double tensor_passes(const Scenario& scenario);

// What data parallelism sends of some weights: round the ranks that share one sharded copy, and from copy to
// copy the gradients of what each of them owns (hybrid sharding: Zhao et al., arXiv 2304.11277,
// section 3.2.2).
struct CopyTraffic
{
    double shards = 0; // [B], before rounding
    double copies = 0;

    double total() const { return shards + copies; }
};
struct DataTraffic
{
    CopyTraffic dense;
    CopyTraffic expert; // of routed experts

    Bytes total() const; // whole
};
DataTraffic data_traffic_by_group(const Scenario& scenario, const MemoryReport& memory);
Bytes data_traffic(const Scenario& scenario, const MemoryReport& memory);

// What passes between two neighbouring stages for one micro-batch, one way, on one GPU: b s h elements
// (Narayanan et al., arXiv 2104.04473, section 3.2), shared out by context parallelism, and by tensor
// parallelism where that splits the sequence.
Bytes pipeline_message(const Scenario& scenario);

// Elements on the wire for each parameter: gradients reduced, weights gathered (ZeRO, arXiv 1910.02054,
// section 7). From ZeRO-2 on a rank has no room for whole gradients, so they travel after every micro-batch.
struct Trips
{
    double gradients;
    double weights;
};
Trips trips(const Scenario& scenario);

// Gradients go down to the host's optimizer once a step and new weights come back (Ren et al., ZeRO-Offload,
// arXiv 2101.06840, section 3); weights that live there come up for every forward and every backward instead
// (Rajbhandari et al., ZeRO-Infinity, arXiv 2104.07857, section 4.1).
struct HostTraffic
{
    Bytes down;
    Bytes up;
};
HostTraffic host_traffic(const Scenario& scenario, const MemoryReport& memory);

} // namespace ringside
