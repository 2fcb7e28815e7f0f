#include "core/performance/step_model/kernels.h"

#include "core/memory/memory.h"
#include "core/performance/step_model/layer_kernel.h"
#include "core/performance/step_model/tiling.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

double at_least_one(double rate)
{
    return std::max(rate, 1.0);
}

// What a board limited to less than its rated power keeps of its clock. Power goes with the square of the
// voltage times the clock, so the clock goes with the cube root of power where the voltage follows it, and
// with power itself where the voltage cannot fall further; between the two the root is taken, not fitted.
// A board takes no limit far below its rated power (H100: 200 of 700 W, nvidia-smi -q -d POWER), so a smaller
// number is none.
double clock_share(const Gpu& gpu)
{
    constexpr double kClockByPower = 0.5;
    constexpr double kLeastLimit = 0.2; // of the rated power
    const double share = gpu.calibration.rated_w > 0 ? gpu.power_w / gpu.calibration.rated_w : 1;
    return share >= kLeastLimit && share < 1 ? std::pow(share, kClockByPower) : 1;
}

} // namespace

Device::Device(const Gpu& gpu, Precision precision, const Software& software, double sequence_length)
{
    // FlashAttention-3 on H100, head size 128, long sequences: 550 of 650 TFLOP/s (Shah et al., arXiv
    // 2407.08608, figures 5 and 6).
    constexpr double kLatestBackward = 0.85;
    // FlashAttention-2's scores cost it less beside its slower products: over heads of 64 it runs at 299 of
    // the 335 TFLOP/s that heads of 128 reach (the same figure, causal).
    constexpr double kNarrow = 64;
    constexpr double kNarrowSecond = 18;
    // Copy kernels of the vendors' own libraries reach no more of the memory's data sheet.
    constexpr double kMostOfMemory = 0.92;
    const Calibration c = with_software(gpu.calibration, software);
    const bool four = precision == Precision::nvfp4 && gpu.fp4_tflops > 0;
    const double fast = four ? gpu.fp4_tflops : gpu.fp8_tflops;
    const bool narrow_products = is_narrow(precision) && fast > 0;
    const bool full = precision == Precision::fp32;
    peak = at_least_one(gpu.bf16_tflops * 1e12 * (full ? 0.5 : 1));
    layer_peak = narrow_products ? fast * 1e12 : peak;
    element = full ? 4 : 2;
    operand = narrow_products ? operand_bytes(precision) : element;
    const double clock = clock_share(gpu);
    efficiency = c.gemm_efficiency * clock;
    eight_bit = software.fp8_products * (precision == Precision::mxfp8 ? c.block_scaled : 1);
    if (four)
    {
        // Under a power limit formats differ by the work they do, not by their peaks.
        eight_bit = c.fp4_products * gpu.fp8_tflops / gpu.fp4_tflops;
    }
    cast_bytes = narrow_products ? software.cast_bytes : 0;
    attention = at_least_one(peak * clock * attention_share(c, sequence_length));
    backward = c.attention_peak > 0 ? kLatestBackward : 1;
    hbm = at_least_one(gpu.hbm_gb_per_s * 1e9 * c.hbm_efficiency);
    copy = at_least_one(gpu.hbm_gb_per_s * 1e9 * std::max(c.hbm_efficiency, kMostOfMemory));
    by_length = c.attention_peak > 0;
    narrow = software.attention == AttentionKernel::flash2 ? kNarrowSecond : kNarrow;
    kernel = c.kernel_us * 1e-6;
    host_kernel = c.host_kernel_us * 1e-6;
    processors = at_least_one(c.multiprocessors);
}

double optimizer_bytes(const Training& training)
{
    const StateBytes b = state_bytes(training);
    const bool copies = b.master > 0; // else the weights are updated in place
    return 10 + 2 * (b.momentum + b.variance + (copies ? b.master : b.weight)) +
           (copies ? std::min(2.0, b.weight) : 0);
}

double product_seconds(const Device& device, const Product& p, double peak, double operand)
{
    return std::max(
        {tiling(device, p, peak).seconds(), product_bytes(p, operand) / device.hbm, p.flops() / peak});
}

double launched_seconds(double device, double host)
{
    const double longer = std::max(device, host);
    if (longer <= 0)
    {
        return 0;
    }
    const double ratio = std::min(device, host) / longer;
    return longer * std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));
}

} // namespace ringside
