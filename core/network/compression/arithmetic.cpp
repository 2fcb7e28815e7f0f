#include "core/network/compression/arithmetic.h"

#include "core/base/ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
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

} // namespace ringside
