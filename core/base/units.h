// Strong units for the three dimensions of the engine: bytes, FLOPs and seconds.
// bytes / (bytes per second) is seconds; bytes + FLOPs does not compile. Counts (layers, ranks) are plain
// std::int64_t.
#pragma once

#include <compare>
#include <cstdint>

namespace ringside
{

// A number whose dimension is bytes^B * flops^F * seconds^S. Whole bytes stay exact up to 2^53 (9 PB).
template <int B, int F, int S>
struct Quantity
{
    double value = 0;

    constexpr Quantity() = default;
    constexpr explicit Quantity(double amount) : value(amount) {}
    constexpr explicit Quantity(std::int64_t amount) : value(static_cast<double>(amount)) {}

    // clang-tidy 14 takes the 0 that a defaulted comparison compares with for a pointer.
    // NOLINTNEXTLINE(modernize-use-nullptr)
    friend constexpr auto operator<=>(const Quantity&, const Quantity&) = default;
    constexpr Quantity& operator+=(Quantity other)
    {
        value += other.value;
        return *this;
    }
    constexpr Quantity& operator-=(Quantity other)
    {
        value -= other.value;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value + b.value); }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value - b.value); }
    friend constexpr Quantity operator*(Quantity a, double factor) { return Quantity(a.value * factor); }
    friend constexpr Quantity operator*(double factor, Quantity a) { return Quantity(a.value * factor); }
    friend constexpr Quantity operator/(Quantity a, double divisor) { return Quantity(a.value / divisor); }
    friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

template <int B1, int F1, int S1, int B2, int F2, int S2>
constexpr auto operator/(Quantity<B1, F1, S1> a, Quantity<B2, F2, S2> b)
{
    return Quantity<B1 - B2, F1 - F2, S1 - S2>(a.value / b.value);
}

template <int B1, int F1, int S1, int B2, int F2, int S2>
constexpr auto operator*(Quantity<B1, F1, S1> a, Quantity<B2, F2, S2> b)
{
    return Quantity<B1 + B2, F1 + F2, S1 + S2>(a.value * b.value);
}

using Bytes = Quantity<1, 0, 0>;
using Flops = Quantity<0, 1, 0>;
using Seconds = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<1, 0, -1>;
using FlopsPerSecond = Quantity<0, 1, -1>;

// Decimal and binary literals both exist so that neither is ever assumed.
namespace literals
{
constexpr Bytes operator""_GB(long double amount)
{
    return Bytes(static_cast<double>(amount) * 1e9);
}
constexpr Bytes operator""_GB(unsigned long long amount)
{
    return Bytes(static_cast<double>(amount) * 1e9);
}
constexpr Bytes operator""_GiB(long double amount)
{
    return Bytes(static_cast<double>(amount) * 1073741824.0);
}
constexpr Bytes operator""_GiB(unsigned long long amount)
{
    return Bytes(static_cast<double>(amount) * 1073741824.0);
}
} // namespace literals

// A count as a factor.
constexpr double real(std::int64_t count)
{
    return static_cast<double>(count);
}

} // namespace ringside
