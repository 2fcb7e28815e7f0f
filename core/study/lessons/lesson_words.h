// Texts of a lesson with their placeholders filled from the engine: {metric:EXPRESSION as FORMAT}, {guess},
// {truth}, {model}, {gpu}. So no number of a text is typed.
#pragma once

#include "core/base/text.h"
#include "core/study/lessons/lesson_values.h"

#include <optional>

namespace ringside
{

struct LessonMoment
{
    const Scenario& scenario;
    const LessonValues& now;
    const LessonValues& before; // what {metric:before.step.time_s} means
    std::string guess = {};     // as people read it
    std::string truth = {};
    ByteUnit unit = ByteUnit::decimal;
};

// Formats: bytes, percent (of a fraction), seconds, count (70.6 B), whole, number. Without one a metric's
// unit says it. Issues name the placeholder; their path is `path`.
Result<std::string> fill(std::string_view text, const LessonMoment& moment, const std::string& path);

// "20%", "64 GPUs", "15.8 GB": a value beside its unit.
std::string value_with_unit(double value, std::string_view unit);

} // namespace ringside
