// What the pictures of the heights are drawn with: where a frame is on screen, what of it is in sight, and
// the words that find a place in the end.
#pragma once

#include "core/evaluate/zoom/layout.h"
#include "core/model/stages.h"
#include "core/pipeline/density.h"
#include "ui/shell/view.h"
#include "ui/widgets/labels.h"

#include <memory>
#include <string>
#include <vector>

namespace ringside
{

// What is worked out of a scenario, once.
struct ZoomScenario
{
    ZoomScenario(const Scenario& scenario, const std::shared_ptr<const Report>& of);

    std::shared_ptr<const Report> report; // never null
    Heights heights;
    double input_share;
    Density density; // of the report's timeline

    const Timeline& timeline() const { return report->pipeline->timeline; }
};

// Words about a part of the picture, in its middle; they fade with its size on screen.
struct ZoomNote
{
    Rect about;
    std::string text;
    Height height = Height::cluster;
    bool strong = false;
    float from_top = 0.5F; // of the part, where they stand
};

// For one frame of the window.
struct ZoomSight
{
    const Frame& frame;
    const Painter& p;
    const ZoomScenario& scenario;
    const Heights& h;
    const ZoomLayout& layout;
    const ZoomPath& path;
    Rect window;
    double height;
    std::vector<ZoomNote> notes = {};

    // Pixels of a frame's width.
    float size(const ZoomFrame& f) const { return static_cast<float>(f.w * static_cast<double>(window.w)); }
    // An area of a frame on screen; what lies far outside of the window is cut off there.
    Rect on(const ZoomFrame& f, const ZoomArea& area) const;
    Rect on(const ZoomFrame& f) const { return on(f, {0, 0, 1, layout.ratio()}); }
    // A frame that is given in another.
    ZoomFrame inside(const ZoomFrame& f, const ZoomFrame& inner) const;
    ZoomFrame inside(const ZoomFrame& f, const ZoomArea& area) const;
    bool sees(Rect r) const;
    // How far what goes on at a height has come, from 0 to 1 while the camera goes past it.
    double done(Height at) const;
    void note(Height at, Rect about, std::string text, bool strong = false, float from_top = 0.5F);
    void fill(Rect r, Colour colour, float radius = 0) const;
    void outline(Rect r, Colour colour, float thickness) const;
    // Round what the camera goes into next, however small that is still.
    void frame_next(Rect r) const;
    // The ground of a frame; it appears as the frame grows.
    void ground(const ZoomFrame& f) const;
    // Lines between the boxes of a grid, where those are large enough.
    void lines(const ZoomFrame& f, const ZoomGrid& grid, Colour colour) const;
    // The pictures of the heights, from the cluster to the layer.
    void draw_cluster(const ZoomFrame& f);
    void draw_domain(const ZoomFrame& f, std::int64_t domain);
    void draw_gpu(const ZoomFrame& f, std::int64_t rank);
    void draw_lane(const ZoomFrame& f);
    void draw_forward(const ZoomFrame& f);
    void draw_layer(const ZoomFrame& f, bool followed);
    // And from the product to the bit.
    void draw_gemm(const ZoomFrame& f);
    void draw_tile(const ZoomFrame& f);
    void draw_step(const ZoomFrame& f);
    void draw_number(const ZoomFrame& f);
    void draw_bit_frame(const ZoomFrame& f);
    // Everything that is in sight, and then its words.
    void draw();
    void write_notes() const;
};

// From 0 to 1 as a length grows from one to another.
float grown(float length, float from, float to);

// How far down, as a list of heights: the one that was pressed.
std::optional<std::size_t> draw_ladder(const ZoomSight& sight, Rect area, std::size_t at);
// Bars of so many bytes, FLOPs and seconds.
void draw_scales(const ZoomSight& sight, Rect area);

// The view or page that explains a height.
std::string_view explained_by(Height height);
std::string zoomed_flops(double flops);
std::string zoomed_seconds(double seconds);
std::string zoomed_bytes(double bytes, ByteUnit unit);
// "GPU 1,042: 40.2 GB"
std::string zoom_heading(const ZoomScenario& known, const Frame& frame, Height height);
Caption zoom_caption(const ZoomScenario& known, const Frame& frame, Height height);

} // namespace ringside
