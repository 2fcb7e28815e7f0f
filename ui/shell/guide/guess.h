// Where a person predicts: a large slider with its number, or a few choices; and the truth beside the guess.
#pragma once

#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/tween.h"
#include "ui/widgets/controls.h"

namespace ringside
{

class Guess
{
public:
    // Question and slider or choices, compact where `area` is low. What is dragged, pressed or chosen goes to
    // `out`. Returns the height used.
    float draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // Arrow keys of a number, digits of a choice; what is typed is read by types(). Only while the truth is
    // hidden.
    void keys(const Frame& frame, Out& out);
    // What goes on with a number that was begun, its unit too, before letters are anything else's; whether
    // there was any.
    bool types(const Frame& frame, Out& out);
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
    void drag(const Painter& painter, const Track& track, Out& out);

    std::string typed_; // digits since the last key that was none
    Tween truth_;
};

} // namespace ringside
