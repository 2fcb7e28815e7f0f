// What a lesson keeps from sight: the parts of its picture and the figures that would give away a prediction
// that has not been made yet, this step's or a later one's on the same picture.
#pragma once

#include "core/study/lessons/lesson_plan.h"
#include "core/study/lessons/lesson_state.h"

namespace ringside
{

struct LessonCover
{
    std::vector<std::string> parts; // of the picture, as the view names them
    bool figures = false;           // the picture shows its shapes, without numbers
    bool caption = false;           // the sentence below it has no numbers
    bool sentence = false;          // there is none: a later choice is between words that it may say

    bool any() const { return figures || caption || sentence || !parts.empty(); }
};

// `shown` is the scenario on show: once a free field was moved, a later step's picture is another one.
//
// The step's own parts are covered until its prediction is locked in. A part that would show a later change
// ("then") is covered as well, but not what the step points at. Parts of the other later predictions stay
// covered where this step's reveal has something left to show; else the reveal shows them without their
// figures, and so does a step that asks nothing.
LessonCover cover_of(const LessonPlan& plan, const LessonState& state, const Scenario& shown);

} // namespace ringside
