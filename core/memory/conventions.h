// What other tools and papers count as "memory", formula for formula, so that their numbers can be set beside
// ours.
#pragma once

#include "core/base/units.h"
#include "core/scenario/scenario.h"

#include <cstdint>

namespace ringside
{

// ZeRO, arXiv 1910.02054, Table 1 and section 5: 2P + 2P + 12P with the stage's shares divided by N.
// Continuous division.
Bytes zero_paper_bytes(double parameters, std::int64_t ranks, std::int64_t stage);

// Megatron-LM's theoretical report (megatron/training/theoretical_memory_usage.py): its own parameter count
// (no biases), 18 bytes a parameter, or 6 + 12/DP with the distributed optimizer, on the most loaded shard;
// activations of the first stage.
struct MegatronReport
{
    Bytes weights_and_optimizer;
    Bytes activations;

    Bytes total() const { return weights_and_optimizer + activations; }
};
MegatronReport megatron_report(const Scenario& scenario);

// DeepSpeed's estimate_zero2/zero3_model_states_mem_needs (deepspeed/runtime/zero): model states only.
struct DeepSpeedEstimate
{
    Bytes gpu;
    Bytes cpu;
};
struct DeepSpeedInputs
{
    std::int64_t parameters = 0;
    std::int64_t largest_layer = 0; // parameters of the largest layer (ZeRO-3)
    std::int64_t gpus_per_node = 8;
    std::int64_t nodes = 1;
    bool offload_optimizer = false;
    bool offload_parameters = false; // ZeRO-3
    bool zero_init = true;           // ZeRO-3
    double buffer_factor = 1.5;
};
DeepSpeedEstimate deepspeed_zero2(const DeepSpeedInputs& inputs);
DeepSpeedEstimate deepspeed_zero3(const DeepSpeedInputs& inputs);
// The inputs a scenario gives.
DeepSpeedInputs deepspeed_inputs(const Scenario& scenario);

// Korthikanti et al., arXiv 2205.05198, Table 2: bytes of one layer of a GPT (ffn = 4h, dropout, 16 bit).
// NOLINTNEXTLINE(readability-function-size): the parameters are the paper's symbols
double korthikanti_layer(double s, double b, double h, double a, double t, bool sequence_parallel,
                         Recompute recompute);
// Equation 5 and section 4.2.3: the first stage keeps L layers' worth whatever p is, times (1 + (p-1)/(p v))
// when interleaved.
double korthikanti_first_stage(const Scenario& scenario);

} // namespace ringside
