// The chart's parts that can be checked without a window: axes, steps, where words stand, what a drag means.
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/labels.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("a value's place on an axis and back, linear and logarithmic")
{
    const PlotAxis linear{-2, 6};
    CHECK(linear.share(0) == Catch::Approx(0.25));
    CHECK(linear.at(0.25) == Catch::Approx(0));
    CHECK(linear.clamped(9) == 6);
    const PlotAxis log{1, 10'000, PlotScale::log};
    CHECK(log.share(100) == Catch::Approx(0.5));
    CHECK(log.at(0.75) == Catch::Approx(1000));
}

TEST_CASE("ticks are round values within the axis")
{
    CHECK(axis_ticks({0, 10}, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(axis_ticks({1, 16, PlotScale::log2}, 8) == std::vector<double>{1, 2, 4, 8, 16});
    CHECK(axis_ticks({1, 100, PlotScale::log}, 10) == std::vector<double>{1, 2, 5, 10, 20, 50, 100});
    CHECK(axis_ticks({1, 1e6, PlotScale::log}, 3).size() <= 4);
    CHECK(axis_ticks({5, 5}, 4).empty());
    CHECK(axis_ticks({0, 10, PlotScale::linear, "", nullptr, {-1, 3, 12}}, 4) == std::vector<double>{3});
}

TEST_CASE("numbers of an axis have no needless zeros, but as many digits as their neighbours")
{
    const PlotAxis axis{0, 2, PlotScale::linear, "", [](double v) { return std::to_string(v).substr(0, 4); }};
    CHECK(axis_numbers(std::vector<double>{1, 2}, axis) == std::vector<std::string>{"1", "2"});
    CHECK(axis_numbers(std::vector<double>{1, 1.25}, axis) == std::vector<std::string>{"1.00", "1.25"});
}

TEST_CASE("stairs stay level from each point to the next, and one further at the end")
{
    const std::vector<PlotPoint> points{{0, 5}, {1, 7}};
    const std::vector<PlotPoint> steps = stairs(points);
    REQUIRE(steps.size() == 4);
    CHECK(steps[1].x == 1);
    CHECK(steps[1].y == 5);
    CHECK(steps[3].x == 2);
    CHECK(steps[3].y == 7);
}

TEST_CASE("a key adds on a linear axis and multiplies on a logarithmic one; the mouse counts first")
{
    PlotMove move;
    CHECK_FALSE(move.x(1).has_value());
    move.from = {8, 8};
    move.steps = -1;
    move.log_y = true;
    CHECK(*move.x(2) == 6);
    CHECK(*move.y(2) == 4);
    move.to = PlotPoint{3, 1};
    CHECK(*move.x(2) == 3);
}

TEST_CASE("words in a column keep their distance and stay within its ends")
{
    const std::vector<float> apart{10, 50};
    CHECK(spread(apart, 0, 100, 20) == apart);
    const std::vector<float> together{40, 44};
    const std::vector<float> placed = spread(together, 0, 100, 20);
    CHECK(placed[0] == Catch::Approx(32));
    CHECK(placed[1] == Catch::Approx(52));
    const std::vector<float> low{98, 99};
    CHECK(spread(low, 0, 100, 20) == std::vector<float>{80, 100});
}

TEST_CASE("the distance of a line's piece to a label: beside it, off its corner, through it, within it")
{
    const Rect label{10, 10, 20, 8};
    CHECK(distance_of(label, {0, 5}, {40, 5}) == Catch::Approx(5));
    CHECK(distance_of(label, {33, 0}, {33, 40}) == Catch::Approx(3));
    CHECK(distance_of(label, {33, 22}, {40, 30}) == Catch::Approx(5)); // 3 and 4 from the corner
    CHECK(distance_of(label, {0, 28}, {28, 28}) == Catch::Approx(10));
    CHECK(distance_of(label, {0, 0}, {40, 28}) == 0.0F);
    CHECK(distance_of(label, {12, 12}, {14, 14}) == 0.0F);
}
