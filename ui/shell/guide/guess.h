// Where a user predicts: a large slider with its number and a field to type it in, or a few choices; and
// the truth beside the guess.
#pragma once

#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/tween.h"
#include "ui/widgets/answer_field.h"
#include "ui/widgets/controls.h"

#include <string>
#include <utility>

namespace ringside
{

class Guess
{
public:
    // Question and slider or choices, compact where `area` is low. What is dragged, pressed, typed or chosen
    // goes to `out`. Returns the height used.
    float draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // Arrow keys of a number, unless they move in what is typed; digits of a choice. Only while the truth is
    // hidden.
    void keys(const Frame& frame, Out& out);
    // Whether what is typed is a number of it.
    bool is_typed_in() const { return field_.has_keyboard(); }
    // Whether Enter asked to lock in what was typed, once; what cannot be read is not locked in.
    bool take_enter() { return std::exchange(entered_, false); }
    // Another step: what was typed is forgotten.
    void reset();

private:
    struct Track
    {
        Rect rect; // the line itself
        const Prediction& prediction;

        float at(double value) const;
        double value(float x) const;
    };

    void draw_number(const Frame& frame, const Painter& painter, Rect area, bool low, Out& out);
    static void draw_choices(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static void draw_scale(const Painter& painter, const Track& track);
    void draw_bubble(const Frame& frame, const Painter& painter, const Track& track, float truth_x,
                     const Rect& field, bool low) const;
    static void draw_now(const Frame& frame, const Painter& painter, const Track& track, Rect bubble);
    static void draw_verdict(const Frame& frame, const Painter& painter, Rect row);
    void drag(const Painter& painter, const Track& track, double guess, Out& out);
    void draw_field(const Frame& frame, const Painter& painter, Rect row, Out& out);
    void read(const Prediction& prediction, Out& out);

    AnswerField field_;
    bool open_ = false; // the field was drawn in the last frame
    std::string fault_; // of what is typed
    bool entered_ = false;
    Tween truth_;
};

} // namespace ringside
