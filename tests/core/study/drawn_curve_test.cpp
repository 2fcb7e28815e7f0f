// Curves drawn before the real one is shown: how near a hand comes, worked by hand.
#include "core/base/json/json_text.h"
#include "core/study/lessons/drawn_curve.h"
#include "core/study/lessons/drawn_hands.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace ringside;
using Catch::Approx;

namespace
{

using Points = std::vector<CurvePoint>;

const CurveAxes kUnit{0, 10, 0, 100};

std::string plain(double x)
{
    return std::to_string(std::lround(x));
}

std::string says(const Points& hand, const Points& truth, const CurveAxes& axes = kUnit)
{
    const auto score = score_curve(hand, truth, axes);
    REQUIRE(score);
    return score_words(*score, axes, plain);
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("hand-worked: the area between two straight lines, crossing or not, in ranges of the curve")
{
    const Points rising{{0, 0}, {10, 100}};
    // 20 too high all along a range of 100; above x = 8 it would leave the paper.
    CHECK(score_curve(Points{{0, 20}, {8, 100}}, rising, kUnit)->away == Approx(0.2));
    CHECK(score_curve(rising, rising, kUnit)->error() == Approx(0).margin(1e-12));
    // Falling against rising: two triangles of 5 by 100 are 500, over 10 by 100.
    CHECK(score_curve(Points{{0, 100}, {10, 0}}, rising, kUnit)->away == Approx(0.5));
    // Half as high: a triangle of 10 by 50 is 250 of 1000. The curve from 0 to 50 has half the range: 0.5.
    CHECK(score_curve(Points{{0, 0}, {10, 50}}, rising, kUnit)->away == Approx(0.25));
    CHECK(score_curve(rising, Points{{0, 0}, {10, 50}}, kUnit)->away == Approx(0.5));
    // A step at 5 against the middle: 50 too low, then 50 too high.
    CHECK(score_curve(Points{{0, 50}, {10, 50}}, Points{{0, 0}, {5, 0}, {5, 100}, {10, 100}}, kUnit)->away ==
          Approx(0.5));
}

TEST_CASE("hand-worked: what is not drawn counts as a whole range away, a single point by its height")
{
    const Points rising{{0, 0}, {10, 100}};
    const auto half = score_curve(Points{{0, 0}, {5, 50}}, rising, kUnit);
    CHECK(half->covered == Approx(0.5));
    CHECK(half->away == Approx(0).margin(1e-12));
    CHECK(half->error() == Approx(0.5));
    const auto one = score_curve(Points{{5, 80}}, rising, kUnit);
    CHECK(one->covered == 0);
    CHECK(one->away == Approx(0.3));
    CHECK(one->error() == 1);
    CHECK(has(says({{5, 80}}, rising), "A single point, 30% of the curve's range away"));
    CHECK(has(says({{0, 0}, {5, 50}}, rising), "over 50% of its length"));
}

TEST_CASE("nothing drawn, no curve, values that are none and axes that are none have no score")
{
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    constexpr double kMuch = std::numeric_limits<double>::infinity();
    const Points rising{{0, 0}, {10, 100}};
    CHECK_FALSE(score_curve(Points{}, rising, kUnit));
    CHECK_FALSE(score_curve(rising, Points{}, kUnit));
    CHECK_FALSE(score_curve(rising, Points{{3, 3}}, kUnit));
    CHECK_FALSE(score_curve(Points{{kNone, 1}, {1, kNone}, {kMuch, 1}}, rising, kUnit));
    CHECK_FALSE(score_curve(Points{{20, 1}, {30, 1}}, rising, kUnit)); // beside the paper
    CHECK_FALSE(score_curve(Points{{0, 1}, {2, 1}}, Points{{5, 1}, {8, 1}}, kUnit));
    for (const CurveAxes& none : {CurveAxes{1, 1, 0, 1}, CurveAxes{0, 1, 0, kMuch}, CurveAxes{0, 1, kNone, 1},
                                  CurveAxes{-1, 1, 0, 1, true}, CurveAxes{2, 1, 0, 1}})
    {
        CHECK_FALSE(none.valid());
        CHECK_FALSE(score_curve(rising, rising, none));
    }
    // What is beyond the paper counts at its edge; a gap is drawn across.
    CHECK(
        score_curve(Points{{0, 100}, {10, 100}}, Points{{0, 1e300}, {10, kMuch}, {10, 1e18}}, kUnit)->away ==
        Approx(0).margin(1e-9));
    CHECK(score_curve(Points{{0, 0}, {3, kNone}, {10, 100}}, rising, kUnit)->away == Approx(0).margin(1e-12));
}

TEST_CASE("hand-worked: logarithmic axes count in decades and tell the power")
{
    const CurveAxes decades{1, 1e4, 1, 1e4, true, true};
    const Points linear{{1, 1}, {1e4, 1e4}};
    const Points root{{1, 1}, {1e4, 1e2}};
    // The root ends two of four decades lower: a triangle of half the range at its end, a quarter on average.
    const auto score = score_curve(root, linear, decades);
    CHECK(score->away == Approx(0.25));
    CHECK(*score->power == Approx(0.5));
    CHECK(*score->true_power == Approx(1));
    CHECK(has(says(root, linear, decades), "Too flat: power 0.5, not 1.0."));
    // Ten times too much everywhere is one of four decades.
    CHECK(score_curve(Points{{1, 10}, {1e3, 1e4}}, linear, decades)->away == Approx(0.25));
    CHECK_FALSE(score_curve(Points{{-3, 5}, {0, 5}}, linear, decades)); // no place on such an axis
}

TEST_CASE("hand-worked: slopes are right, too steep, too flat, or the wrong way")
{
    const Points rising{{0, 20}, {10, 60}}; // a range of 40
    const auto score = score_curve(Points{{0, 20}, {10, 80}}, rising, kUnit);
    CHECK(score->true_rise == Approx(1));
    CHECK(score->rise == Approx(1.5));
    CHECK(has(says({{0, 20}, {10, 80}}, rising), "Too steep."));
    CHECK(has(says({{0, 20}, {10, 40}}, rising), "Too flat."));
    CHECK(has(says({{0, 30}, {10, 70}}, rising), "The slope is right."));
    CHECK(has(says({{0, 60}, {10, 20}}, rising), "It should rise, not fall."));
    const Points level{{0, 50}, {10, 50}};
    CHECK(has(says({{0, 50}, {10, 90}}, level), "It should not rise overall."));
    CHECK(has(says(level, level), "Flat overall"));
    // A level curve has a tenth of the axis for its range: 5 of 100 away is half of that.
    CHECK(score_curve(Points{{0, 55}, {10, 55}}, level, kUnit)->away == Approx(0.5));
    CHECK(has(says({{0, 80}, {10, 80}}, level), "Over 100% of the curve's range away"));
}

TEST_CASE("hand-worked: the knee is the point farthest from the straight line between the ends")
{
    // Up to 80 at x = 2, then slowly to 100: 80 - 20 = 60 above the straight line there.
    const Points saturating{{0, 0}, {2, 80}, {10, 100}};
    const auto score = score_curve(Points{{0, 0}, {6, 90}, {10, 100}}, saturating, kUnit);
    CHECK(score->true_bend.kind == BendKind::knee);
    CHECK(score->true_bend.x == Approx(2).margin(0.1));
    CHECK(score->bend.x == Approx(6).margin(0.1));
    CHECK(has(says({{0, 0}, {6, 90}, {10, 100}}, saturating), "The knee comes too late: at 6, not 2."));
    CHECK(has(says({{0, 0}, {2.5, 70}, {10, 100}}, saturating), "The knee is in the right place."));
    CHECK(has(says({{0, 0}, {10, 100}}, saturating), "The knee at 2 is missing."));
    CHECK(has(says(saturating, {{0, 0}, {10, 100}}), "There is no knee in it."));
    CHECK(has(says({{0, 90}, {3, 10}, {10, 90}}, {{0, 90}, {7, 10}, {10, 90}}),
              "The minimum comes too early: at 3, not 7."));
    CHECK(score_curve(Points{{0, 0}, {5, 80}, {10, 0}}, saturating, kUnit)->bend.kind == BendKind::peak);
    // On axes in logarithms 1 / x is straight.
    Points inverse;
    for (double x = 1; x <= 1000; x *= 1.1)
    {
        inverse.push_back({x, 1 / x});
    }
    const CurveAxes decades{1, 1000, 0.001, 1, true, true};
    CHECK(score_curve(inverse, inverse, decades)->true_bend.kind == BendKind::none);
    CHECK(score_curve(inverse, inverse, {1, 1000, 0, 1})->true_bend.kind == BendKind::knee);
}

TEST_CASE("hands are ranked from the nearest; those without a score are left out")
{
    const Points rising{{0, 0}, {10, 100}};
    std::vector<std::optional<CurveScore>> scores;
    for (const Points& hand : {Points{{0, 50}, {10, 50}}, Points{}, rising, Points{{0, 10}, {9, 100}}})
    {
        scores.push_back(score_curve(hand, rising, kUnit));
    }
    CHECK(ranked(scores) == std::vector<std::size_t>{2, 3, 0});
    CHECK(away_words(*scores[2]) == "under 1% away");
}

TEST_CASE("a stroke puts a point at every column it crosses and replaces what was there")
{
    Points hand;
    const CurveAxes axes{0, 64, 0, 100}; // a column each
    draw_to(hand, axes, {10, 0}, {20, 100});
    REQUIRE(hand.size() == 11);
    CHECK(hand[5].x == Approx(15));
    CHECK(hand[5].y == Approx(50));
    draw_to(hand, axes, {16.2, 10}, {14, 10}); // back over it
    CHECK(hand.size() == 11);
    CHECK(hand[4].y == Approx(10));
    CHECK(hand[6].y == Approx(10));
    CHECK(hand[7].y == Approx(70));
    CHECK(std::ranges::is_sorted(hand, {}, &CurvePoint::x));
    CHECK(*height_at(hand, axes, 17.5) == Approx(75));
    CHECK_FALSE(height_at(hand, axes, 30));
    draw_to(hand, axes, {0, 1e9}, {64, -1e9}); // beyond the paper ends at its edge
    CHECK(hand.size() == 65);
    CHECK(hand.front().y == 100);
    CHECK(hand.back().y == 0);
    draw_to(hand, {1, 1, 0, 1}, {0, 0}, {1, 1});
    draw_to(hand, axes, {std::numeric_limits<double>::quiet_NaN(), 0}, {1, 1});
    CHECK(hand.size() == 65);
    Points log_hand;
    draw_to(log_hand, {1, 1024, 1, 1024, true, true}, {1, 1}, {1024, 1024});
    CHECK(log_hand.size() == 65);
    CHECK(log_hand[32].y == Approx(32));
}

TEST_CASE("hands come back from their text; what is wrong with one is named by its path")
{
    const DrawnHands hands{"growth/mfu", 1, 2, {{"Ana \"A\"", {{1, 0.5}, {2, 0.25}}}, {"", {{1e-9, 4e18}}}}};
    const auto document = parse_json(to_text(hands));
    REQUIRE(document);
    REQUIRE(is_drawn_hands(*document));
    const auto read = drawn_hands_from_json(*document);
    REQUIRE(read);
    CHECK(read->place == "growth/mfu");
    CHECK(read->chart == 1);
    CHECK(read->curve == 2);
    CHECK(read->hands == hands.hands);

    const auto fault = [](const std::string& list)
    {
        const auto bad = drawn_hands_from_json(
            *parse_json(R"({"schema": "ringside.curves/1", "place": "memory", "hands": )" + list + "}"));
        return bad ? std::string("none") : to_line(bad.issues().front());
    };
    CHECK(has(fault("[]"), "hands"));
    CHECK(has(fault("7"), "hands"));
    CHECK(has(fault(R"([{"x": [1], "y": [1, 2]}])"), "give one for each x"));
    CHECK(has(fault(R"([{"x": [2, 1], "y": [1, 2]}])"), "hands[0].x"));
    CHECK(has(fault(R"([{"x": [1, 1], "y": [1, 2]}])"), "sort the points"));
    CHECK(has(fault(R"([{"x": [], "y": []}])"), "hands[0].x"));
    CHECK(has(fault(R"([{"x": [1], "y": ["much"]}])"), "is not a number"));
    CHECK(has(fault(R"([{"x": [1], "y": [1], "name": ")" + std::string(41, 'n') + R"("}])"), "name"));
    CHECK(has(fault(R"([{"x": [1], "y": [1], "script": "x"}])"), "script"));
    std::string many = "[";
    for (int i = 0; i < 201; ++i)
    {
        many += std::string(i > 0 ? "," : "") + R"({"x": [1], "y": [1]})";
    }
    CHECK(has(fault(many + "]"), "201"));
    CHECK_FALSE(is_drawn_hands(*parse_json("[1]")));
    CHECK_FALSE(is_drawn_hands(*parse_json(R"({"schema": "ringside.machines/1"})")));
}
