// A column of things one below the other: hands out rows, writes headings, sentences and notes, and remembers
// how far it came. Everything that is read from top to bottom is put on one: questions, lessons, the guide, a
// word of the glossary, what a popup says.
#pragma once

#include "ui/widgets/controls.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringside
{

struct MarkdownTypes;

// A button, and the key that does the same.
struct KeyButton
{
    std::string label; // "Show me###show"; empty: it has its key only
    std::string key;   // as it is written on it
    std::function<void()> run;
    ImGuiKey code = ImGuiKey_None;
    ButtonStyle style = ButtonStyle::plain;
};
// Side by side, equally wide where the words of each fit.
void draw_buttons(const Painter& painter, Rect row, std::span<const KeyButton> buttons);
// Runs the first whose key was pressed; whether there was one. Enter is that of the keypad too.
bool press_keys(std::span<const KeyButton> buttons);
// Which of so many digit keys, from 1 on, was pressed.
std::optional<std::size_t> digit_pressed(std::size_t count);
// -1, 0 or 1 when one of both was pressed, or is held: to the one before or to the one behind.
int key_steps(ImGuiKey back, ImGuiKey on);

// A row as high as its words, on a card, that may be pressed.
struct SheetCard
{
    std::string label; // of what is pressed; empty: nothing is
    std::string_view words;
    Colour ink = 0;   // 0: that of text
    float left = 48;  // [design px] before the words
    float right = 48; // [px] behind them
    float least = 44; // [design px] of height
    float gap = 8;    // [design px] below it
    bool chosen = false;
};
struct DrawnCard
{
    Rect r;
    Press pressed;
};

enum class FactInk
{
    plain,
    strong, // the one that is chosen
    warned
};

class Sheet
{
public:
    // `area` gives left, top and width; how high it gets is known afterwards.
    Sheet(const Painter& painter, Rect area) : p(painter), area_(area), y_(area.y) {}

    const Painter& p;

    float x() const { return area_.x; }
    float y() const { return y_; }
    float width() const { return area_.w; }
    void gap(float design = 6) { y_ += p.px(design); }
    Rect row(float design) { return take(p.px(design)); }
    Rect take(float height);

    // Wrapped, with **strong** words; returns where they stand.
    Rect words(Type type, Colour colour, std::string_view text, float indent = 0);
    void title(std::string_view text) { words(Type::title, p.theme.text, text); }
    void name(std::string_view text) { words(Type::body_strong, p.theme.text, text); }
    void say(std::string_view text) { words(Type::body, p.theme.text, text); }
    void text(std::string_view text) { words(Type::small, p.theme.text, text); }
    void note(std::string_view text) { words(Type::small, p.theme.muted, text); }
    void figures(std::string_view text) { words(Type::mono_small, p.theme.text, text); }
    // A line with a bullet in front.
    void point(std::string_view text, Colour colour, Type type = Type::small);
    void markdown(std::string_view text);
    void markdown(std::string_view text, const MarkdownTypes& types, Colour ink = 0);
    // One line, and at its right what there is room for.
    void heading(std::string_view text, std::string_view right = {}, Type type = Type::body_strong);
    // A label left and its figure right; `tip` shows when it is pointed at.
    void fact(std::string_view label, std::string_view value, std::string_view tip = {},
              FactInk ink = FactInk::plain);
    // A line across, with so much room above and below it.
    void rule(float above = 8, float below = 8);

    DrawnCard card(const SheetCard& card);
    bool button(const char* label, std::string_view key, ButtonStyle style, float height = 36);
    // From left to right, in as many rows as they need.
    void buttons(std::span<const KeyButton> buttons);
    // So many cells, as many beside each other as are `least` wide, and not more than `most`.
    void grid(std::size_t count, float least, float height, float gap,
              const std::function<void(std::size_t, Rect)>& cell, std::size_t most = 64);
    // What `content` writes, `margin` inside a box.
    Rect boxed(Colour fill, Colour edge, float thickness, float margin,
               const std::function<void(Sheet&)>& content);

protected:
    Rect area_; // the room that is left begins at y_
    float y_;
};

// Light *emphasis* and `code` marks taken off; **strong** stays.
std::string without_light_marks(std::string_view text);
// Height of wrapped words.
float words_height(const Painter& painter, float width, Type type, std::string_view text);

} // namespace ringside
