// Block scales by hand, their storage, and what an outlier does to its neighbours.
#include "core/base/random.h"
#include "core/training/block_format.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;

namespace
{

std::vector<double> bell(std::size_t n, std::uint64_t seed)
{
    SplitMix random(seed);
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i)
    {
        values.push_back(random.normal());
    }
    return values;
}

} // namespace

TEST_CASE("hand-worked: bits a value, scales included")
{
    CHECK(block_format(BlockId::tensor_fp8).bits_per_value() == 8);
    CHECK(block_format(BlockId::mxfp8).bits_per_value() == 8.25);
    CHECK(block_format(BlockId::mxfp4).bits_per_value() == 4.25);
    CHECK(block_format(BlockId::nvfp4).bits_per_value() == 4.5);
}

TEST_CASE("hand-worked: MXFP4 of 10, 3 and 0.2 has the scale 2, and cuts nothing here")
{
    // floor(log2 10) = 3, less E2M1's 2: scale 2. 5 is a tie between 4 and 6 and goes to 4.
    const std::vector<double> v{10, 3, 0.2};
    const Quantized q = quantize(block_format(BlockId::mxfp4), v);
    CHECK(q.scales == std::vector<double>{2});
    CHECK(q.values == std::vector<double>{8, 3, 0});
    // 15.9 / 2 is beyond 6: the largest of a block may be cut by a quarter.
    CHECK(quantize(block_format(BlockId::mxfp4), std::vector<double>{15.9}).values[0] == 12);
    CHECK(quantize(block_format(BlockId::mxfp8), std::vector<double>{500}).scales[0] == 1);
}

TEST_CASE("hand-worked: NVFP4 keeps the largest of a tensor exactly, whatever it is")
{
    const std::vector<double> v{10, 3, 0.2};
    const Quantized q = quantize(block_format(BlockId::nvfp4), v);
    CHECK(q.tensor_scale == Catch::Approx(10.0 / 2688));
    CHECK(q.scales[0] == Catch::Approx(10.0 / 6));
    CHECK(q.values[0] == Catch::Approx(10));
    CHECK(q.values[1] == Catch::Approx(2 * 10.0 / 6)); // 1.8 goes to 2
    CHECK(q.values[2] == 0);                           // 0.12 is less than half of 0.5
}

TEST_CASE("blocks are 32 and 16 long, the last may be shorter, and nothing but zeros stays so")
{
    const auto v = bell(70, 1);
    CHECK(quantize(block_format(BlockId::mxfp8), v).scales.size() == 3);
    CHECK(quantize(block_format(BlockId::nvfp4), v).scales.size() == 5);
    CHECK(quantize(block_format(BlockId::tensor_fp8), v).scales.size() == 1);
    for (const BlockFormat& f : block_formats())
    {
        INFO(std::string(f.name));
        CHECK(quantize(f, v).values.size() == v.size());
        const std::vector<double> nothing(40, 0.0);
        CHECK(quantize(f, nothing).values == nothing);
        CHECK(relative_error(nothing, nothing) == 0);
        CHECK(quantize(f, {}).values.empty());
        for (const double s : quantize(f, std::vector<double>{1e-30, 1e30}).values)
        {
            CHECK(std::isfinite(s));
        }
    }
}

TEST_CASE(
    "of bell-shaped numbers FP8 loses some percent and FP4 about four times as much; NVFP4 less than MXFP4")
{
    const auto v = bell(4096, 5);
    const auto error = [&](BlockId id) { return relative_error(v, quantize(block_format(id), v).values); };
    CHECK(error(BlockId::mxfp8) > 0.01);
    CHECK(error(BlockId::mxfp8) < 0.04);
    CHECK(error(BlockId::mxfp4) > 2 * error(BlockId::mxfp8));
    CHECK(error(BlockId::nvfp4) < error(BlockId::mxfp4));
}

TEST_CASE("an outlier flushes its own block, not the whole tensor")
{
    auto v = bell(64, 9);
    v[3] = 1e6;
    const auto flushed = [&](BlockId id) { return flushed_share(v, quantize(block_format(id), v).values); };
    CHECK(flushed(BlockId::mxfp4) == Catch::Approx(31.0 / 64).margin(4.0 / 64));
    CHECK(flushed(BlockId::tensor_fp8) > 0.9);
    CHECK(flushed(BlockId::mxfp8) == Catch::Approx(31.0 / 64).margin(2.0 / 64));
}

TEST_CASE("doubling everything doubles everything, for scales that are powers of two")
{
    const auto v = bell(96, 11);
    std::vector<double> twice;
    for (const double x : v)
    {
        twice.push_back(2 * x);
    }
    for (const BlockId id : {BlockId::mxfp8, BlockId::mxfp4})
    {
        const auto one = quantize(block_format(id), v).values;
        const auto two = quantize(block_format(id), twice).values;
        for (std::size_t i = 0; i < v.size(); ++i)
        {
            REQUIRE(two[i] == 2 * one[i]);
        }
    }
}
