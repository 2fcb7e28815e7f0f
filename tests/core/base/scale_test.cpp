// Numbers as a scale has them (core/base/scale.h).
#include "core/base/scale.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace ringside;
using Catch::Approx;

TEST_CASE("a decade is the power of ten below or above")
{
    CHECK(decade_below(1) == 1);
    CHECK(decade_below(999) == 100);
    CHECK(decade_below(0.02) == Approx(0.01));
    CHECK(decade_above(1) == 1);
    CHECK(decade_above(101) == 1000);
}

TEST_CASE("numbers are rounded to the digits that count")
{
    CHECK(rounded_to(123456, 3) == 123000);
    CHECK(rounded_to(0.00128, 2) == Approx(0.0013).epsilon(1e-12));
    CHECK(rounded_to(9.96, 2) == Approx(10));
}

TEST_CASE("a round step is 1, 2 or 5 times a power of ten and not smaller than asked")
{
    CHECK(round_step(1) == 1);
    CHECK(round_step(1.01) == 2);
    CHECK(round_step(30) == 50);
    CHECK(round_step(0.07) == Approx(0.1));
}

TEST_CASE("steps of one ratio reach from end to end")
{
    const auto values = even_ratios(1, 10000, 4);
    REQUIRE(values.size() == 5);
    CHECK(values.front() == 1);
    CHECK(values[1] == Approx(10));
    CHECK(values.back() == 10000);
}

TEST_CASE("the nearest by ratio lies by factors, not by differences")
{
    constexpr std::array stops{1, 10, 100};
    CHECK(*nearest_by_ratio(stops, 30) == 10);  // nearer to 10 by difference, too
    CHECK(*nearest_by_ratio(stops, 40) == 100); // nearer to 10 by difference alone
    const std::vector<int> none;
    CHECK(nearest_by_ratio(none, 5) == none.end());
}
