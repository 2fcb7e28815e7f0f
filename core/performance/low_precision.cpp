#include "core/performance/low_precision.h"

#include "core/performance/step_model/kernels.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::array<LowRecipeInfo, kLowRecipes> kLowRecipeTable{{
    {LowRecipe::bf16, "BF16", Precision::bf16, 16, 0, "none", "none", "none", "nearest", 1,
     "Everything; sums in FP32", "Kalamkar et al. 2019, arXiv 1905.12322"},
    {LowRecipe::fp8, "FP8, current scaling", Precision::fp8, 8, 2, "per tensor, FP32", "per tensor, FP32",
     "none", "nearest", 0, "Attention, norms, embeddings and output head",
     "Micikevicius et al. 2022, arXiv 2209.05433; NVIDIA Transformer Engine"},
    {LowRecipe::deepseek, "FP8, DeepSeek-V3", Precision::fp8, 8.25, 1, "1 x 128, FP32", "128 x 128, FP32",
     "none", "nearest", 0, "Attention, norms, embeddings, output head and routers",
     "DeepSeek-V3, arXiv 2412.19437, section 3.3"},
    {LowRecipe::mxfp8, "MXFP8", Precision::mxfp8, 8.25, 1, "1 x 32, E8M0", "1 x 32, E8M0", "none", "nearest",
     0, "Attention, norms, embeddings and output head", "Mishra et al. 2025, arXiv 2506.08027; OCP MX 1.0"},
    {LowRecipe::nvfp4, "NVFP4", Precision::nvfp4, 4.5, 2, "1 x 16, E4M3, and FP32 per tensor",
     "16 x 16, E4M3", "16 x 16, inputs of weight gradients", "stochastic", 0.16,
     "Also about 16% of the linear layers, the first and last blocks",
     "NVIDIA 2025, arXiv 2509.25149, section 4"},
}};

double peak_of(const Gpu& gpu, const Device& device, LowRecipe recipe)
{
    return recipe == LowRecipe::nvfp4  ? gpu.fp4_tflops * 1e12
           : recipe == LowRecipe::bf16 ? device.peak
                                       : gpu.fp8_tflops * 1e12;
}

} // namespace

std::span<const LowRecipeInfo> low_recipes()
{
    return kLowRecipeTable;
}

const LowRecipeInfo& low_recipe(LowRecipe recipe)
{
    return kLowRecipeTable.at(static_cast<std::size_t>(recipe));
}

bool can_multiply(const Gpu& gpu, LowRecipe recipe)
{
    const bool scaled = recipe == LowRecipe::mxfp8 || recipe == LowRecipe::nvfp4;
    return recipe == LowRecipe::bf16 || (scaled ? gpu.fp4_tflops : gpu.fp8_tflops) > 0;
}

LowCost low_cost(const Gpu& gpu, LowRecipe recipe, const LinearShape& s)
{
    const LowRecipeInfo& info = low_recipe(recipe);
    const Device device(gpu, info.precision);
    const double peak = peak_of(gpu, device, recipe);
    const double operand = info.bits / 8;
    LowCost cost;
    for (const Product& product :
         {Product{s.tokens, s.out, s.in}, Product{s.tokens, s.in, s.out}, Product{s.in, s.out, s.tokens}})
    {
        cost.products += Seconds(product_seconds(device, product, peak, operand) + device.kernel);
    }
    if (recipe != LowRecipe::bf16)
    {
        const double bytes = s.tokens * (s.in + s.out) * (2 * info.reads + 2 * operand);
        cost.casts = Seconds(bytes / device.hbm + 2 * device.kernel);
    }
    return cost;
}

double low_gain(const Gpu& gpu, LowRecipe recipe, const LinearShape& shape, double kept)
{
    const double plain = low_cost(gpu, LowRecipe::bf16, shape).total().value;
    const double share = low_cost(gpu, recipe, shape).total().value / plain;
    return 1 / (kept + (1 - kept) * share);
}

} // namespace ringside
