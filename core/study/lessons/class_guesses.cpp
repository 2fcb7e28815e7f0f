#include "core/study/lessons/class_guesses.h"

#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/study/grading/answer.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// The kind of quantity that a lesson's unit measures: "GB", "thousand", "GPU-h", "\u00d7".
Dimension dimension_of(const Measure& m, std::string_view unit)
{
    const int data = m.of_kind(Of::data);
    const int time = m.of_kind(Of::time);
    const int work = m.of_kind(Of::work);
    return m.percent              ? Dimension::share
           : unit == "\u00d7"     ? Dimension::ratio
           : m.of_kind(Of::money) ? Dimension::money
           : data && work         ? Dimension::other
           : data                 ? (time < 0 ? Dimension::data_rate : Dimension::data)
           : work                 ? (time < 0 ? Dimension::work_rate : Dimension::work)
           : time > 0             ? Dimension::time
                                  : Dimension::count;
}

} // namespace

std::optional<double> read_guess(std::string_view text, std::string_view unit)
{
    const Measure m = read_measure(unit, Of::none);
    const Asked asked = asked_for({unit, dimension_of(m, unit), "", m.percent ? 1 : m.size});
    const auto reading = read_answer(text, asked);
    if (!reading || std::abs(reading->value) > kLargestGuess * m.size)
    {
        return std::nullopt;
    }
    // A plain number is in the unit on show, unless it is "70e9" of billions; "40%" of percent is 40, "12k"
    // of thousands is 12.
    const bool base = !reading->has_unit && m.size >= 1e3 && reading->value >= m.size;
    const bool as_shown = !base && (!reading->has_unit || m.physical());
    return as_shown ? reading->value : reading->value / m.size;
}

Result<std::vector<double>> read_guesses(std::string_view text, std::string_view unit)
{
    constexpr std::string_view kBetween = " ;\t\n";
    std::vector<double> all;
    std::size_t at = 0;
    while ((at = text.find_first_not_of(kBetween, at)) != std::string_view::npos)
    {
        const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
        const std::string word(text.substr(at, end - at));
        const auto value = read_guess(word, unit);
        if (!value)
        {
            return Issue{"", fmt::format("\u201c{}\u201d is no number", word),
                         "type numbers like 12 or 4.5, less than 1e15"};
        }
        all.push_back(*value);
        at = end;
    }
    return all;
}

double median(std::span<const double> values)
{
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const std::size_t n = sorted.size();
    return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

std::size_t within(std::span<const double> values, double truth, double share)
{
    return static_cast<std::size_t>(std::ranges::count_if(
        values, [&](double v) { return std::abs(v - truth) <= share * std::abs(truth); }));
}

GuessHistogram histogram(std::span<const double> values, std::optional<double> truth, std::size_t cells)
{
    GuessHistogram h;
    if (values.empty() && !truth)
    {
        h.counts.assign(1, 0);
        return h;
    }
    double least = truth.value_or(values.empty() ? 0 : values.front());
    double most = least;
    for (const double v : values)
    {
        least = std::min(least, v);
        most = std::max(most, v);
    }
    const double wide = most > least ? most - least : std::max(std::abs(most), 1.0) / 10;
    h.width = decade_below(wide / static_cast<double>(cells));
    const auto count = [&](double width) { return std::floor(most / width) - std::floor(least / width) + 1; };
    for (const double step : {1.0, 2.0, 5.0, 10.0, 20.0})
    {
        if (count(h.width * step) <= static_cast<double>(cells))
        {
            h.width *= step;
            break;
        }
    }
    h.from = std::floor(least / h.width) * h.width;
    h.counts.assign(static_cast<std::size_t>(count(h.width)), 0);
    for (const double v : values)
    {
        const auto cell = static_cast<std::size_t>(std::max(0.0, std::floor((v - h.from) / h.width)));
        ++h.counts[std::min(cell, h.counts.size() - 1)];
    }
    return h;
}

} // namespace ringside
