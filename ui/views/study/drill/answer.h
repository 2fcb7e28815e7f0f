// How a question is answered: a number or a layout is typed, a choice is picked, items are moved; what is
// said aloud is judged by the points it made. With the user's note on it, and where it comes from.
#pragma once

#include "core/study/grading/grading.h"
#include "core/study/questions/question.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/answer_field.h"
#include "ui/widgets/sheet.h"

#include <set>
#include <string>

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
    // may be empty. True when it did.
    bool show(const Question& question, std::string_view place, std::string_view answer);
    const std::string& shown() const { return shown_; } // which one it is
    // True when Enter asks to check what was typed. `animating` as in AnswerField.
    bool draw(Sheet& sheet, const Question& question, const EntryState& state, bool& animating);
    // Keys of choices and orders; called while no text is typed.
    void keys(const Question& question);
    // The answer as it would be typed; empty: nothing was entered.
    std::string text(const Question& question) const;
    // After a wrong answer: a choice is not offered again, the text field has the keyboard.
    void was_wrong(const Question& question, const Verdict& verdict);
    // What was typed has been handed in: keeps what it may have meant, to choose from while it is not graded.
    void tried(const Question& question);
    // The text field takes the keyboard at the next draw.
    void focus() { field_.focus(); }

private:
    bool draw_field(Sheet& sheet, const Question& question, const EntryState& state, bool& animating);
    void draw_reading(Sheet& sheet, const Question& question, Rect box) const;
    void draw_unread(Sheet& sheet, std::string_view unread);
    bool offers_meanings() const { return !meant_.empty() && field_.text() == meant_for_; }
    void take_meaning(std::size_t choice);
    void draw_choices(Sheet& sheet, const Question& question, const EntryState& state);
    void draw_order(Sheet& sheet, const Question& question, const EntryState& state);
    // How far the mouse drags it: -1, 0 or 1.
    std::ptrdiff_t draw_item(Sheet& sheet, const Question& question, const EntryState& state,
                             std::size_t place);
    void move(std::size_t from, std::ptrdiff_t by);

    std::string shown_; // place, id, seed and values of the question
    AnswerField field_;
    std::vector<std::string> units_; // to choose from beside the field
    std::string meant_for_;          // the text that was handed in
    std::vector<std::string> meant_; // what it may mean: "57 B", "57 GB"
    bool taken_ = false;             // one of them, to be checked at the next draw
    std::optional<std::size_t> choice_;
    std::set<std::size_t> ruled_out_;
    std::vector<std::size_t> order_;
    std::size_t cursor_ = 0;
    std::optional<std::size_t> wrong_from_; // place at which the order first went wrong
};

// What is ticked: the rubric, or the strong points of a design, or the answer as a whole.
const std::vector<std::string>& points_of(const Question& question);

class Points
{
public:
    // All off, the cursor on the first.
    void reset(std::size_t count);
    const std::vector<bool>& made() const { return made_; }
    int ticked() const;
    bool done() const { return cursor_ >= made_.size(); } // the cursor is behind the last

    // Asks which were made, a row each; a click flips it. True when one changed.
    bool draw(Sheet& sheet, const std::vector<std::string>& points);
    // Space ticks and goes on, arrows move. True when one changed.
    bool keys();
    void set(const std::vector<bool>& made) { made_ = made; }
    // The point that the last change was about.
    std::size_t last() const { return last_; }

private:
    std::vector<bool> made_;
    std::size_t cursor_ = 0;
    std::size_t last_ = 0;
};

class QuestionPopups
{
public:
    void open_note(const StudyFrame& study);
    void open_sources() { sources_asked_ = true; }
    // Once a frame, with the view's ids. The note is pushed when Enter confirms it.
    void draw(const Frame& frame, const Painter& painter, Out& out);

private:
    void draw_note(const StudyFrame& study, const Painter& painter, Out& out);

    std::string note_;
    bool note_asked_ = false;
    bool sources_asked_ = false;
    bool fresh_ = false; // opened this frame: it takes the keyboard
};

} // namespace ringside
