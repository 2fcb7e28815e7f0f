// Two seconds of measuring what a device can do, as an accelerator the engine can predict steps for: so that
// prediction and measurement of the live lab stand side by side.
//
// The engine thus predicts the very step that is then measured (`train --probe`, `bench train`).
#pragma once

#include "core/lab/config.h"
#include "core/lab/trainer/backend.h"

#include <atomic>

namespace ringside::trainer
{

struct DeviceRates
{
    double product_flops = 0;   // [FLOP/s] of a large square product, fp32 on the CPU, bf16 on a GPU
    double layer_flops = 0;     // [FLOP/s] of a product of the model's MLP
    double attention_flops = 0; // [FLOP/s] of causal attention, masked scores not counted
    double copy_bytes = 0;      // [B/s] read and written by a large copy
    double operation_s = 0;     // [s] of an operation that has nothing to do
    double sustained = 1;       // mean rate of the MLP's product over the best, which the others are
};

// For a prepared configuration. Takes about `seconds`; less when stopped.
DeviceRates measure(Backend& backend, const TrainerConfig& config, double seconds = 2,
                    const std::atomic<bool>* stop = nullptr);

// A large product is the peak, and a product of the model's own size says how much of it is reached. A CPU's
// tiles are not shared out in waves, so it counts as one multiprocessor.
Gpu gpu_of(const DeviceRates& rates, const Backend& backend);

// [s] of a step, as the engine estimates it on that accelerator; 0 where it cannot.
double predicted_step_s(const TrainerConfig& config, const Gpu& gpu);

} // namespace ringside::trainer
