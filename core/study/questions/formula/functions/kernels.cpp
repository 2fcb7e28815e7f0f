// One GPU: number formats and their scales, tiles, occupancy.
#include "core/performance/occupancy.h"
#include "core/performance/step_model/tiling.h"
#include "core/study/questions/formula/functions/parts.h"
#include "core/training/block_format.h"
#include "core/training/loss_scale.h"

#include <array>
#include <cmath>

namespace ringside::study_function
{

namespace
{

Value fp4_round(Arguments v)
{
    return round_to(number_format(FormatId::e2m1), v[0], Overflow::saturate);
}

Value mxfp4_scale(Arguments v)
{
    return quantize(block_format(BlockId::mxfp4), v).scales.front();
}

// The trainer's rule on a gradient that stays as large.
Value loss_scale_skips(Arguments v)
{
    LossScale scale{v[1], 0};
    double steps = 0;
    while (!scale.after(std::isfinite(round_to(number_format(FormatId::fp16), v[0] * scale.value)), {}) &&
           scale.value > 1)
    {
        ++steps;
    }
    return steps;
}

Value product_intensity(Arguments v)
{
    const Product p{v[0], v[1], v[2], 1};
    const double bytes = product_bytes(p, v[3]);
    if (!(bytes > 0))
    {
        return refuse("the bytes of the product", bytes, "use lengths and a width above 0");
    }
    return p.flops() / bytes;
}

// Tiles of 128 x 128; of the places in all waves on p multiprocessors, those with a tile.
Value tile_wave_use(Arguments v)
{
    const auto rows = whole("the number of rows", v[0], 1, 1e9);
    const auto cols = whole("the number of columns", v[1], 1, 1e9);
    const auto processors = whole("the number of multiprocessors", v[2], 1, 1e6);
    for (const auto* part : {&rows, &cols, &processors})
    {
        if (!*part)
        {
            return part->issues();
        }
    }
    return wave_use(tile_count({v[0], v[1], 1, 1}, 128, 128), v[2]);
}

// Shared memory in KiB; on Hopper.
Value resident_blocks(Arguments v)
{
    const auto threads = whole("the number of threads", v[0], 1, 1024);
    const auto registers = whole("the number of registers", v[1], 0, 255);
    const auto shared = whole("KiB of shared memory", v[2], 0, 227);
    for (const auto* part : {&threads, &registers, &shared})
    {
        if (!*part)
        {
            return part->issues();
        }
    }
    return static_cast<double>(
        occupancy(multiprocessors()[1], {*threads, *registers, *shared * 1024}).blocks);
}

constexpr std::array kKernelsFunctions{
    StudyFunction{"product_intensity", "M, N, K, e", "[FLOP/B] e bytes an operand's number, 2 the result's",
                  product_intensity},
    StudyFunction{"tile_wave_use", "M, N, p", "tiles of 128 x 128 over the slots of their waves",
                  tile_wave_use},
    StudyFunction{"resident_blocks", "threads, registers, shared_kib", "on one multiprocessor of Hopper",
                  resident_blocks},
    StudyFunction{"fp4_round", "x", "nearest number of E2M1, at most 6", fp4_round},
    StudyFunction{"loss_scale_skips", "g, S",
                  "steps that a gradient g overflows fp16, from a loss scale S on", loss_scale_skips},
    StudyFunction{"mxfp4_scale", "A", "scale of an MXFP4 block whose largest magnitude is A", mxfp4_scale},
};

} // namespace

std::span<const StudyFunction> kernel_functions()
{
    return kKernelsFunctions;
}

} // namespace ringside::study_function
