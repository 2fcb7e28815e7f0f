// Importance weights of off-policy samples, by hand and by drawing them.
#include "core/base/random.h"
#include "core/training/off_policy.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace ringside;
using Catch::Approx;

TEST_CASE("hand-worked: variances of 1,000 tokens add up, a geometric mean divides them")
{
    CHECK(log_weight_variance(WeightLevel::token, 0.0004, 1000) == 0.0004);
    CHECK(log_weight_variance(WeightLevel::response, 0.0004, 1000) == Approx(0.4));
    CHECK(log_weight_variance(WeightLevel::mean, 0.0004, 1000) == Approx(4e-7));
    CHECK(effective_share(0) == 1);
    CHECK(effective_share(std::log(4)) == Approx(0.25));
}

TEST_CASE("hand-worked: a cap of e^(variance/2) is a standard deviation above the median for a variance of 1")
{
    // ln w is normal around -1/2 with deviation 1: sqrt(e) is one deviation above, 15.87% lie beyond.
    const double cap = std::exp(0.5);
    CHECK(capped_share(1, cap) == Approx(0.158655).epsilon(1e-4));
    CHECK(capped_mean(1, cap) == Approx(0.5 + 0.158655 * cap).epsilon(1e-4));
    CHECK(capped_share(0, 2) == 0);
    CHECK(capped_mean(0, 2) == 1);
}

TEST_CASE(
    "drawn weights have the mean, the capped mean, the share and the effective size of the closed forms")
{
    constexpr double kVariance = 0.6;
    constexpr int kDraws = 400000;
    double sum = 0;
    double squares = 0;
    double capped = 0;
    double above = 0;
    SplitMix random(7);
    for (int i = 0; i < kDraws; ++i)
    {
        // Box and Muller 1958.
        const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
        const double z = radius * std::cos(2 * std::numbers::pi * random.uniform());
        const double w = std::exp(std::sqrt(kVariance) * z - kVariance / 2);
        sum += w;
        squares += w * w;
        capped += std::min(w, 2.0);
        above += w > 2 ? 1 : 0;
    }
    CHECK(sum / kDraws == Approx(1).epsilon(0.01));
    CHECK(sum * sum / kDraws / squares == Approx(effective_share(kVariance)).epsilon(0.02));
    CHECK(capped / kDraws == Approx(capped_mean(kVariance, 2)).epsilon(0.01));
    CHECK(above / kDraws == Approx(capped_share(kVariance, 2)).epsilon(0.02));
}
