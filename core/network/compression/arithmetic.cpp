#include "core/network/compression/arithmetic.h"

#include "core/base/ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace ringside
{

namespace
{

// One column of a factor whose rows have `stride` columns.
struct Column
{
    std::span<float> of;
    std::size_t at;
    std::size_t stride;

    float& operator()(std::size_t row) const { return of[row * stride + at]; }
    std::size_t rows() const { return of.size() / stride; }
};

double dot(const Column& a, const Column& b)
{
    return sum_over(a.rows(),
                    [&](std::size_t i) { return static_cast<double>(a(i)) * static_cast<double>(b(i)); });
}

// b has length 1, or is empty.
void take_out(const Column& a, const Column& b)
{
    const double along = dot(a, b);
    for (std::size_t i = 0; i < a.rows(); ++i)
    {
        a(i) -= static_cast<float>(along * static_cast<double>(b(i)));
    }
}

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

float mean_size(std::span<const float> values)
{
    const double sum = sum_over(values, [&](float v) { return std::abs(static_cast<double>(v)); });
    return static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, values.size())));
}

// Sizes compare as their bits do, then places backwards.
std::vector<std::uint32_t> largest_places(std::span<const float> values, std::int64_t k)
{
    std::vector<std::uint64_t> order(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
    {
        order[i] = static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(std::abs(values[i]))) << 32U |
                   (0xFFFFFFFFU - i);
    }
    std::nth_element(order.begin(), order.begin() + k - 1, order.end(), std::greater<>());
    std::vector<std::uint32_t> places;
    for (std::int64_t i = 0; i < k; ++i)
    {
        const auto low = static_cast<std::uint32_t>(order[static_cast<std::size_t>(i)]);
        places.push_back(0xFFFFFFFFU - low);
    }
    return places;
}

SplitMix random_of_step(std::uint64_t seed, std::uint64_t step)
{
    return SplitMix(seed ^ (step << 20U));
}

std::vector<std::uint32_t> random_places(std::size_t n, std::int64_t k, SplitMix rng)
{
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i)
    {
        std::swap(order[i], order[i + rng.below(n - i)]);
    }
    order.resize(static_cast<std::size_t>(k));
    return order;
}

void orthonormalize(std::span<float> p, std::size_t rank)
{
    for (std::size_t c = 0; c < rank; ++c)
    {
        const Column column{p, c, rank};
        const double before = std::sqrt(dot(column, column));
        // Twice: in single precision, once is not enough for columns that are nearly parallel.
        for (std::size_t b = 0; b < 2 * c; ++b)
        {
            take_out(column, {p, b % c, rank});
        }
        const double length = std::sqrt(dot(column, column));
        // What is not finite stays so, and is not hidden.
        const double scale = length > 1e-6 * before || !std::isfinite(before) ? 1 / length : 0;
        for (std::size_t i = 0; i < column.rows(); ++i)
        {
            column(i) = static_cast<float>(static_cast<double>(column(i)) * scale);
        }
    }
}

void redraw_empty(std::span<float> q, std::size_t rank, SplitMix rng)
{
    for (std::size_t c = 0; c < rank; ++c)
    {
        const Column column{q, c, rank};
        const double length = dot(column, column);
        for (std::size_t i = 0; !(length > 0 && std::isfinite(length)) && i < column.rows(); ++i)
        {
            column(i) = static_cast<float>(rng.normal());
        }
    }
}

void add_product(std::span<const float> m, std::span<const float> q, std::span<float> p, Factors f)
{
    for (std::size_t i = 0; i < f.rows; ++i)
    {
        for (std::size_t j = 0; j < f.cols; ++j)
        {
            for (std::size_t c = 0; c < f.rank; ++c)
            {
                p[i * f.rank + c] += m[i * f.cols + j] * q[j * f.rank + c];
            }
        }
    }
}

void add_transposed(std::span<const float> m, std::span<const float> p, std::span<float> q, Factors f)
{
    for (std::size_t i = 0; i < f.rows; ++i)
    {
        for (std::size_t j = 0; j < f.cols; ++j)
        {
            for (std::size_t c = 0; c < f.rank; ++c)
            {
                q[j * f.rank + c] += m[i * f.cols + j] * p[i * f.rank + c];
            }
        }
    }
}

void outer(std::span<const float> p, std::span<const float> q, std::span<float> m, Factors f)
{
    for (std::size_t i = 0; i < f.rows; ++i)
    {
        for (std::size_t j = 0; j < f.cols; ++j)
        {
            const float sum =
                sum_over<float>(f.rank, [&](std::size_t c) { return p[i * f.rank + c] * q[j * f.rank + c]; });
            m[i * f.cols + j] = sum;
        }
    }
}

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
