// How long one optimizer step takes and where the time goes. Made by core/performance/step_model from the
// GPU's calibration; times are those of the pipeline rank that works longest.
//
// The parts add up exactly, because each is rounded to one power of two, about 2^-44 of the step; so do the
// slices of the waterfall. MFU counts all scores of attention, as the papers it is compared with do.
// Gradients of fp16 training travel in 16 bits whatever they are summed in, as in Megatron-LM and DeepSpeed.
#pragma once

#include "core/base/names.h"
#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace ringside
{

// The way from the model's arithmetic at the GPU's peak down to the step.
enum class Slice : std::uint8_t
{
    model,           // products of the model's weights at the peak, shared out evenly over all GPUs
    attention,       // scores and values at the peak, those that kernels really make
    recompute,       // what is computed again, at the peak
    uneven,          // products of the slowest rank beyond its even share
    below_peak,      // what products take beyond the peak
    below_attention, // what attention takes beyond it
    memory,          // element-wise kernels
    launch,          // start and end of kernels, and waiting for the host
    tensor,
    context,
    expert,
    pipeline,
    data,
    bubble,
    optimizer
};
inline constexpr std::size_t kSlices = 15;
template <>
inline constexpr auto kNamesOf<Slice> = names<Slice>("model FLOPs at peak", "attention FLOPs at peak",
                                                     "recomputation", "stage imbalance", "GEMM inefficiency",
                                                     "attention inefficiency", "memory-bound kernels",
                                                     "kernel launches", "tensor parallel", "context parallel",
                                                     "expert parallel", "pipeline P2P, exposed",
                                                     "data parallel", "bubble", "optimizer");

// All in seconds. Every number is a multiple of one power of two, so that sums are exact in any order.
struct StepTime
{
    double compute = 0;       // kernels: forward, backward and what is computed again
    double bubble = 0;        // waiting for other stages
    double tensor_comm = 0;   // tensor-parallel collectives; nothing is computed meanwhile
    double context_comm = 0;  // keys and values that attention could not hide
    double expert_comm = 0;   // tokens to experts and back
    double pipeline_comm = 0; // between stages
    double data_exposed = 0;  // gradients and weights that nothing could hide, and what hiding costs compute
    double optimizer = 0;     // with what waits for host or disk where state or weights are offloaded

    double data_comm = 0; // all of it, hidden or not; no part of the sum

    std::array<double, kSlices> slices{}; // by Slice

    double model_flops = 0;     // of the step, all GPUs (Korthikanti et al., equation 7)
    double hardware_flops = 0;  // with what is computed again (equation 8)
    double parameter_flops = 0; // 6 N per token
    double causal_flops = 0;    // model_flops with half the scores
    double peak_flops = 1;      // [FLOP/s] dense, of all GPUs, in the precision of the products
    double tokens = 0;
    // The shares of the peak that products with weights and attention reach while they run.
    double gemm_share = 1;
    double attention_share = 1;

    // The sum of the eight parts.
    double total() const
    {
        return compute + bubble + tensor_comm + context_comm + expert_comm + pipeline_comm + data_exposed +
               optimizer;
    }
    double of(Slice slice) const { return slices[static_cast<std::size_t>(slice)]; }
    double tokens_per_second() const { return tokens / total(); }
    // The convention of every MFU and HFU that names no other: all scores of attention, dense peak.
    double mfu() const;
    double hfu() const;
};

// What people divide by what when they write MFU.
enum class Numerator : std::uint8_t
{
    parameters, // 6 N per token, attention left out
    full,       // with attention, all scores counted (PaLM, Megatron-LM)
    causal,     // with attention, scores above the diagonal left out
    hardware    // full, and what is computed again: HFU
};
enum class PeakKind : std::uint8_t
{
    dense,
    sparse // twice that, as data sheets print it first
};
double utilization(const StepTime& step, Numerator numerator, PeakKind peak);

// The scenario must be valid. Schedules without a closed form for its times are simulated, and extrapolated
// beyond 20,000 operations. scenario.stage_times are the pipeline picture's and change nothing here.
StepTime step_time(const Scenario& scenario);

} // namespace ringside
