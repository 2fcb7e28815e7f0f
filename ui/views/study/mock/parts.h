// The parts of a mock interview: its questions in a row and in the panel, one of them on show, the scorecard.
// No verdict before the end. The session itself is not theirs.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/views/study/drill/answer.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

// While it runs only whether it is answered.
Pip pip_of(const MockSession& mock, const MockItem& item);
// The clock over the list; returns the one pressed.
std::optional<std::size_t> draw_mock_panel(const Painter& painter, Rect area, const MockSession& mock);
// What a user reads of a question.
std::string state_words(const MockSession& mock, const MockItem& item);

// Returns the question whose row was pressed.
std::optional<std::size_t> draw_scorecard(Sheet& sheet, const StudyFrame& study, const MockSession& mock);
int passed_in(const MockSession& mock);
// Families of those that were not passed.
std::vector<std::string> wrong_in(const MockSession& mock);

inline void push_key(Out& out, MockKey key)
{
    out.push(StudyStep{MockInput{key}});
}

class MockQuestion
{
public:
    // True when the user has read enough of an interview that is over.
    bool draw(const Frame& frame, const MockSession& mock, const Painter& painter, Rect area, Out& out);
    void keys(const Frame& frame, const MockSession& mock, Out& out);
    void typing_keys(const Frame& frame, const MockSession& mock, Out& out);
    // Letters that go from question to question, and those of the clock. True when one was pressed.
    bool letters(const MockSession& mock, Out& out);

private:
    void draw_running(Sheet& sheet, const Frame& frame, const MockSession& mock, Out& out);
    void draw_judged(Sheet& sheet, const Frame& frame, const MockSession& mock, Out& out);
    // Where one can go from here, as buttons below the question. `closed`: the user has read enough.
    std::vector<KeyButton> actions(const MockSession& mock, bool& closed, Out& out);
    enum class Enter : std::uint8_t
    {
        answer,
        next, // that has no answer yet
        finish
    };
    Enter enter_does(const Question& question, const MockSession& mock) const;
    void enter(const Question& question, const MockSession& mock, Out& out);
    std::string entered(const Question& question) const; // empty: nothing yet
    void judge(const MockSession& mock, Out& out, bool could_teach = false);

    AnswerEntry entry_;
    Points points_;
};

} // namespace ringside
