// What people press and drag: buttons, sliders with typed entry, switches, choices. They report; the caller
// acts.
#pragma once

#include "ui/draw/painter.h"

#include <array>
#include <optional>
#include <span>
#include <string>

namespace ringside
{

struct Press
{
    bool clicked = false;
    bool hovered = false;
    bool held = false;
    bool focused = false; // by the keyboard
};

// An invisible button of this size, found by its label, with a visible focus outline.
Press press(const Painter& painter, Rect r, const char* label, float radius = 6);

// -1 or 1 when an arrow key moves the item of this id, which has the keyboard; the focus stays.
int arrow_steps(ImGuiID id);
// Steps of the keys up and down.
int row_steps(ImGuiID id);

enum class ButtonStyle
{
    plain,
    primary,
    quiet
};
bool button(const Painter& painter, Rect r, const char* label, std::string_view key = {},
            ButtonStyle style = ButtonStyle::plain);

// Several words side by side, one of them chosen. Returns the one clicked.
std::optional<std::size_t> segments(const Painter& painter, Rect r, std::span<const std::string_view> words,
                                    std::size_t chosen);

// How far something is, 0 to 1, as a line along the top; returns the room below it.
Rect progress_line(const Painter& painter, Rect area, double done);

// A label with its switch at the right. True when it was flipped.
bool toggle(const Painter& painter, Rect r, const char* label, bool on);

// A box that shows the current choice and opens a popup of this id. True when pressed.
bool dropdown(const Painter& painter, Rect r, const char* label, std::string_view shown);

struct SliderText
{
    const char* label;
    std::string value;
    std::span<const float> ticks = {}; // 0 to 1
    bool fault = false;
};

struct SliderChange
{
    enum class Kind
    {
        none,
        dragged,
        stepped,
        typed
    } kind = Kind::none;
    float position = 0; // dragged: 0 to 1
    int steps = 0;      // stepped by the keyboard: -1 or 1
    std::string text;   // typed
};

// Label and value over a track. Drag; arrow keys when focused; double-click or Enter to type the value.
SliderChange slider(const Painter& painter, Rect r, const SliderText& words, float position);

// A number that is only typed: label left, value right.
SliderChange typed_number(const Painter& painter, Rect r, const SliderText& words);

// A small card beside the mouse with a heading and lines, over everything else that is drawn.
struct TipLine
{
    std::string label;
    std::string value;
    Colour swatch = 0;
};
void tip_card(const Painter& painter, Rect bounds, ImVec2 at, std::string_view heading,
              std::span<const TipLine> lines, std::string_view foot = {});

// ImGui's tooltip, wrapped, once the mouse rests on the last item or the keyboard is on it.
void tooltip(const Painter& painter, std::string_view text);
// Shows the tooltip at once, for what is drawn and no item; nothing for an empty text.
void tooltip_at_mouse(const Painter& painter, std::string_view text);
// Whether a card or a tooltip shows already in this frame.
bool tip_shows();

} // namespace ringside
