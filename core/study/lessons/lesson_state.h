// Playing a lesson: where it stands, what was guessed, what is done. Pure: the state after an input follows
// from the state before it, the lesson and whether the task at hand is met.
#pragma once

#include "core/study/lessons/lesson.h"

namespace ringside
{

struct StepRecord
{
    std::optional<double> guess; // in the prediction's unit, or the place of the choice
    std::vector<double> earlier; // guesses locked in before a retry, oldest first
    bool locked_in = false;      // the truth is on show, beside the guess
    bool skipped = false;        // seen without a guess, or the solution was asked for
    bool hinted = false;
    bool done = false; // the task was met

    bool operator==(const StepRecord&) const = default;
};

struct LessonState
{
    std::size_t step = 0;
    std::vector<StepRecord> records; // one for each step
    bool nudged = false;             // "next" came before the prediction or the task
    bool finished = false;           // beyond the last step

    const StepRecord& record() const { return records[step]; }
    bool operator==(const LessonState&) const = default;
};

enum class LessonMove
{
    next,
    back,
    guess,   // `value` is the guess, kept as it was said; NaN takes it back
    lock_in, // needs a guess
    retry,   // predict again, or the task from its start
    skip,    // the truth without a guess, or a task's solution
    hint,
    look // the scenario changed: is the task met?
};

struct LessonInput
{
    LessonMove move = LessonMove::next;
    double value = 0;
};

LessonState begin(const Lesson& lesson);
// `met`: the task of the step the state is at holds for the scenario at hand.
LessonState apply(const Lesson& lesson, LessonState state, const LessonInput& input, bool met);

// The stop of the slider, or the choice, next to a value.
double on_slider(const Prediction& prediction, double value);

// A prediction whose truth is still hidden.
bool is_pending(const Lesson& lesson, const LessonState& state);
// A task that is neither met nor given up.
bool is_open(const Lesson& lesson, const LessonState& state);

} // namespace ringside
