#include "core/performance/step_model/tiling.h"

#include <algorithm>
#include <array>
#include <cassert>
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

} // namespace

Tiling tiling(const Device& device, const Product& p, double peak)
{
    const double rate = device.efficiency_at(peak) * peak / device.processors; // of one processor
    Tiling best;
    double least = std::numeric_limits<double>::infinity();
    for (const Tile& tile : kTiles)
    {
        const double tiles = tile_count(p, tile.rows, tile.cols);
        for (double split = 1; split <= kMostSplits; split *= 2)
        {
            const double waves = std::ceil(tiles * split / device.processors);
            const double wave =
                2 * tile.rows * tile.cols * (p.inner / split + kPrologue) / (rate * tile.share);
            const double sums =
                split > 1 ? 8 * split * p.rows * p.cols * p.batch / device.hbm + device.kernel : 0;
            if (waves * wave + sums < least)
            {
                least = waves * wave + sums;
                best = {tile.rows, tile.cols, tile.share, split, tiles * split, waves, wave, sums};
            }
        }
    }
    return best;
}

double tile_count(const Product& p, double rows, double cols)
{
    assert(rows > 0 && cols > 0);
    return std::ceil(p.rows / rows) * std::ceil(p.cols / cols) * p.batch;
}

double wave_use(double tiles, double processors)
{
    assert(tiles > 0 && processors > 0);
    return tiles / (std::ceil(tiles / processors) * processors);
}

double product_bytes(const Product& p, double operand)
{
    return (operand * (p.rows + p.cols) * p.inner + std::max(2.0, operand) * p.rows * p.cols) * p.batch;
}

double filled_share(const Product& p, const Tiling& t)
{
    return p.inner / (p.inner + t.split * kPrologue);
}

} // namespace ringside
