#include "core/network/compression/rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ringside
{

namespace
{

// 2^exponent, for exponents a double has normal numbers for.
double power_of_two(int exponent)
{
    return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52U);
}

// To a multiple of the last place: 2^(exponent - fraction bits), and no finer than the subnormals'. A double
// holds every step of this exactly; adding 1.5 x 2^52 leaves no room for a fraction, which rounds it to even.
double rounded(double value, int fraction_bits, int least_exponent)
{
    constexpr double kWhole = 0x1.8p52;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const int exponent = static_cast<int>(bits >> 52U & 0x7FFU) - 1023;
    const int place = std::max(exponent, least_exponent) - fraction_bits;
    const double places = value * power_of_two(-place);
    return std::copysign((places + kWhole - kWhole) * power_of_two(place), value);
}

} // namespace

float round_to_fp16(float value)
{
    if (!std::isfinite(value))
    {
        return value;
    }
    const double r = rounded(static_cast<double>(value), 10, -14);
    return std::abs(r) > 65504 ? std::copysign(std::numeric_limits<float>::infinity(), value)
                               : static_cast<float>(r);
}

float round_to_bf16(float value)
{
    // Beyond the largest bf16 the nearest float is infinity, as it should be.
    return std::isfinite(value) ? static_cast<float>(rounded(static_cast<double>(value), 7, -126)) : value;
}

float round_to_e4m3(float value)
{
    if (std::isnan(value))
    {
        return value;
    }
    const auto within = static_cast<double>(std::clamp(value, -kLargestE4m3, kLargestE4m3));
    return static_cast<float>(rounded(within, 3, -6));
}

} // namespace ringside
