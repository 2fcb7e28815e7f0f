// The strip in which a class is asked before it sees: guesses are typed as they are called out and stand in a
// histogram; then the engine's number is shown among them. Until then the window's figures are hidden. The
// first question is about the view on show; where that has no number to ask for, the question is said aloud
// and has no truth.
#pragma once

#include "core/study/grading/metric_answer.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/widgets/answer_field.h"

#include <optional>
#include <string>
#include <vector>

namespace ringside
{

class ClassTally
{
public:
    // At the foot of the picture, while StageTool::guesses is on.
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // [design px] that it takes of the window's height; 0 while the class is not asked.
    static float height(const Frame& frame, float wide);
    // Whether the truth has still to come, so that the figures of the window are to be hidden.
    bool hides(const Frame& frame) const;
    // Whether the class is asked: no letter and no digit is a shortcut then.
    static bool asks(const Frame& frame);

private:
    struct Asked
    {
        std::string asks;
        MetricAsked answer;          // what is typed
        std::optional<double> truth; // in the answer's unit; nothing of what is said aloud
        bool of_lesson = false;
    };

    // The lesson's prediction, where one is open, else the question chosen.
    Asked asked(const Frame& frame) const;
    void follow(const Frame& frame);
    bool shown(const Frame& frame) const;
    void turn(int by);
    void draw_head(const Painter& painter, Rect row, const Asked& asked);
    void draw_histogram(const Painter& painter, Rect area, const Asked& asked, bool shown) const;
    // The fault of what was typed, or how the guesses stand.
    std::string foot_words(const Asked& asked, bool shown) const;
    void draw_answer(const Frame& frame, const Painter& painter, Rect area, const Asked& asked, Out& out);
    void draw_entry(const Painter& painter, Rect row, const Asked& asked, Out& out);
    void reveal(const Frame& frame, const Asked& asked, Out& out);

    std::optional<std::size_t> question_; // of class_questions(); nothing: said aloud
    std::vector<double> guesses_;
    AnswerField field_;
    std::string fault_;
    std::string of_; // the view, scene or lesson step these guesses are for
    bool shown_ = false;
    bool open_ = false; // in the last frame
};

} // namespace ringside
