#include "core/training/learning_rate.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kPi = 3.141592653589793;

// Share of the way from the peak to the floor that is still left, by how much of the decay is over.
double left_of(const RateSchedule& s, double way)
{
    switch (s.decay)
    {
    case Decay::cosine:
        return (1 + std::cos(kPi * way)) / 2;
    case Decay::linear:
        return 1 - way;
    case Decay::wsd:
    {
        const auto whole = static_cast<double>(s.end - s.warmup);
        const double from = std::clamp(
            (s.stable * static_cast<double>(s.end) - static_cast<double>(s.warmup)) / whole, 0.0, 1.0);
        return way <= from ? 1 : (1 - way) / (1 - from);
    }
    case Decay::constant:
    case Decay::inverse_sqrt:
        break;
    }
    return 1;
}

} // namespace

double learning_rate(const RateSchedule& s, std::int64_t step)
{
    if (step < s.warmup)
    {
        return s.peak * static_cast<double>(step + 1) / static_cast<double>(s.warmup);
    }
    if (s.decay == Decay::inverse_sqrt)
    {
        const auto from = static_cast<double>(std::max<std::int64_t>(1, s.warmup));
        return s.peak * std::sqrt(from / static_cast<double>(std::max<std::int64_t>(1, step + 1)));
    }
    if (s.end <= s.warmup)
    {
        return s.peak;
    }
    const double way =
        std::min(1.0, static_cast<double>(step - s.warmup) / static_cast<double>(s.end - s.warmup));
    return s.peak * (s.final_share + (1 - s.final_share) * left_of(s, way));
}

double clip_factor(double norm, double limit)
{
    return limit > 0 && norm > limit ? limit / norm : 1;
}

double linear_scaled(double rate, double batch, double to)
{
    assert(batch > 0 && to > 0);
    return rate * to / batch;
}

double sqrt_scaled(double rate, double batch, double to)
{
    assert(batch > 0 && to > 0);
    return rate * std::sqrt(to / batch);
}

} // namespace ringside
