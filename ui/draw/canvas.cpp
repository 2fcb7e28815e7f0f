#include "ui/draw/painter.h"
#include "ui/draw/sketch.h"

#include <array>
#include <cfloat>

namespace ringside
{

namespace
{

using Kind = SketchShape::Kind;

// ImGui's thin lines run through the middle of pixels.
ImVec2 middle_of_pixel(ImVec2 p)
{
    return {p.x + 0.5F, p.y + 0.5F};
}

} // namespace

SketchShape Canvas::shape(Colour colour, float thickness) const
{
    SketchShape s;
    s.list = &raw;
    s.colour = colour;
    s.thickness = thickness;
    const ImVec2 min = raw.GetClipRectMin();
    const ImVec2 max = raw.GetClipRectMax();
    s.clip = {min.x, min.y, max.x, max.y};
    return s;
}

void Canvas::sketch_path(const ImVec2* points, int count, Colour colour, float thickness, bool closed) const
{
    if (sketch_ == nullptr)
    {
        return;
    }
    SketchShape s = shape(colour, thickness);
    s.points.assign(points, points + count);
    s.closed = closed;
    s.crisp = thickness == 0 && (raw.Flags & ImDrawListFlags_AntiAliasedFill) == 0;
    sketch_->add(std::move(s));
}

void Canvas::AddLine(ImVec2 a, ImVec2 b, Colour colour, float thickness) const
{
    raw.AddLine(a, b, colour, thickness);
    const std::array points{middle_of_pixel(a), middle_of_pixel(b)};
    sketch_path(points.data(), 2, colour, thickness, false);
}

void Canvas::AddRect(ImVec2 min, ImVec2 max, Colour colour, float radius, ImDrawFlags flags,
                     float thickness) const
{
    raw.AddRect(min, max, colour, radius, flags, thickness);
    if (sketch_ != nullptr)
    {
        SketchShape s = shape(colour, thickness);
        s.kind = Kind::rectangle;
        s.points = {middle_of_pixel(min), {max.x - 0.5F, max.y - 0.5F}};
        s.radius = radius;
        sketch_->add(std::move(s));
    }
}

void Canvas::AddRectFilled(ImVec2 min, ImVec2 max, Colour colour, float radius) const
{
    raw.AddRectFilled(min, max, colour, radius);
    if (sketch_ != nullptr)
    {
        SketchShape s = shape(colour, 0);
        s.kind = Kind::rectangle;
        s.points = {min, max};
        s.radius = radius;
        sketch_->add(std::move(s));
    }
}

void Canvas::AddCircle(ImVec2 centre, float radius, Colour colour, int segments, float thickness) const
{
    raw.AddCircle(centre, radius, colour, segments, thickness);
    if (sketch_ != nullptr)
    {
        SketchShape s = shape(colour, thickness);
        s.kind = Kind::circle;
        s.points = {centre};
        s.radius = radius;
        sketch_->add(std::move(s));
    }
}

void Canvas::AddCircleFilled(ImVec2 centre, float radius, Colour colour, int segments) const
{
    raw.AddCircleFilled(centre, radius, colour, segments);
    if (sketch_ != nullptr)
    {
        SketchShape s = shape(colour, 0);
        s.kind = Kind::circle;
        s.points = {centre};
        s.radius = radius;
        sketch_->add(std::move(s));
    }
}

void Canvas::AddTriangle(ImVec2 a, ImVec2 b, ImVec2 c, Colour colour, float thickness) const
{
    raw.AddTriangle(a, b, c, colour, thickness);
    const std::array points{a, b, c};
    sketch_path(points.data(), 3, colour, thickness, true);
}

void Canvas::AddTriangleFilled(ImVec2 a, ImVec2 b, ImVec2 c, Colour colour) const
{
    raw.AddTriangleFilled(a, b, c, colour);
    const std::array points{a, b, c};
    sketch_path(points.data(), 3, colour, 0, true);
}

void Canvas::AddQuadFilled(ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, Colour colour) const
{
    raw.AddQuadFilled(a, b, c, d, colour);
    const std::array points{a, b, c, d};
    sketch_path(points.data(), 4, colour, 0, true);
}

void Canvas::AddPolyline(const ImVec2* points, int count, Colour colour, ImDrawFlags flags,
                         float thickness) const
{
    raw.AddPolyline(points, count, colour, flags, thickness);
    sketch_path(points, count, colour, thickness, (flags & ImDrawFlags_Closed) != 0);
}

void Canvas::AddConvexPolyFilled(const ImVec2* points, int count, Colour colour) const
{
    raw.AddConvexPolyFilled(points, count, colour);
    sketch_path(points, count, colour, 0, true);
}

void Canvas::AddText(const ImFont* font, float size, ImVec2 at, Colour colour, const char* begin,
                     const char* end) const
{
    raw.AddText(font, size, at, colour, begin, end);
    if (sketch_ != nullptr)
    {
        SketchShape s = shape(colour, 0);
        s.kind = Kind::words;
        s.points = {{at.x, at.y + font->Ascent * size / font->FontSize}};
        s.text.assign(begin, end);
        s.font = font;
        s.width = font->CalcTextSizeA(size, FLT_MAX, 0, begin, end).x;
        sketch_->add(std::move(s));
    }
}

void Canvas::PathArcTo(ImVec2 centre, float radius, float from, float to, int segments) const
{
    raw.PathArcTo(centre, radius, from, to, segments);
}

void Canvas::PathStroke(Colour colour, ImDrawFlags flags, float thickness) const
{
    sketch_path(raw._Path.Data, raw._Path.Size, colour, thickness, (flags & ImDrawFlags_Closed) != 0);
    raw.PathStroke(colour, flags, thickness);
}

void Canvas::PushClipRect(ImVec2 min, ImVec2 max, bool within) const
{
    raw.PushClipRect(min, max, within);
}

void Canvas::PopClipRect() const
{
    raw.PopClipRect();
}

void Canvas::ChannelsSplit(int count) const
{
    raw.ChannelsSplit(count);
    if (sketch_ != nullptr)
    {
        sketch_->split();
    }
}

void Canvas::ChannelsSetCurrent(int channel) const
{
    raw.ChannelsSetCurrent(channel);
    if (sketch_ != nullptr)
    {
        sketch_->set_channel(channel);
    }
}

void Canvas::ChannelsMerge() const
{
    raw.ChannelsMerge();
    if (sketch_ != nullptr)
    {
        sketch_->merge();
    }
}

} // namespace ringside
