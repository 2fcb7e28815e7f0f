#include "core/study/grading/metric_answer.h"

#include <fmt/format.h>

#include "core/base/text/find.h"
#include "core/study/answers/answer.h"
#include "core/study/answers/grammar.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace ringside
{

namespace
{

// "1/6", "a sixth": no decimal number.
bool is_fraction(std::string_view text)
{
    return text.find('/') != std::string_view::npos ||
           std::ranges::none_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

// What the shown unit asks for; a plain number is in it, a share is a fraction.
Asked metric_asked(std::string_view unit, const Measure& m)
{
    return asked_for({unit, dimension_of(m), "", m.power("%") != 0 ? 1 : m.size});
}

Measure shown_measure(std::string_view unit)
{
    Tokens tokens(unit);
    return take_unit(tokens, {});
}

} // namespace

std::vector<std::string> units_to_offer(const MetricAsked& asked)
{
    std::vector<std::string> units = units_to_offer(metric_asked(asked.unit, shown_measure(asked.unit)));
    const auto own = std::ranges::find(units, asked.unit);
    own != units.end() ? void(std::rotate(units.begin(), own, own + 1)) : void();
    return units;
}

Result<double> read_metric_answer(std::string_view text, const MetricAsked& asked)
{
    const Measure m = shown_measure(asked.unit);
    const auto reading = read_answer(text, metric_asked(asked.unit, m));
    const std::string hint = asked.unit.empty()
                                 ? std::string("type one number")
                                 : fmt::format("type one number in {}, or with its own unit", asked.unit);
    if (!reading)
    {
        return Issue{"", reading.issues().front().message, hint};
    }
    if (!reading->doubt.empty())
    {
        return Issue{"", reading->doubt, hint};
    }
    // A plain number is in the unit on show, unless it is "70e9" of billions or
    // "13 million" of million dollars; "40%" of percent is 40, "12k" of thousands
    // is 12.
    const bool money = m.power("USD") != 0;
    const bool in_base = (!reading->has_unit || money) && m.size >= 1e3 && reading->value >= m.size;
    const bool share = m.power("%") != 0 && !reading->has_unit && reading->value > 0 &&
                       (is_fraction(text) || reading->value < asked.step);
    const bool as_shown = !in_base && !share && (!reading->has_unit || (m.physical() && m.power("%") == 0));
    const double value = as_shown ? reading->value : reading->value / m.size;
    if (std::abs(value) > kLargestAnswer)
    {
        return Issue{"", fmt::format("\u201c{}\u201d is too large", text.substr(0, 40)),
                     fmt::format("type at most {:g}", kLargestAnswer)};
    }
    return value;
}

Result<std::vector<double>> read_metric_answers(std::string_view text, const MetricAsked& asked)
{
    std::vector<double> all;
    for (const std::string_view part : trimmed_parts(text, ";\n"))
    {
        const auto whole = read_metric_answer(part, asked);
        for (const std::string_view word : whole ? std::vector{part} : trimmed_parts(part, " \t\r"))
        {
            const auto value = read_metric_answer(word, asked);
            if (!value)
            {
                return whole.issues();
            }
            all.push_back(*value);
        }
    }
    return all;
}

} // namespace ringside
