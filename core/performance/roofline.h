// The roofline of one GPU (Williams, Waterman and Patterson, Roofline: An Insightful Visual Performance Model
// for Multicore Architectures, CACM 52(4), 2009): what arithmetic and memory allow, and where the kernels of
// one layer lie beneath. Times are those of core/performance/step_model; how many blocks a multiprocessor
// holds is in occupancy.h.
//
// Roofs are the data sheet's, dashed ceilings the calibration's. With FP8 there are two flat roofs:
// attention, logits and element-wise work stay under the 16-bit one. Bytes are counted once (operands read,
// result written, no cache); flash attention reads queries, keys and values and writes outputs once, its
// backward moves twice as much. FLOPs of element-wise kernels are counted by hand, exponentials as one: they
// place a mark, and no time depends on them. A mark's size is its share of one layer's kernels in an
// optimizer step; recomputation, launches, links and the host are left out.
//
// Decoding is the same layer with one token per sequence, in 16 bits, on the scenario's tensor group;
// attention becomes reading the cache, and only routed experts that some token chose are read.
#pragma once

#include "core/base/text/term.h"
#include "core/performance/step_model/layer_kernel.h"
#include "core/performance/step_model/tiling.h"

#include <optional>
#include <vector>

namespace ringside
{

// Data sheet and calibration, in SI units; no rate is 0.
struct Roofs
{
    double peak = 1;          // [FLOP/s] dense, of products inside layers: 8-bit where training is
    double half_peak = 1;     // [FLOP/s] dense, 16-bit: attention, logits, everything else
    double hbm = 1;           // [B/s]
    double product_share = 1; // of the peak that full waves of tiles reach
    double hbm_share = 1;     // of the bandwidth that element-wise kernels reach
    double processors = 1;

    // [FLOP/B] from which on the peak binds.
    double ridge() const { return peak / hbm; }
    double ridge_of(double any_peak) const { return any_peak / hbm; }
    // [FLOP/s] of a kernel of this intensity [FLOP/B]: min(peak, intensity x bandwidth).
    double attainable(double intensity, double any_peak) const;
};
Roofs roofs_of(const Scenario& scenario);

enum class Bound : std::uint8_t
{
    memory,
    compute
};

// A kernel with its place on the roofline.
struct RoofPoint
{
    LayerKernel what;
    double times = 1; // in one optimizer step, for one layer; logits and loss are shared out over the layers

    double intensity() const { return what.bytes > 0 ? what.flops / what.bytes : 0; } // [FLOP/B]
    double rate() const { return what.seconds > 0 ? what.flops / what.seconds : 0; }  // [FLOP/s]
    double seconds() const { return times * what.seconds; }                           // in the step
};
Bound bound_of(const Roofs& roofs, const RoofPoint& point);

// Kernels of one layer (with experts, where the model has them), of logits and loss, and of the optimizer,
// for the scenario's micro-batch and cut. Ordered as they run. The scenario must be valid.
std::vector<RoofPoint> training_points(const Scenario& scenario);

// The forward of one token for each of `batch` sequences (1 to 1e6) with `context` tokens (1 to 1e9) in their
// caches, 16 bit, cut as the scenario is over its tensor group. Of routed experts those are read that at
// least one token chose.
std::vector<RoofPoint> decode_points(const Scenario& scenario, std::int64_t batch, std::int64_t context);

// Share of the points' seconds that kernels bound by memory take; 0 of none.
double memory_bound_share(const Roofs& roofs, const std::vector<RoofPoint>& points);
// The first product of the MLP or of an expert, forward; every model has one.
const RoofPoint& first_mlp_product(const std::vector<RoofPoint>& points);

// Rows M for which M x N x K, each operand of `operand` bytes read once and a 16-bit result written, has this
// intensity [FLOP/B]: I e K N / (2 N K - I (e K + 2 N)). Nothing where N and K are too small for it however
// many rows there are.
std::optional<double> rows_at_intensity(double intensity, double cols, double inner, double operand);

// The inner length K at this intensity: 2 I M N / (2 M N - I e (M + N)).
std::optional<double> inner_at_intensity(double intensity, double rows, double cols, double operand);

// What a product loses on the way from the peak to its rate. The five shares multiply to what its waves
// reach; tile and wave quantisation as in NVIDIA's Matrix Multiplication Background User's Guide, chapter 3.
struct ProductDetail
{
    enum class Limit : std::uint8_t
    {
        waves, // of tiles
        bytes, // operands and result
        peak
    };

    Product product;
    Tiling tiling;
    double peak = 1;     // [FLOP/s]
    double bytes = 0;    // operands and result, each once
    double seconds = 0;  // as in the step-time model
    double tile_use = 1; // of the tiles' area, what lies inside the result
    double wave_use = 1; // of the processors in all waves, those with a tile
    double fill = 1;     // of a tile's time, not filling and draining its loads
    double tile_rate = 1;
    double reached = 1; // of the peak inside a full wave
    Limit limit = Limit::waves;

    double rate() const { return seconds > 0 ? product.flops() / seconds : 0; } // [FLOP/s]
    double intensity() const { return bytes > 0 ? product.flops() / bytes : 0; }
    double of_peak() const { return rate() / peak; }
    // Tiles of the last wave; as many as processors where it is full.
    double last_wave(double processors) const { return tiling.tiles - (tiling.waves - 1) * processors; }
};
ProductDetail product_detail(const Device& device, const Product& product, double peak, double operand);
// The product's details for each number of rows.
std::vector<ProductDetail> over_rows(const Device& device, const Product& product, double peak,
                                     double operand, const std::vector<double>& rows);

// FLOPs over bytes, with the numbers in. Of a product M, N and K; of other kernels the two sums.
Term explain_intensity(const RoofPoint& point);
// [FLOP/s] min(peak, intensity x bandwidth).
Term explain_attainable(const Roofs& roofs, const RoofPoint& point);

} // namespace ringside
