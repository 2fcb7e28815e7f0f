// The compute budget: the seeds' numbers, and every unknown from the others.
#include "core/scaling/budget.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <random>

using namespace ringside;
using Catch::Approx;

TEST_CASE("hand-worked: 70B on 2T tokens takes 1,024 A100s 76 days at 40%")
{
    const Budget b = solved({70e9, 2e12, 1024, 312, 0.4, 0, 2}, BudgetUnknown::days);
    CHECK(b.flops() == Approx(8.4e23));
    CHECK(b.days == Approx(76.1).epsilon(0.001));
    CHECK(b.usd() == Approx(1024 * b.days * 24 * 2));
}

TEST_CASE("hand-worked: 512 H100s for 90 days at 40% are 8.75T tokens for 30B")
{
    const Budget b = solved({30e9, 0, 512, 989, 0.4, 90, 2}, BudgetUnknown::tokens);
    CHECK(b.tokens == Approx(8.75e12).epsilon(0.001));
    CHECK(b.delivered() == Approx(1.575e24).epsilon(0.001));
}

TEST_CASE("every unknown of a solved budget comes back from the others")
{
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(0.1, 10);
    for (int i = 0; i < 200; ++i)
    {
        const Budget b = solved({1e9 * any(random), 1e11 * any(random), 100 * any(random), 300 * any(random),
                                 0.05 * any(random), 0, any(random)},
                                BudgetUnknown::days);
        CHECK(b.delivered() == Approx(b.flops()));
        for (std::size_t k = 0; k < kBudgetUnknowns; ++k)
        {
            const auto unknown = static_cast<BudgetUnknown>(k);
            const Budget again = solved(b, unknown);
            CHECK(again.days == Approx(b.days));
            CHECK(again.gpus == Approx(b.gpus));
            CHECK(again.tokens == Approx(b.tokens));
            CHECK(again.parameters == Approx(b.parameters));
            CHECK(again.mfu == Approx(b.mfu));
            CHECK_FALSE(explain_budget(again, unknown).working.empty());
        }
    }
}

TEST_CASE("where nothing is delivered the unknown is 0, not infinite")
{
    Budget b;
    b.mfu = 0;
    CHECK(solved(b, BudgetUnknown::days).days == 0);
    CHECK(solved(b, BudgetUnknown::tokens).tokens == 0);
    b = {};
    b.parameters = 0;
    CHECK(solved(b, BudgetUnknown::tokens).tokens == 0);
}
