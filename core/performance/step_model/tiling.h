// How a matrix product is cut into tiles that share a GPU's multiprocessors in waves, and what it reads and
// writes. Its time is product_seconds() of kernels.h.
//
// Five shares multiply to what the waves of a product reach: area inside the result, places with a tile,
// filling, the tile's own rate, the calibration. Adding up parts of K and the bytes come on top, so the rate
// may be lower than their product.
#pragma once

#include "core/performance/step_model/kernels.h"

namespace ringside
{

// How a kernel cuts a product: the tile, the parts of the inner dimension and so the waves that take least.
struct Tiling
{
    double rows = 0; // of one tile
    double cols = 0;
    double share = 1; // of the largest tile's rate that this one reaches
    double split = 1; // parts of the inner dimension
    double tiles = 1; // of all batches, every part counted
    double waves = 1; // whole ones
    double wave = 0;  // [s] of one
    double sums = 0;  // [s] of adding up the parts

    double seconds() const { return waves * wave + sums; }
};
Tiling tiling(const Device& device, const Product& product, double peak);

// Tiles of `rows` x `cols` that cover the result of every batch, those at its edges whole.
double tile_count(const Product& product, double rows, double cols);
// The share of the places for a tile in all waves over so many processors that have one.
double wave_use(double tiles, double processors);
// [B] of operands and result, each once: elements of `operand` bytes read, 16-bit ones written.
double product_bytes(const Product& product, double operand);
// Share of the time inside full waves that is not the filling of a tile's pipeline of loads.
double filled_share(const Product& product, const Tiling& tiling);

} // namespace ringside
