// What Painter and the views draw on: ImDrawList's functions under their own names, which also write into a
// sketch where one is asked for.
#pragma once

#include "ui/draw/theme.h"

#include <imgui.h>

namespace ringside
{

class Sketch;
struct SketchShape;

class Canvas
{
public: // NOLINTBEGIN(readability-identifier-naming): ImDrawList's names
    explicit Canvas(ImDrawList& list, Sketch* sketch = nullptr) : raw(list), sketch_(sketch) {}

    ImDrawList& raw; // what is drawn straight into it is in no sketch

    void AddLine(ImVec2 a, ImVec2 b, Colour colour, float thickness = 1) const;
    void AddRect(ImVec2 min, ImVec2 max, Colour colour, float radius = 0, ImDrawFlags flags = 0,
                 float thickness = 1) const;
    void AddRectFilled(ImVec2 min, ImVec2 max, Colour colour, float radius = 0) const;
    void AddCircle(ImVec2 centre, float radius, Colour colour, int segments = 0, float thickness = 1) const;
    void AddCircleFilled(ImVec2 centre, float radius, Colour colour, int segments = 0) const;
    void AddTriangle(ImVec2 a, ImVec2 b, ImVec2 c, Colour colour, float thickness = 1) const;
    void AddTriangleFilled(ImVec2 a, ImVec2 b, ImVec2 c, Colour colour) const;
    void AddQuadFilled(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, Colour colour) const;
    void AddPolyline(const ImVec2* points, int count, Colour colour, ImDrawFlags flags,
                     float thickness) const;
    void AddConvexPolyFilled(const ImVec2* points, int count, Colour colour) const;
    void AddText(const ImFont* font, float size, ImVec2 at, Colour colour, const char* begin,
                 const char* end) const;
    void PathArcTo(ImVec2 centre, float radius, float from, float to, int segments = 0) const;
    void PathStroke(Colour colour, ImDrawFlags flags = 0, float thickness = 1) const;
    void PushClipRect(ImVec2 min, ImVec2 max, bool within = false) const;
    void PopClipRect() const;
    void ChannelsSplit(int count) const;
    void ChannelsSetCurrent(int channel) const;
    void ChannelsMerge() const;

private: // NOLINTEND(readability-identifier-naming)
    // With list, clip and colour filled in.
    SketchShape shape(Colour colour, float thickness) const;
    void sketch_path(const ImVec2* points, int count, Colour colour, float thickness, bool closed) const;

    Sketch* sketch_;
};

} // namespace ringside
