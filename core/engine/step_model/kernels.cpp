#include "core/engine/step_model/kernels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

// Tiles that libraries choose from, and what smaller ones reach of the largest one's rate.
struct Tile
{
    double rows;
    double cols;
    double share;
};
constexpr std::array kTiles{Tile{128, 128, 1}, Tile{128, 64, 0.97}, Tile{64, 64, 0.9}};

// Filling and draining a tile's pipeline of loads, as a length of the inner dimension.
constexpr double kPrologue = 32;
// The inner dimension may be cut into as many parts, whose 32-bit sums are added afterwards.
constexpr double kMostSplits = 8;

double at_least_one(double rate)
{
    return std::max(rate, 1.0);
}

} // namespace

Device::Device(const Gpu& gpu, Precision precision)
{
    const Calibration& c = gpu.calibration;
    const bool eight_bit = precision == Precision::fp8 && gpu.fp8_tflops > 0;
    peak = at_least_one(gpu.bf16_tflops * 1e12);
    layer_peak = eight_bit ? gpu.fp8_tflops * 1e12 : peak;
    operand = eight_bit ? 1 : 2;
    efficiency = c.gemm_efficiency;
    attention = at_least_one(peak * c.attention_efficiency);
    hbm = at_least_one(gpu.hbm_gb_per_s * 1e9 * c.hbm_efficiency);
    kernel = c.kernel_us * 1e-6;
    host_kernel = c.host_kernel_us * 1e-6;
    processors = at_least_one(c.multiprocessors);
}

double product_seconds(const Device& device, const Product& p, double peak, double operand)
{
    const double rate = device.efficiency * peak / device.processors; // of one processor
    double best = std::numeric_limits<double>::infinity();
    for (const Tile& tile : kTiles)
    {
        const double tiles = std::ceil(p.rows / tile.rows) * std::ceil(p.cols / tile.cols) * p.batch;
        for (double split = 1; split <= kMostSplits; split *= 2)
        {
            const double waves = std::ceil(tiles * split / device.processors);
            const double wave =
                2 * tile.rows * tile.cols * (p.inner / split + kPrologue) / (rate * tile.share);
            const double sums =
                split > 1 ? 8 * split * p.rows * p.cols * p.batch / device.hbm + device.kernel : 0;
            best = std::min(best, waves * wave + sums);
        }
    }
    const double bytes = operand * (p.rows + p.cols) * p.inner + 2 * p.rows * p.cols;
    return std::max({best, bytes * p.batch / device.hbm, p.flops() / peak});
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
