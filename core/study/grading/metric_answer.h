// A typed answer to a bare question for a metric, "How large is it, in GB?", as a lesson's prediction and a
// class's guess ask it. Read as every typed answer (answer.h), then put into the unit on show.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

inline constexpr double kLargestAnswer = 1e15; // in the unit on show

struct MetricAsked
{
    std::string_view unit; // as it is shown: "GB", "%", "thousand"; empty for a bare number
    // The finest step people answer in. A plain number below it is a share where % is asked for: 0.4 of
    // whole percent is 40%, of tenths of a percent 0.4%. A fraction, "1/6", is a share in any case.
    double step = 0;
};

// The value in the unit on show: "1.1TB" of GB is 1100, "37" and "37%" of % are 37. An Issue without a path
// for another quantity, for what cannot be read and for what has to be asked about first.
Result<double> read_metric_answer(std::string_view text, const MetricAsked& asked);
// The units to choose from beside the field, that on show among them.
std::vector<std::string> units_to_offer(const MetricAsked& asked);
// Several, with semicolons or, where they are no number together, with blanks between: "12 15.5; 16 000 MB".
Result<std::vector<double>> read_metric_answers(std::string_view text, const MetricAsked& asked);

} // namespace ringside
