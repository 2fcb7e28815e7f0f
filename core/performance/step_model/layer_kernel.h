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

// [B] an optimizer step reads and writes for every parameter on the device: the gradient 4 for its norm and 4
// for the update, parameter, momentum and variance 12 and 12 back, and 2 + 2 for the 16-bit weight and the
// cleared gradient.
inline constexpr double kOptimizerBytes = 36;

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
