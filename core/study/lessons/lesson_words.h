// Numbers a lesson may ask for, every metric of a report and every number of its scenario by name, with
// arithmetic over them; and its texts with their placeholders filled from these: {metric:EXPRESSION as
// FORMAT}, {guess}, {truth}, {model}, {gpu}. So no number of a text is typed.
#pragma once

#include "core/base/text/text.h"
#include "core/evaluate/report.h"

#include <initializer_list>
#include <map>
#include <optional>

namespace ringside
{

// By name: "step.time_s", "parallel.tensor", "cluster.gpu.memory_gb". Switches are 0 or 1, choices the place
// of their word in the field's list. What takes longer (core/evaluate/system_metrics.h) is worked out when it
// is first asked for.
class LessonValues
{
public:
    LessonValues() = default;
    LessonValues(std::initializer_list<std::pair<const std::string, double>> values) : values_(values) {}
    LessonValues(const Scenario& scenario, const Report& report);

    const double* find(std::string_view name) const; // null where nothing has this name
    bool empty() const { return values_.empty(); }
    std::vector<std::string> names() const;

private:
    mutable std::map<std::string, double, std::less<>> values_;
    std::optional<Scenario> scenario_;
};

// Arithmetic and comparisons in muParser's notation, for example "step.bubble_of_total < 0.1 && memory.fits".
// Names are those of `now`, or of `before` with "before." in front. Issues: what does not parse, unknown
// names, a result that is not finite; their path is `path`.
Result<double> calculate(const std::string& expression, const LessonValues& now, const LessonValues& before,
                         const std::string& path);

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
