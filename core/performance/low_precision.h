// What formats of 8 and 4 bits gain in one linear layer of a training step, by its shape, against what their
// casts cost; and the recipes people train with. Formats themselves are training/block_format.h's.
//
// Three GEMMs: forward, input gradients, weight gradients. Activations are cast forward and gradients
// backward, each once by rows and once by columns, as blocks lie along the dimension that is summed; weights
// are cast once a step, which is little and left out. A cast reads 2 bytes and writes both copies; where a
// tensor has a scale of its own it is read once more for its maximum. Casts are not fused with anything, so
// their cost is an upper bound.
#pragma once

#include "core/base/names.h"
#include "core/base/units.h"

#include <span>
#include <string_view>

namespace ringside
{

enum class Precision;
struct Gpu;

enum class LowRecipe : std::uint8_t
{
    bf16,
    fp8,      // a scale for each tensor, of the values themselves (current scaling)
    deepseek, // FP8 with scales for 1 x 128 activations and 128 x 128 weights
    mxfp8,
    nvfp4
};
inline constexpr std::size_t kLowRecipes = 5;

struct LowRecipeInfo
{
    LowRecipe id;
    std::string_view name;
    Precision precision;
    double bits;               // of an element, block scales included
    double reads;              // of every element that is cast
    std::string_view scales;   // "1 x 16, E4M3"
    std::string_view weights;  // the same of weights
    std::string_view hadamard; // inputs that are transformed
    std::string_view rounding; // of gradients
    double kept;               // share of the linear layers' work that stays BF16, as published
    std::string_view says;     // what else stays
    std::string_view source;
};
std::span<const LowRecipeInfo> low_recipes(); // in the order of LowRecipe
const LowRecipeInfo& low_recipe(LowRecipe recipe);

// Rows are the tokens of a micro-batch on one GPU.
struct LinearShape
{
    double tokens = 4096;
    double in = 4096;
    double out = 14336;

    bool operator==(const LinearShape&) const = default;
};

struct LowCost
{
    Seconds products;
    Seconds casts;

    Seconds total() const { return products + casts; }
};

// Whether the GPU multiplies in it. Tensor cores that take a scale for each block came with FP4: Blackwell
// (NVIDIA, Transformer Engine user guide, MXFP8: compute capability 10.0) and CDNA 4.
bool can_multiply(const Gpu& gpu, LowRecipe recipe);
// Forward and backward of one layer, one micro-batch. The GPU must be able to.
LowCost low_cost(const Gpu& gpu, LowRecipe recipe, const LinearShape& shape);
// How many times as fast as BF16 linear layers are with a share `kept` of their work in BF16: 1 / (kept +
// (1 - kept) / s).
double low_gain(const Gpu& gpu, LowRecipe recipe, const LinearShape& shape, double kept);

} // namespace ringside
