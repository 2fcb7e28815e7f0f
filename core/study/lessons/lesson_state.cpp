#include "core/study/lessons/lesson_state.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

void go_on(const Lesson& lesson, LessonState& state)
{
    state.nudged = is_pending(lesson, state) || is_open(lesson, state);
    if (state.nudged)
    {
        return;
    }
    if (state.step + 1 < lesson.steps.size())
    {
        ++state.step;
    }
    else
    {
        state.finished = true;
    }
}

void go_back(LessonState& state)
{
    if (state.finished)
    {
        state.finished = false;
    }
    else if (state.step > 0)
    {
        --state.step;
    }
}

void try_again(const LessonStep& step, StepRecord& record)
{
    if (step.predict && record.locked_in)
    {
        if (record.guess && !record.skipped)
        {
            record.earlier.push_back(*record.guess);
        }
        record.locked_in = record.skipped = false;
    }
    if (step.task)
    {
        record.done = record.skipped = false;
    }
}

} // namespace

double on_slider(const Prediction& p, double value)
{
    if (p.is_choice())
    {
        return std::clamp(std::round(value), 0.0, static_cast<double>(p.choices.size() - 1));
    }
    const double inside = std::clamp(value, p.from, p.to);
    return std::clamp(p.from + std::round((inside - p.from) / p.step) * p.step, p.from, p.to);
}

LessonState begin(const Lesson& lesson)
{
    LessonState state;
    state.records.resize(lesson.steps.size());
    return state;
}

bool is_pending(const Lesson& lesson, const LessonState& state)
{
    return !state.finished && lesson.steps[state.step].predict && !state.record().locked_in;
}

bool is_open(const Lesson& lesson, const LessonState& state)
{
    return !state.finished && lesson.steps[state.step].task && !state.record().done &&
           !state.record().skipped;
}

LessonState apply(const Lesson& lesson, LessonState state, const LessonInput& input, bool met)
{
    const LessonStep& step = lesson.steps[state.step];
    StepRecord& record = state.records[state.step];
    const bool pending = is_pending(lesson, state);
    state.nudged = false;
    switch (input.move)
    {
    case LessonMove::next:
        go_on(lesson, state);
        break;
    case LessonMove::back:
        go_back(state);
        break;
    case LessonMove::guess:
        if (pending && !std::isfinite(input.value))
        {
            record.guess.reset();
        }
        else if (pending)
        {
            record.guess = step.predict->is_choice() ? on_slider(*step.predict, input.value) : input.value;
        }
        break;
    case LessonMove::lock_in:
        record.locked_in = record.locked_in || (pending && record.guess.has_value());
        state.nudged = pending && !record.guess;
        break;
    case LessonMove::retry:
        try_again(step, record);
        break;
    case LessonMove::skip:
        if (pending)
        {
            record.locked_in = record.skipped = true;
        }
        else if (is_open(lesson, state))
        {
            record.skipped = true;
        }
        break;
    case LessonMove::hint:
        record.hinted = record.hinted || step.task.has_value();
        break;
    case LessonMove::look:
        record.done = record.done || (is_open(lesson, state) && met);
        break;
    }
    return state;
}

} // namespace ringside
