// What people press and drag: buttons, sliders with typed entry, switches, choices. They report; the caller
// acts.
#pragma once

#include "ui/draw/painter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

namespace ringside
{

struct ReadAs; // ui/draw/transcript.h

struct Press
{
    bool clicked = false;
    bool hovered = false;
    bool held = false;
    bool focused = false; // by the keyboard
};

// An invisible button of this size, found by its label, with a visible focus outline.
Press press(const Painter& painter, Rect r, const char* label, float radius = 6);
Press press(const Painter& painter, Rect r, const char* label, float radius, const ReadAs& as);

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

// Where a slider goes and how its value is written: a range or stops, even or logarithmic. Every slider of
// the window stands on one, so that a drag, an arrow key and typing mean the same everywhere.
using NumberText = std::string (*)(double);
std::string say_whole(double value); // "1 234"

struct Track
{
    double low = 0; // above 0 where logarithmic
    double high = 1;
    NumberText text = nullptr;
    double unit = 1; // of what is typed: 0.01 for percent
    bool logarithmic = false;
    bool whole = false;
    bool only_stops = false;            // what is typed goes to the nearest one, too
    std::span<const double> stops = {}; // at most 64; ascending, but for a last one that stands for no limit
    double step = 0;                    // what drags and arrow keys go by; 0: anywhere, and by a twentieth

    static constexpr Track even(double low, double high, NumberText text, double unit = 1)
    {
        return {low, high, text, unit};
    }
    static constexpr Track log(double low, double high, NumberText text, double unit = 1)
    {
        return {low, high, text, unit, true};
    }
    // Evenly spaced; what is typed may lie between them.
    static constexpr Track at(std::span<const double> stops, NumberText text, double unit = 1)
    {
        return {stops.front(), stops.back(), text, unit, false, false, false, stops};
    }
    static constexpr Track only_at(std::span<const double> stops, NumberText text, double unit = 1)
    {
        return {stops.front(), stops.back(), text, unit, false, false, true, stops};
    }
    // Where they lie on a logarithmic range. A value stays where it is while the stops change.
    static constexpr Track log_at(std::span<const double> stops, double low, double high)
    {
        return {low, high, nullptr, 1, true, false, false, stops};
    }
    // What may be typed beyond the stops.
    constexpr Track typed_from(double least, double most) const
    {
        Track wider = *this;
        wider.low = least;
        wider.high = most;
        return wider;
    }
    constexpr double clamped(double value) const { return std::clamp(value, low, high); }
    constexpr Track rounded() const
    {
        Track next = *this;
        next.whole = true;
        return next;
    }
};

// 0 to 1.
float share_of(const Track& track, double value);
// Where a drag or an arrow key takes a value.
double moved_to(const Track& track, double value, const SliderChange& change);
// What was typed, within the track; nothing where it is no number.
std::optional<double> typed_on(const Track& track, std::string text);

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
