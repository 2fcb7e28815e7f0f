// What one GPU puts on the wire in a step, by the layout's closed forms, and what that means for comparing
// layouts. All bytes are sent by one GPU in one optimizer step. Averages over stages; nothing about topology
// or congestion.
#pragma once

#include "core/engine/memory.h"

namespace ringside
{

Bytes tensor_traffic(const Scenario& scenario);
Bytes context_traffic(const Scenario& scenario);
Bytes expert_traffic(const Scenario& scenario);
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

// Gradients go down to the host's optimizer and new weights come back (Ren et al., ZeRO-Offload, arXiv
// 2101.06840, section 3).
struct HostTraffic
{
    Bytes down;
    Bytes up;
};
HostTraffic host_traffic(const Scenario& scenario, const MemoryReport& memory);

// FLOPs at the GPU's peak, the bubble's closed form, and every byte at its link's full rate, without latency.
// Good for comparing neighbours of one scenario; a poor forecast of a step.
struct StepEstimate
{
    Seconds exposed; // compute, bubble, and tensor, context and expert traffic: on the critical path
    Seconds hidden;  // data-parallel and host traffic, which can run beside compute
};
StepEstimate estimated_step(const Scenario& scenario, const MemoryReport& memory);

} // namespace ringside
