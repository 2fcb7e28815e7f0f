// What the window is given of the course and of the lesson that runs. Owned by the app, like everything in a
// Frame.
//
// A hidden truth is absent, not covered: a prediction about a change shows the scenario before it. Where the
// present scenario is asked about, hidden parts are taken off the draw list again, the mouse is kept away,
// and caption and status say nothing of the scenario. Freezing holds back what a step wants to show; text
// and truths go on.
#pragma once

#include "core/study/lessons/lesson_course.h"
#include "core/study/lessons/lesson_state.h"
#include "ui/shell/frame/frame.h"

namespace ringside
{

struct CourseFrame
{
    const Course& course;
    const std::set<std::string>& done; // ids of lessons that were finished
};

struct LessonFrame
{
    const LessonPlan& plan;
    const LessonState& state;
    const StepWords& words;             // of the step the lesson is at
    const CourseTrack* track = nullptr; // null: the course's own order
    std::size_t place = 0;              // in the track or course, from 0
    std::size_t count = 1;              // lessons of it
    std::string next = {};              // id of the lesson after this one; empty: this is the last
    bool frozen = false;                // the picture stays during an explanation
    bool locked = false;                // the step's controls do not move
    bool hidden = false;                // nor are they shown

    const Lesson& lesson() const { return plan.lesson; }
    const LessonStep& step() const { return plan.lesson.steps[state.step]; }
    const StepPlan& planned() const { return plan.steps[state.step]; }
    bool pending() const { return is_pending(plan.lesson, state); }
    bool open() const { return is_open(plan.lesson, state); }
    // The user may change the step's free fields.
    bool controls() const { return !state.finished && !step().free.empty() && !hidden && !pending(); }
};

inline Action to_action(LessonInput action)
{
    return std::make_shared<const LessonInput>(std::move(action));
}

} // namespace ringside
