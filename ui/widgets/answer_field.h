// The field in which an answer is typed: in drill and mock interview, for a lesson's prediction, for what a
// class calls out.
//
// It takes the keyboard and keeps it until the user leaves it with Tab: when the mouse was pressed elsewhere
// it has it again as soon as the button is up, unless another field is typed in or a popup is open. A digit
// brings it back in any case. What is typed before it has the keyboard is not lost; while it has it, or waits
// for it, ImGui's WantTextInput is set, so that no letter and no digit is a shortcut.
//
// Beside it stand the units to choose from, as many as there is room for: a click or Alt and its digit puts
// one behind the number, in place of the unit that was there.
#pragma once

#include "ui/draw/painter.h"

#include <optional>
#include <span>
#include <string>

namespace ringside
{

struct AnswerFieldLook
{
    const char* id;        // "###answer"
    std::string_view hint; // while nothing is typed
    Type type = Type::body;
    Colour edge = 0;                         // 0: that of lines, that of text while it has the keyboard
    float right = 0;                         // [px] kept free at its right
    std::span<const std::string> units = {}; // to choose from, as buttons beside it
};

class AnswerField
{
public:
    const std::string& text() const { return text_; }
    bool empty() const { return text_.find_first_not_of(' ') == std::string::npos; }
    // In place of what was typed.
    void set(std::string text);
    // Takes the keyboard, whatever has it.
    void focus() { asked_ = fresh_ = true; }
    // What is typed next replaces what was refused.
    void select() { select_ = true; }
    // As it was drawn last: whether it has the keyboard, and where it stands, without the units beside it.
    bool has_keyboard() const { return held_; }
    const Rect& box() const { return box_; }

    // True when Enter was pressed in it. `animating` is set while it waits for the keyboard.
    bool draw(const Painter& p, Rect whole, const AnswerFieldLook& look, bool& animating);

private:
    bool waits(unsigned id) const;
    void take(unsigned id);
    Rect draw_units(const Painter& p, Rect box, std::span<const std::string> units);

    std::string text_;
    std::optional<std::string> put_; // for ImGui's own copy of the text, which it has while it is active
    bool asked_ = false;             // for the keyboard
    bool fresh_ = true;              // not drawn since: what was typed in this frame opened it
    bool select_ = false;
    bool held_ = false;
    Rect box_;
};

// The key of a letter as it is written on a button: with Alt while a text is typed.
std::string letter_key(std::string_view letter);

} // namespace ringside
