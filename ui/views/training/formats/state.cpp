#include "core/base/random.h"
#include "core/base/text/term.h"
#include "ui/views/training/formats/pages.h"
#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::size_t kNumbers = 64;
constexpr std::size_t kOutlier = 5;

} // namespace

FormatsState::FormatsState() : numbers(made_up_numbers(seed))
{
    run.start = 0x1p24;
    run.rule.growth_interval = 50;
    run.spread = {-22, 4};
}

std::vector<double> made_up_numbers(std::uint64_t seed)
{
    SplitMix random(seed);
    std::vector<double> numbers;
    for (std::size_t i = 0; i < kNumbers; ++i)
    {
        numbers.push_back(std::exp2(-1.5 + 1.8 * std::clamp(random.normal(), -2.5, 2.5)));
    }
    numbers[kOutlier] = 60;
    return numbers;
}

void turn_outlier(FormatsState& state)
{
    double& outlier = state.numbers[kOutlier];
    outlier = outlier > 8 ? 0.4 : 60;
}

FormatId shown_format(const FormatsState& state, const Frame& frame)
{
    return state.chosen.value_or(product_format(frame.now.scenario.training.precision));
}

void choose_format(PanelColumn& column, const FormatsRoom& r)
{
    const NumberFormat& shown = number_format(shown_format(r.state, r.frame));
    r.state.choosing = column.dropdown("###choose a format", shown.name) || r.state.choosing;
}

std::size_t moment_of(const Frame& frame, std::size_t last)
{
    return static_cast<std::size_t>(std::clamp(frame.playback.t + 1e-9, 0.0, static_cast<double>(last)));
}

std::string exact_power(double value)
{
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    const bool plain = value >= 0.1 && value <= 1024;
    return value > 0 && mantissa == 0.5 && !plain ? two_to_the(exponent - 1) : short_figure(value);
}

std::string short_figure(double value)
{
    if (std::isnan(value))
    {
        return "NaN";
    }
    if (std::isinf(value))
    {
        return value < 0 ? "\u2212inf" : "inf";
    }
    return (std::signbit(value) ? "\u2212" : "") + figure(std::fabs(value), 6);
}

} // namespace ringside
