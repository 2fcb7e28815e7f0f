// A camera that zooms through frames that lie inside each other: where every frame is on screen at a height,
// and how far a camera may go in one step. Knows nothing of what the frames show.
//
// Height 0 shows the outermost frame, height k the k-th inside it; between two, the width of what is in sight
// is interpolated geometrically, so that zooming looks equally fast everywhere, and about the point that
// keeps its place, so that no window reaches beyond the one before. The optimal path of van Wijk and Nuij
// (Smooth and efficient zooming and panning, InfoVis 2003, section 4) pans first and would show what lies
// beside a frame; where frames are nested, nothing does. Like theirs, a picture is a function of the height
// alone, whatever the way to it.
#pragma once

#include <cstddef>
#include <vector>

namespace ringside
{

// A rectangle in widths of a frame, which is 1 wide.
struct ZoomArea
{
    double x = 0;
    double y = 0;
    double w = 1;
    double h = 1;

    double right() const { return x + w; }
    double bottom() const { return y + h; }
    ZoomArea inset(double by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
};

// Where a frame lies in another; its height follows from its width.
struct ZoomFrame
{
    double x = 0;
    double y = 0;
    double w = 1;

    bool operator==(const ZoomFrame&) const = default;
};

// The largest frame of this height over width in the middle of an area, a little smaller than it.
ZoomFrame frame_in(const ZoomArea& area, double ratio);

class ZoomPath
{
public:
    // `frames[k]` is frame k + 1 in frame k, narrower than that; all are `ratio` times as high as wide.
    ZoomPath(std::vector<ZoomFrame> frames, double ratio);

    double deepest() const { return static_cast<double>(frames_.size()); }
    double ratio() const { return ratio_; }
    // Where frame `level` lies in the window, in widths of that.
    ZoomFrame frame(std::size_t level, double height) const;
    // How much of the frames from one to the next the camera has gone, 0 to 1, with rests at the frames.
    double share(double height) const;
    // The largest way of a point in sight, in widths of the window, when the height changes so.
    double way(double from, double to) const;
    // The height nearest to `to` that nothing in sight goes further than `most` for.
    double towards(double from, double to, double most) const;
    // The height at which what is in sight is so many times as large, as if there were no rests.
    double magnified(double height, double times) const;

private:
    std::size_t level_at(double height) const;

    std::vector<ZoomFrame> frames_;
    double ratio_;
};

} // namespace ringside
