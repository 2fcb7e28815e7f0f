// What the engine says of a configuration before any of it has been run, to be shown beside what was
// measured.
#pragma once

#include "core/lab/team/team.h"

#include <optional>
#include <span>

namespace ringside
{

// Kernels that the trainer launches for each that the engine counts, which are those of eager software
// (core/performance/step_model): its products add biases and residuals and find heads where they lie.
inline constexpr double kTrainerKernels = 0.3;

struct LabPrediction
{
    std::optional<TrainerConfig> of; // empty: nothing was predicted yet
    MemoryUse memory;                // at the peak
    std::int64_t parameters = 0;
    double step_seconds = 0;  // 0: the device has not been measured yet
    double fixed_seconds = 0; // of them, those that the batch does not change: launches and the optimizer
    double tokens_per_second = 0;
    double flops = 0;           // of a step, the model's
    double parameter_flops = 0; // of them 6 N a token
};

// With times only where the device is known; `workspace` is what it keeps for itself [B].
LabPrediction prediction_of(const TrainerConfig& config, const std::optional<Gpu>& device,
                            std::int64_t workspace = 0);

// Tensors that the optimizer updates: matrices, biases and gains, those of every expert for itself.
std::int64_t tensors_of(const Model& model);

struct TeamPrediction
{
    std::optional<TeamConfig> of;                      // empty: nothing was predicted yet
    MemoryReport memory;                               // by stage
    std::vector<Coordinates> places;                   // [rank]
    std::vector<std::vector<RankTrace::Sent>> traffic; // [rank] bytes of one step by axis
    double dense = 0; // [B] of a step by the rank that sends most, if gradients were not compressed

    const StageMemory& stage_of(std::size_t rank) const
    {
        return memory.stages[static_cast<std::size_t>(places[rank].pipeline)];
    }
};

TeamPrediction prediction_of(const TeamConfig& config);

// How fast a device is.
struct LabRate
{
    double product_flops = 0; // [FLOP/s] of a large matrix product, measured
    double copy_bytes = 0;    // [B/s] read and written, measured
    double nominal_flops = 0; // [FLOP/s] of the data sheet, dense; 0: not known
    double sustained = 1;     // mean rate over the best while it was measured
};

// The data sheet whose name has the most words in common with the device's, its first among them: "H200 SXM
// 141 GB" and "CUDA, NVIDIA H200". Null where there is none.
const Gpu* sheet_of(std::span<const Gpu> sheets, const std::string& device);

} // namespace ringside
