// One question of a mock interview: answered without a verdict while the clock runs, read again and judged
// afterwards. The session itself is not its own.
#pragma once

#include "ui/views/drill/entry.h"
#include "ui/views/drill/points.h"

namespace ringside
{

class MockQuestion
{
public:
    // True when somebody has read enough of an interview that is over.
    bool draw(const Frame& frame, const MockSession& mock, const Painter& painter, Rect area, Out& out);
    void keys(const Frame& frame, const MockSession& mock, Out& out);
    void typing_keys(const Frame& frame, const MockSession& mock, Out& out);
    // Letters that go from question to question, and those of the clock. True when one was pressed.
    bool letters(const MockSession& mock, Out& out);

private:
    void follow(const Question& question, const MockSession& mock);
    void draw_running(Sheet& sheet, const Frame& frame, const MockSession& mock, Out& out);
    void draw_judged(Sheet& sheet, const Frame& frame, const MockSession& mock);
    static void draw_paused(Sheet& sheet, Out& out);
    bool draw_foot(const Painter& p, Rect row, const MockSession& mock, Out& out);
    void answer(const Question& question, Out& out);
    void judge(const MockSession& mock, Out& out);

    AnswerEntry entry_;
    Points points_;
    ScrolledSheet scrolled_;
    std::string item_;
};

} // namespace ringside
