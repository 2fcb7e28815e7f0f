// Where everything lies inside the frame of each height, in widths of that frame, and so where the next frame
// lies. Says nothing of pixels or colours: a picture draws what is in sight.
#pragma once

#include "core/evaluate/zoom/heights.h"
#include "core/pipeline/simulate.h"

#include <algorithm>

namespace ringside
{

// Boxes in rows.
struct ZoomGrid
{
    ZoomArea area;
    std::int64_t columns = 1;
    std::int64_t rows = 1;
    double gap = 0.1; // of a box's width and height

    ZoomArea box(std::int64_t index) const { return box(index / columns, index % columns); }
    ZoomArea box(std::int64_t row, std::int64_t column) const;
};

// A, B and their product, as they meet: A left of the result, B above it.
struct ZoomProduct
{
    ZoomArea a;
    ZoomArea b;
    ZoomArea result;
};

class ZoomLayout
{
public:
    ZoomLayout(const Heights& heights, const Timeline& timeline, double ratio);

    double ratio() const { return ratio_; }
    // Frame k + 1 in frame k.
    std::vector<ZoomFrame> frames() const;

    ZoomGrid domains() const; // of the cluster; a card each, whose frame is frame_in() it
    ZoomGrid gpus() const;    // of a domain
    ZoomArea links() const;   // below them
    ZoomArea memory() const;  // of a GPU
    ZoomArea time() const;    // the frame of its lane
    ZoomGrid processors() const;
    ZoomArea lanes() const;   // all stages'
    ZoomArea forward() const; // the event that the way goes through
    ZoomGrid layers() const;  // of a forward pass
    ZoomArea kernels() const; // of a layer, by their seconds
    ZoomArea kernel(std::size_t index) const;
    ZoomProduct gemm() const;
    ZoomGrid tiles() const; // of the result
    std::int64_t tile() const { return tile_; }
    ZoomProduct in_tile() const; // with so much of K as some instructions take
    ZoomGrid steps() const;      // of the tile's result
    ZoomProduct in_step() const; // its numbers are squares
    double number_side() const;
    ZoomArea number() const; // of A
    ZoomGrid bits() const;   // from the sign down
    std::int64_t bit() const { return bit_; }

    // Instructions along K that a tile shows.
    static constexpr double kShownSteps = 8;

private:
    ZoomProduct product(double rows, double cols, double inner) const;
    // Around what a frame shows; less in a flat one.
    double edge() const { return 0.03 * std::min(1.0, ratio_); }

    const Heights& h_;
    const Timeline& timeline_;
    double ratio_;
    std::int64_t tile_ = 0;
    std::int64_t bit_ = 0;
};

} // namespace ringside
