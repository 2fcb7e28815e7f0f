// Formats of 8 and 4 bits in one linear layer: what they gain by shape, and what casts take of it.
#include "tests/core/support.h"

#include "core/performance/low_precision.h"
#include "core/training/block_format.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Gpu gpu_of(const std::string& id)
{
    return test::scenario(R"({"cluster": {"gpu": ")" + id + R"("}})").cluster.gpu;
}

} // namespace

TEST_CASE("bits of an element are those of the block formats")
{
    CHECK(low_recipe(LowRecipe::mxfp8).bits == Approx(block_format(BlockId::mxfp8).bits_per_value()));
    CHECK(low_recipe(LowRecipe::nvfp4).bits == Approx(block_format(BlockId::nvfp4).bits_per_value()));
    CHECK(low_recipe(LowRecipe::deepseek).bits == Approx(8 + 32.0 / 128));
    for (std::size_t i = 0; i < kLowRecipes; ++i)
    {
        CHECK(low_recipes()[i].id == static_cast<LowRecipe>(i));
    }
}

TEST_CASE("only GPUs that multiply in a format have it")
{
    CHECK(can_multiply(gpu_of("a100-sxm-80gb"), LowRecipe::bf16));
    CHECK_FALSE(can_multiply(gpu_of("a100-sxm-80gb"), LowRecipe::fp8));
    CHECK(can_multiply(gpu_of("h100-sxm-80gb"), LowRecipe::deepseek));
    CHECK_FALSE(can_multiply(gpu_of("h100-sxm-80gb"), LowRecipe::nvfp4));
    CHECK_FALSE(can_multiply(gpu_of("h100-sxm-80gb"), LowRecipe::mxfp8));
    CHECK(can_multiply(gpu_of("gb200"), LowRecipe::mxfp8));
    CHECK(can_multiply(gpu_of("gb200"), LowRecipe::nvfp4));
}

TEST_CASE(
    "hand-worked: casts move 4 bytes and two copies of every input, once more where a tensor has a scale")
{
    const Gpu gpu = gpu_of("b200-sxm");
    const LinearShape shape{8192, 8192, 8192};
    const auto casts = [&](LowRecipe recipe) { return low_cost(gpu, recipe, shape).casts.value; };
    CHECK(casts(LowRecipe::bf16) == 0);
    CHECK(casts(LowRecipe::fp8) > casts(LowRecipe::deepseek));
    CHECK(casts(LowRecipe::deepseek) == Approx(casts(LowRecipe::mxfp8)));
    const double bytes = casts(LowRecipe::fp8) - casts(LowRecipe::mxfp8);
    const double read = 8192.0 * 16384 * (2 - 2 * 0.25 / 8) / (gpu.hbm_gb_per_s * 1e9);
    CHECK(bytes >= read * 0.99); // at no more than the full bandwidth
    CHECK(bytes < read * 1.6);
}

TEST_CASE("gains grow with the shape towards the ratio of the peaks, and never beyond it")
{
    const Gpu gpu = gpu_of("b200-sxm");
    for (const LowRecipe recipe : {LowRecipe::fp8, LowRecipe::mxfp8, LowRecipe::nvfp4})
    {
        const double most = (recipe == LowRecipe::nvfp4 ? gpu.fp4_tflops : gpu.fp8_tflops) / gpu.bf16_tflops;
        const double large = low_gain(gpu, recipe, {65536, 16384, 53248}, 0);
        CHECK(large < most);
        CHECK(large > 1.2);
        CHECK(low_gain(gpu, recipe, {65536, 1024, 1024}, 0) < large);
        // Casts of small layers cost more than their products gain.
        CHECK(low_gain(gpu, recipe, {16384, 512, 512}, 0) < 1.2);
        CHECK(low_gain(gpu, recipe, {8192, 8192, 8192}, 1) == Approx(1));
        CHECK(low_gain(gpu, recipe, {65536, 16384, 53248}, 0.16) < large);
    }
}
