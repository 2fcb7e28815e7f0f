// Drawing in design units' vocabulary: rectangles, text by purpose, hatching, keycaps. Everything goes
// through the Canvas.
#pragma once

#include "ui/draw/look.h"

#include <imgui.h>

#include <string_view>

namespace ringside
{

struct SketchShape;

// What Painter and the views draw on: ImDrawList's functions under their own names, which also write into a
// sketch where one is asked for.
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

// In pixels.
struct Rect
{
    float x = 0, y = 0, w = 0, h = 0;

    float right() const { return x + w; }
    float bottom() const { return y + h; }
    float middle() const { return y + h / 2; }
    float centre() const { return x + w / 2; }
    ImVec2 min() const { return {x, y}; }
    ImVec2 max() const { return {x + w, y + h}; }
    Rect inset(float by) const { return {x + by, y + by, w - 2 * by, h - 2 * by}; }
    bool contains(ImVec2 p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
    // Takes a strip off one side and returns it.
    Rect cut_top(float amount);
    Rect cut_bottom(float amount);
    Rect cut_left(float amount);
    Rect cut_right(float amount);
};

enum class Align
{
    left,
    centre,
    right
};

struct Hatch
{
    float gap; // [design px]
    float line;
};
inline constexpr Hatch kIdleHatch{8, 1}, kExposedHatch{6, 2}, kOverflowHatch{5, 2}, kCoveredHatch{10, 2};

// A part of a picture that a lesson may point at or cover, under the name its steps use.
struct NamedPart
{
    std::string name;
    Rect rect;
};

class Painter
{
public:
    Painter(ImDrawList& draw_list, const Look& a_look, std::vector<NamedPart>* named = nullptr)
        : list(draw_list, a_look.sketch), look(a_look), theme(a_look.theme), parts(named)
    {
    }

    Canvas list;
    const Look& look;
    const Theme& theme;
    std::vector<NamedPart>* parts; // null: nobody asks for them

    // Names what was drawn here. A name given several times is a part of several rectangles.
    void part(std::string_view name, Rect r) const;

    // Whether the mouse, or the keyboard that walks along the marks, points into this rectangle.
    bool points_in(Rect r) const;
    bool walks_in(Rect r) const; // only the keyboard
    // Lists a mark that has a read-out, as far as it is in sight.
    void mark(Rect r, int curve = 0) const;
    // Lists the mark and says whether it is pointed at.
    bool points_at(Rect r) const;

    float px(float design) const { return look.px(design); }
    float width(Type type, std::string_view text) const;
    float height(Type type) const; // of one line

    // Text on one line, centred on `middle`. Returns its width.
    float text(float x, float middle, Type type, Colour colour, std::string_view text,
               Align align = Align::left) const;
    // Text in this share of its type's size, for figures that would be left out otherwise.
    float text_shrunk(float x, float middle, Type type, float share, Colour colour, std::string_view text,
                      Align align) const;
    // The same, cut with an ellipsis when wider than `most`.
    float text_within(float x, float middle, float most, Type type, Colour colour,
                      std::string_view text) const;
    // Wrapped at spaces; returns the height used.
    float paragraph(Rect area, Type type, Colour colour, std::string_view text) const;
    // One or more lines with **strong** and !!warning!! words, wrapped; returns the height used.
    float rich(Rect area, Type plain, Type strong, Colour colour, std::string_view text) const;
    std::string shortened(Type type, std::string_view text, float most) const;

    void fill(Rect r, Colour colour, float radius = 0) const;
    void outline(Rect r, Colour colour, float thickness = 1, float radius = 0) const;
    void line(float x1, float y1, float x2, float y2, Colour colour, float thickness = 1) const;
    void dashed(float x1, float y1, float x2, float y2, Colour colour, float thickness = 1) const;
    void hatch(Rect r, Colour colour, Hatch hatch) const;
    // A data block: fill, edge in the light theme, label where it fits.
    void block(Rect r, const Ink& ink, std::string_view label = {}, Type type = Type::mono_small) const;
    void card(Rect r, bool selected, bool hovered) const;
    // Returns the keycap's rectangle.
    Rect keycap(float x, float middle, std::string_view key) const;
    void tick(float x, float middle, Colour colour) const;
    void tick_in(Rect box, Colour colour) const;               // no larger than a check box
    void triangle(float x, float middle, Colour colour) const; // warning sign
    void arrow(ImVec2 from, ImVec2 to, Colour colour, float thickness = 2) const;
    // A bar of `share` of `most`, with a mark at `limit`, the part beyond it in the warning colour.
    void meter(Rect r, double value, double limit, double most) const;

private:
    // Without its figures while they are hidden; `room` keeps what has to be made for that.
    std::string_view veiled(std::string_view text, std::string& room) const;
    float raw_width(Type type, std::string_view text) const;
    float write(float x, float middle, Type type, Colour colour, std::string_view text, Align align,
                float shrunk = 1) const;
};

// cubic in-out, 0 to 1
float ease(float t);

} // namespace ringside
