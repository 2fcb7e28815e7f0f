#include "core/base/text/time_scale.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <cmath>

namespace ringside
{

TimeScale::TimeScale(double whole)
{
    const TimeUnit in = time_unit_of(Seconds(whole));
    unit = in.seconds;
    name = in.name;
    word = in.word;
    const double in_unit = whole / unit;
    decimals = in_unit >= 1000 ? 0 : in_unit >= 100 ? 1 : 2;
}

std::string TimeScale::text(double seconds) const
{
    const double value = seconds / unit;
    return decimals == 0 ? grouped(std::llround(value)) : fmt::format("{:.{}f}", value, decimals);
}

std::string TimeScale::change(double seconds) const
{
    const double least = 0.5 * std::pow(10, -decimals);
    if (std::abs(seconds / unit) < least)
    {
        return fmt::format("<{:.{}f}", 2 * least, decimals);
    }
    return (seconds < 0 ? "\u2212" : "+") + text(std::abs(seconds));
}

} // namespace ringside
