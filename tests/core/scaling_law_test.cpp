#include "core/engine/reliability.h"
#include "core/engine/scaling_law.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

TEST_CASE(
    "hand-worked: a save of 2 minutes and a failure every 4 hours ask for a checkpoint every 41.6 minutes")
{
    // sqrt(2 x 120 s x 14400 s) = sqrt(3 456 000) s = 1859 s before the square root is taken of 3.456e6.
    CHECK(young_interval(Seconds(120.0), Seconds(14400.0)).value == Approx(1859.03).epsilon(1e-5));
    // The time between the two kinds of loss is even: d / tau = tau / (2 M).
    const double tau = young_interval(Seconds(50.0), Seconds(10000.0)).value;
    CHECK(tau == Approx(1000));
    CHECK(50 / tau == Approx(tau / (2 * 10000)));
}

TEST_CASE("an interval between checkpoints is 0 where there is nothing to save or nothing fails")
{
    CHECK(young_interval(Seconds(0.0), Seconds(100.0)).value == 0);
    CHECK(young_interval(Seconds(10.0), Seconds(-1.0)).value == 0);
}

TEST_CASE("hand-worked: 1.2e24 FLOP buy 100 billion parameters and 2 trillion tokens")
{
    const ComputeOptimum optimum = chinchilla_optimum(1.2e24);
    CHECK(optimum.parameters == Approx(1e11));
    CHECK(optimum.tokens == Approx(2e12));
    CHECK(6 * optimum.parameters * optimum.tokens == Approx(1.2e24));
    CHECK(chinchilla_optimum(0).parameters == 0);
}

TEST_CASE("published: Gopher's budget of 5.76e23 FLOP is best spent on about 67 billion parameters and 1.5 "
          "trillion tokens")
{
    // Hoffmann et al. 2022, Table 3, approach 1, the row of Gopher's compute.
    const ComputeOptimum optimum = chinchilla_optimum(5.76e23);
    CHECK(optimum.parameters == Approx(67e9).epsilon(0.05));
    CHECK(optimum.tokens == Approx(1.5e12).epsilon(0.1));
}

TEST_CASE("hand-worked: the fitted loss of a billion parameters on 100 billion tokens is 2.39 nats")
{
    // 1e9^0.34 = 10^3.06 = 1148.2, 406.4 / 1148.2 = 0.3540; 1e11^0.28 = 10^3.08 = 1202.3, 410.7 / 1202.3 =
    // 0.3416.
    CHECK(chinchilla_loss(1e9, 1e11) == Approx(1.69 + 0.3540 + 0.3416).epsilon(1e-4));
    CHECK(chinchilla_loss(1e30, 1e30) == Approx(1.69).epsilon(1e-4));
}

TEST_CASE("more parameters and more tokens both lower the fitted loss")
{
    for (double n = 1e8; n < 1e13; n *= 10)
    {
        CHECK(chinchilla_loss(10 * n, 1e12) < chinchilla_loss(n, 1e12));
        CHECK(chinchilla_loss(1e10, 10 * n) < chinchilla_loss(1e10, n));
    }
}
