// How long one kernel takes on one GPU: matrix products in tiles and waves, element-wise work by its bytes.
// Nothing about layers or links.
//
// Three tile sizes, the inner dimension cut in up to eight; the quickest counts, but never less than its
// bytes or its FLOPs at the peak.
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

// batch products C[rows, cols] = A[rows, inner] B[inner, cols].
struct Product
{
    double rows = 0;
    double cols = 0;
    double inner = 0;
    double batch = 1;

    double flops() const { return 2 * rows * cols * inner * batch; }
};

// What kernels need to know of a GPU, in SI units; no rate is 0. FP32 products run as TF32, which tensor
// cores multiply at half the 16-bit rate (NVIDIA A100 whitepaper, table 3; H100 whitepaper, table 2).
struct Device
{
    // Without software: that which the accelerator's constants were fitted on. Ranks that share a sequence
    // run attention on slices of it, so theirs is that long.
    Device(const Gpu& gpu, Precision precision, const Software& software = {}, double sequence_length = 4096);
    explicit Device(const Scenario& scenario)
        : Device(scenario.cluster.gpu, scenario.training.precision, scenario.software,
                 static_cast<double>(scenario.training.sequence_length) /
                     static_cast<double>(scenario.parallel.context))
    {
    }

    double peak = 1;         // [FLOP/s] dense, outside layers: 16-bit, or TF32
    double layer_peak = 1;   // [FLOP/s] of products inside layers: 8-bit where training is
    double operand = 2;      // [B] of an element those read
    double element = 2;      // [B] of an activation
    double efficiency = 1;   // of the peak inside full waves, 16-bit products
    double eight_bit = 1;    // of that, what 8-bit products reach
    double cast_bytes = 0;   // [B] moved to make one of their input elements
    double attention = 1;    // [FLOP/s] that flash attention reaches
    double backward = 1;     // of that, what its backward does
    double hbm = 1;          // [B/s] that element-wise kernels reach
    double copy = 1;         // [B/s] that kernels counted to the byte reach, large copies among them
    bool by_length = false;  // attention's rate depends on widths and lengths
    double narrow = 64;      // width of a head beside which what scores cost is felt
    double kernel = 0;       // [s] start and end of a kernel
    double host_kernel = 0;  // [s] the framework takes to launch one
    double processors = 132; // that share the tiles

    // The share of the peak inside full waves of products that run at this one.
    double efficiency_at(double any_peak) const
    {
        return any_peak > peak ? efficiency * eight_bit : efficiency;
    }
};

// [s] of a product that the tensor cores run at `peak`, reading elements of `operand` bytes and writing
// 16-bit ones, or those of 4 bytes again. Without Device::kernel; never less than its FLOPs at the peak.
double product_seconds(const Device& device, const Product& product, double peak, double operand);

// [s] of a run of kernels that take the device and the host this long. Most of a run is bound by the one or
// by the other, but not all of it, so it takes a little longer than the longer of the two: their norm of
// order four.
double launched_seconds(double device, double host);

} // namespace ringside
