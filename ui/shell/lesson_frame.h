// What the window is given of the course and of the lesson that runs. Owned by the app, like everything in a
// Frame.
#pragma once

#include "core/study/lesson_course.h"
#include "core/study/lesson_state.h"

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
    bool frozen = false;                // the picture stays while somebody explains
    bool locked = false;                // the step's controls do not move
    bool hidden = false;                // nor are they shown

    const Lesson& lesson() const { return plan.lesson; }
    const LessonStep& step() const { return plan.lesson.steps[state.step]; }
    const StepPlan& planned() const { return plan.steps[state.step]; }
    bool pending() const { return is_pending(plan.lesson, state); }
    bool open() const { return is_open(plan.lesson, state); }
    // The person may change the step's free fields.
    bool controls() const { return !state.finished && !step().free.empty() && !hidden && !pending(); }
};

} // namespace ringside
