// How a question is answered, by its kind: a number or a layout is typed, a choice is picked, items are
// moved. Keeps what was entered for the question it was last shown, so that leaving and coming back loses
// nothing.
#pragma once

#include "core/study/grading.h"
#include "ui/shell/view.h"
#include "ui/views/drill/sheet.h"

#include <set>

namespace ringside
{

// How the question stands.
struct EntryState
{
    bool open = true; // an answer is taken
    const Verdict* verdict = nullptr;
    std::string_view unread; // what could not be read of what was typed
};

class AnswerEntry
{
public:
    // What is answered without being typed, picked or moved is said aloud.
    static bool is_said(const Question& question);

    // Starts anew for another question, or the same one at another `place`; `answer` was given to it before,
    // may be empty.
    void show(const Question& question, std::string_view place, std::string_view answer);
    // True when Enter asks to check what was typed.
    bool draw(Sheet& sheet, const Question& question, const EntryState& state);
    // Keys of choices and orders; called while no text is typed.
    void keys(const Question& question);
    // The answer as it would be typed; empty: nothing was entered.
    std::string text(const Question& question) const;
    // After a wrong answer: a choice is not offered again, the text field has the keyboard.
    void was_wrong(const Question& question, const Verdict& verdict);
    // The text field takes the keyboard at the next draw.
    void focus() { focus_ = true; }

private:
    bool draw_field(Sheet& sheet, const Question& question, const EntryState& state);
    bool draw_input(const Painter& p, Rect box);
    void draw_choices(Sheet& sheet, const Question& question, const EntryState& state);
    void draw_order(Sheet& sheet, const Question& question, const EntryState& state);
    // How far the mouse drags it: -1, 0 or 1.
    std::ptrdiff_t draw_item(Sheet& sheet, const Question& question, const EntryState& state,
                             std::size_t place);
    void move(std::size_t from, std::ptrdiff_t by);

    std::string shown_; // place, id, seed and values of the question
    std::string typed_;
    std::optional<std::size_t> choice_;
    std::set<std::size_t> ruled_out_;
    std::vector<std::size_t> order_;
    std::size_t cursor_ = 0;
    std::optional<std::size_t> wrong_from_; // place at which the order first went wrong
    bool focus_ = false;
};

} // namespace ringside
