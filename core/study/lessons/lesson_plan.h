// A lesson worked out by the engine: the scenario of every step, the truth of every prediction, the texts
// with their numbers. Making one is also how a lesson is checked.
//
// No number is typed: a truth is an expression over metrics, so a change of the engine that moves a truth
// off its slider, or makes a broken scenario fit, is a fault of the lesson.
#pragma once

#include "core/study/lessons/lesson.h"
#include "core/study/lessons/lesson_change.h"
#include "core/study/lessons/lesson_words.h"

#include <span>

namespace ringside
{

struct LessonScene
{
    Scenario scenario;
    LessonValues values;
};

struct StepPlan
{
    LessonScene shown;         // what the step shows first; a task's failing start
    LessonScene after;         // with the prediction's "then"; otherwise as shown
    std::string view;          // or one of its pages
    double truth = 0;          // of a number, in the prediction's unit
    std::size_t right = 0;     // of choices
    std::optional<double> now; // the same number before "then", where it lies on the slider
};

struct LessonPlan
{
    Lesson lesson;
    std::vector<StepPlan> steps; // one for each step

    // What {metric:before...} means in a step's text, and in its prediction.
    const LessonScene& before_text(std::size_t step) const;
    const LessonScene& before_reveal(std::size_t step) const;
};

// Every fault, by path: scenarios that are not valid, truths outside their slider, tasks that are met at the
// start or not met by their solution, names nobody knows. `views` are the ids there are; empty: not checked.
Result<LessonPlan> plan_lesson(Lesson lesson, const Presets& presets,
                               std::span<const std::string_view> views = {});

// Whether the task of a step is met by a scenario.
bool task_met(const LessonPlan& plan, std::size_t step, const LessonValues& values);

// A guess or truth as people read it: a value with its unit, or the words of the choice.
std::string said(const Prediction& prediction, double value);

// The texts of a step, filled. `live` is the user's scenario, for what is said when a task is met.
struct StepWords
{
    std::string text;
    std::string question;
    std::string reveal;
    std::string goal;
    std::string hint;
    std::string done;
};
StepWords words_of(const LessonPlan& plan, std::size_t step, std::optional<double> guess,
                   const LessonScene& live, ByteUnit unit);

} // namespace ringside
