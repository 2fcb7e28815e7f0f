// Blocks on a multiprocessor, held to the rule of CUDA's occupancy calculator.
#include "tests/core/support.h"

#include "core/performance/occupancy.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

const Multiprocessor& hopper()
{
    return multiprocessors()[1];
}

} // namespace

TEST_CASE(
    "hand-worked: 256 threads of 64 registers are 4 blocks on Hopper, half its warps, bound by registers")
{
    // A warp takes 64 x 32 = 2,048 of a quarter's 16,384 registers: 8 warps a quarter, 32 in all, 4 blocks
    // of 8.
    const Occupancy o = occupancy(hopper(), {256, 64, 0});
    CHECK(o.of(OccupancyLimit::registers) == 4);
    CHECK(o.of(OccupancyLimit::threads) == 8);
    CHECK(o.of(OccupancyLimit::blocks) == 32);
    CHECK(o.blocks == 4);
    CHECK(o.warps == 32);
    CHECK(o.share == 0.5);
    CHECK(o.binds(OccupancyLimit::registers));
    CHECK_FALSE(o.binds(OccupancyLimit::threads));
    CHECK(o.block_registers == 16384);
}

TEST_CASE("at 256 threads 80 registers are 3 blocks, and 64 are 4")
{
    // 80 x 32 = 2,560: 6 warps a quarter, 24 in all.
    CHECK(occupancy(hopper(), {256, 80, 0}).blocks == 3);
    CHECK(occupancy(hopper(), {256, 64, 0}).blocks == 4);
    // 65 registers are handed out as 72: in units of 256 a warp.
    CHECK(occupancy(hopper(), {256, 65, 0}).block_registers == 72 * 256);
}

TEST_CASE("hand-worked: shared memory counts with 1 KiB of the system's, in units of 128 B")
{
    // 48 KiB + 1 KiB = 49 KiB: 3 of 164 KiB, 4 of 228 KiB.
    CHECK(occupancy(multiprocessors()[0], {128, 32, 48 * 1024}).of(OccupancyLimit::shared) == 3);
    CHECK(occupancy(hopper(), {128, 32, 48 * 1024}).of(OccupancyLimit::shared) == 4);
    // 12 KiB + 1 KiB: 17 of 228 KiB, where 228 / 12 would be 19.
    CHECK(occupancy(hopper(), {32, 8, 12 * 1024}).blocks == 17);
    CHECK(occupancy(hopper(), {32, 8, 1}).block_shared == 1152);
}

TEST_CASE("the largest block that may be asked for fits once, one byte more not at all")
{
    CHECK(occupancy(multiprocessors()[0], {1024, 64, 163 * 1024}).blocks == 1);
    CHECK(occupancy(multiprocessors()[0], {1024, 64, 163 * 1024 + 1}).blocks == 0);
    CHECK(occupancy(hopper(), {1024, 64, 227 * 1024}).blocks == 1);
    CHECK(occupancy(hopper(), {1024, 64, 227 * 1024 + 1}).blocks == 0);
}

TEST_CASE("1024 threads start with 64 registers each, and not with 65; no thread has 256")
{
    CHECK(occupancy(hopper(), {1024, 64, 0}).blocks == 1);
    CHECK(occupancy(hopper(), {1024, 65, 0}).blocks == 0);
    CHECK(occupancy(hopper(), {32, 255, 0}).blocks > 0);
    CHECK(occupancy(hopper(), {32, 256, 0}).blocks == 0);
}

TEST_CASE("small blocks are bound by the number of blocks: 32 warps of 64 at most")
{
    const Occupancy o = occupancy(hopper(), {32, 16, 0});
    CHECK(o.blocks == 32);
    CHECK(o.share == 0.5);
    CHECK(o.binds(OccupancyLimit::blocks));
    CHECK(occupancy(hopper(), {64, 32, 0}).share == 1);
}

TEST_CASE("occupancy never grows with what a thread or block takes, and never passes one")
{
    for (const Multiprocessor& m : multiprocessors())
    {
        for (std::int64_t threads = 32; threads <= 1024; threads += 32)
        {
            double before = 2;
            for (std::int64_t registers = 0; registers <= 256; registers += 8)
            {
                const Occupancy o = occupancy(m, {threads, registers, 0});
                CHECK(o.share <= 1);
                CHECK(o.share <= before);
                CHECK(o.blocks * o.block_registers <= m.registers);
                before = o.share;
            }
            before = 2;
            for (std::int64_t shared = 0; shared <= m.block_shared + 4096; shared += 4096)
            {
                const Occupancy o = occupancy(m, {threads, 32, shared});
                CHECK(o.share <= before);
                CHECK(o.blocks * o.block_shared <= m.shared);
                before = o.share;
            }
        }
    }
}

TEST_CASE("a shape that cannot be is no block, and a GPU that is none of NVIDIA's has no multiprocessor here")
{
    CHECK(occupancy(hopper(), {0, 32, 0}).blocks == 0);
    CHECK(occupancy(hopper(), {1025, 32, 0}).blocks == 0);
    CHECK(occupancy(hopper(), {256, -1, 0}).blocks == 0);
    CHECK(occupancy(hopper(), {256, 32, -1}).blocks == 0);
    Gpu gpu;
    gpu.id = "h100-sxm-80gb";
    REQUIRE(multiprocessor_of(gpu) != nullptr);
    CHECK(multiprocessor_of(gpu)->capability == "9.0");
    gpu.id = "mi300x";
    CHECK(multiprocessor_of(gpu) == nullptr);
}
