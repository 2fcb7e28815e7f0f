// Two seconds of measuring what a device can do, as an accelerator the engine can predict steps for: so that
// prediction and measurement of the live lab stand side by side.
//
// The engine thus predicts the very step that is then measured (`train --probe`, `bench train`).
#pragma once

#include "core/lab/config.h"
#include "core/lab/machine.h"
#include "core/lab/trainer/backend.h"

#include <atomic>
#include <string>

namespace ringside::trainer
{

// [FLOP/s] of operands in one format. The two of the model's own size are forward and backward together,
// without what starting them takes.
struct FormatRates
{
    double product_flops = 0;   // of a large square product
    double layer_flops = 0;     // of products of the model's MLP
    double attention_flops = 0; // of causal attention as the model has it, masked scores not counted
};

struct DeviceRates
{
    std::string device;     // its name
    double capacity = 0;    // [B]
    FormatRates full;       // fp32
    FormatRates half;       // bf16, which also stands for fp16 and fp8
    double copy_bytes = 0;  // [B/s] read and written by a large copy
    double operation_s = 0; // [s] of an operation that has nothing to do, among others as in a step
    double layer_tiles = 1; // FLOPs of whole tiles that the engine counts for those of the MLP's products
    Subgroups subgroups;    // what is faster through them
    double sustained = 1;   // mean rate of the MLP's fp32 product over the best, which the others are
    // Time of a short_step() over what the engine makes of the rates above: what kernels take that none of
    // them stands for (norms, caches).
    double in_step = 1;
    std::vector<MachinePoint> points; // of ProbeKind::machine

    const FormatRates& of(Precision precision) const { return precision == Precision::fp32 ? full : half; }
};

// The rates that a model's step needs, in about two seconds; or what the device does with products and copies
// of many sizes, in about ten.
enum class ProbeKind : std::uint8_t
{
    model,
    machine
};

// For a prepared configuration. Takes about `seconds`; less when stopped. Records over what a trainer on that
// backend has recorded, so it comes before the first step.
DeviceRates measure(Backend& backend, const TrainerConfig& config, double seconds = 2,
                    const std::atomic<bool>* stop = nullptr);

// As measured on that day.
Machine machine_of(const DeviceRates& rates, std::string date);

// [FLOP/FLOP] layer_tiles of a prepared configuration.
double layer_tiles(const TrainerConfig& config);

// The model cut to two layers and one micro-batch, then to one layer, then to one sequence, until the engine
// expects its step to take no more than so many seconds.
TrainerConfig short_step(TrainerConfig config, const Gpu& gpu, double seconds);
// [1] of a step that took so long; within 4 either way, beyond which something else is wrong.
double in_step(const TrainerConfig& config, const Gpu& gpu, double seconds);

// The best of the rates is the peak, and products of the model's own size say how much of it their tiles
// reach: waves of tiles are in there, so the device counts as one multiprocessor. Kernels are those of the
// trainer, fewer than the engine counts (kTrainerKernels).
Gpu gpu_of(const DeviceRates& rates, Precision precision);

// [s] of a step, as the engine estimates it on that accelerator; 0 where it cannot.
double predicted_step_s(const TrainerConfig& config, const Gpu& gpu);

} // namespace ringside::trainer
