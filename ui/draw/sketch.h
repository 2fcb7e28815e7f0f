// What a frame drew, as shapes and words instead of pixels: SVG is written from it. Scroll bars and text that
// is being typed are ImGui's own and not in it.
//
// Words carry the length they had, so that they end where they ended in any font. A part that a lesson hides
// is not in the sketch.
#pragma once

#include "ui/draw/look.h"

#include <string>
#include <vector>

namespace ringside
{

struct SketchShape
{
    enum class Kind
    {
        rectangle, // points: its corners top left and bottom right
        circle,    // points: its centre
        path,
        words // points: left end of the baseline
    };
    Kind kind = Kind::path;
    const ImDrawList* list = nullptr; // what it was drawn into; later lists lie over earlier ones
    int channel = 0;
    ImVec4 clip{}; // left, top, right, bottom
    Colour colour = 0;
    float thickness = 0; // 0: filled
    float radius = 0;    // of a circle, or of a rectangle's corners
    bool closed = false;
    bool crisp = false; // edges are not smoothed, so that neighbours show no seam
    std::vector<ImVec2> points;
    std::string text = {};
    const ImFont* font = nullptr;
    float width = 0; // of the words, as laid out
};

class Sketch
{
public:
    void add(SketchShape shape);
    void split();
    void set_channel(int channel) { channel_ = channel; }
    void merge();
    // Takes away what lies inside, as if it had not been drawn.
    void erase_inside(ImVec2 from, ImVec2 to);
    const std::vector<SketchShape>& shapes() const { return shapes_; }

private:
    std::vector<SketchShape> shapes_;
    std::size_t split_at_ = 0;
    int channel_ = 0;
};

// The sketch of the frame that `drawn` is of.
std::string to_svg(const Sketch& sketch, const ImDrawData& drawn, const Look& look);

} // namespace ringside
