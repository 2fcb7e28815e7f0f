// One kernel of a layer as the step-time model counts it: what it computes, what it moves, how long it takes.
// Starting kernels, links and the host are not in here.
#pragma once

#include "core/performance/step_model/kernels.h"

#include <cstdint>
#include <string_view>

namespace ringside
{

enum class KernelKind : std::uint8_t
{
    product,   // with a weight
    attention, // scores and their products with values
    elementwise
};
enum class KernelPass : std::uint8_t
{
    forward,
    input, // backward: gradients of activations
    weight // backward: gradients of weights
};

// [B] an optimizer step reads and writes for every parameter on the device: the gradient, in 32 bits whatever
// it was summed in, 4 for its norm, 4 for the update and 2 to be cleared; master weight (or the weight
// itself), momentum and variance there and back; the new 16-bit weight. AdamW in mixed precision: 10 + 12 +
// 12 + 2 = 36. Muon's Newton-Schulz products are not counted.
double optimizer_bytes(const Training& training);

struct LayerKernel
{
    std::string_view name; // "MLP down"; the weight's where there is one
    KernelKind kind = KernelKind::elementwise;
    KernelPass pass = KernelPass::forward;
    double flops = 0;     // multiplications, additions and exponentials, one each
    double bytes = 0;     // to and from the GPU's memory
    double seconds = 0;   // of the device
    double peak = 0;      // [FLOP/s] dense, of the format it multiplies in; of 16 bits where it does not
    double operand = 2;   // [B] of an element it multiplies
    Product product = {}; // of products and stored scores; no rows elsewhere

    bool multiplies() const { return product.rows > 0; }
};

} // namespace ringside
