// All times of one picture in one unit.
#pragma once

#include <string>
#include <string_view>

namespace ringside
{

// With as many decimals as the whole of the picture needs.
struct TimeScale
{
    explicit TimeScale(double whole);

    double unit = 1;       // [s]
    std::string_view name; // "s", "ms", "d"
    std::string_view word; // "seconds"
    int decimals = 2;

    std::string text(double seconds) const;   // "1.55"
    std::string change(double seconds) const; // "+1.55", "−0.12", "<0.01"
    std::string with_unit(double seconds) const { return text(seconds) + " " + std::string(name); }
};

} // namespace ringside
