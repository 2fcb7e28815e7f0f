// How far computed steps are off, source by source.
#include "tests/core/support.h"

#include "core/evaluate/accuracy.h"
#include "core/performance/step_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

// Its measured time is this many times the computed one.
MeasuredRow row_at(const Scenario& s, const std::string& group, double times)
{
    return {group, group, s, step_time(s).total() * times};
}

MeasuredSet set_of(const std::string& name, std::vector<MeasuredRow> rows)
{
    MeasuredSet set;
    set.name = name;
    set.title = name;
    set.rows = std::move(rows);
    return set;
}

} // namespace

TEST_CASE("hand-worked: errors of rows, and means that weigh groups alike")
{
    Scenario s;
    s.software = Software(); // eager: nothing of it was fitted
    // 1 / 2 - 1 = -0.5, twice in one group, and 1 / 0.8 - 1 = 0.25.
    const std::vector<MeasuredSet> sets{
        set_of("far", {row_at(s, "a", 2), row_at(s, "a", 2), row_at(s, "b", 0.8)}),
        set_of("near", {row_at(s, "c", 1)})};
    const SourceAccuracy far = source_accuracy(sets, 0, {});
    REQUIRE(far.rows.size() == 3);
    CHECK(far.rows[0].error == Approx(-0.5));
    CHECK(far.rows[2].error == Approx(0.25));
    CHECK(far.mean == Approx((0.5 + 0.25) / 2));
    CHECK(far.left_out == Approx(far.mean));
    CHECK(worst_of(far).group == "a");
    const std::vector<SourceAccuracy> all{far, source_accuracy(sets, 1, {})};
    CHECK(mean_of(all, &SourceAccuracy::mean) == Approx(0.375 / 2).margin(1e-12));
    CHECK(mean_of({}, &SourceAccuracy::mean) == 0);
}

TEST_CASE("hand-worked: the median difference of errors between two runs of one group")
{
    Scenario s;
    s.software = Software();
    // 2, 1 and 4 times too long a measurement in one group: factors of 2, 4 and 2 between them.
    const std::vector<MeasuredSet> sets{
        set_of("far", {row_at(s, "a", 2), row_at(s, "a", 1), row_at(s, "a", 4), row_at(s, "b", 9)})};
    CHECK(spread_in_groups({source_accuracy(sets, 0, {})}) == Approx(1));
    CHECK(spread_in_groups({}) == 0);
}

TEST_CASE("a source that alone ran a software is left with eager software's constants")
{
    Scenario s;
    s.software = Software();
    Scenario fitted = s;
    fitted.software.id = "fitted";
    fitted.software.gather = s.software.gather + 0.5;
    Presets presets;
    presets.software.push_back({.software = fitted.software, .fitted = {{"gather", "alone"}}});
    const std::vector<MeasuredSet> sets{set_of("alone", {row_at(fitted, "a", 1)}),
                                        set_of("others", {row_at(s, "b", 1)})};
    const SourceAccuracy alone = source_accuracy(sets, 0, presets);
    CHECK(alone.rows[0].error == Approx(0).margin(1e-12));
    Scenario eager = fitted;
    eager.software.gather = Software().gather;
    CHECK(alone.rows[0].left_out == Approx(step_time(eager).total() / step_time(fitted).total() - 1));
}

TEST_CASE("cases that something was assumed in are left out, whatever their notes hold")
{
    const auto firm = firm_cases(
        nlohmann::json::parse(R"({"cases": [{"note": "[C] guessed"}, {"note": "read"}, {"note": 7}, 3]})"));
    CHECK(firm.at("cases").size() == 3);
}
