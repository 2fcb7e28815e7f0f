// Files of cases: what is wrong with them, what being off by nothing means, and errors of groups left out.
#include "tests/core/support.h"
#include <fmt/format.h>

#include "core/evaluate/calibrate.h"
#include "core/evaluate/cases.h"
#include "core/performance/step_time.h"
#include "core/scenario/json/json.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using nlohmann::json;

namespace
{

Scenario base()
{
    return test::presets().scenario("default")->scenario;
}

json document(json entry, json more = json::object())
{
    json all = {{"schema", "ringside.cases/1"}, {"cases", json::array()}};
    if (!entry.is_null())
    {
        entry["scenario"] = to_json(base(), test::presets());
        all["cases"].push_back(std::move(entry));
    }
    all.update(more);
    return all;
}

std::string lines(const Issues& issues)
{
    std::string all;
    for (const Issue& issue : issues)
    {
        all += to_line(issue) + "\n";
    }
    return all;
}

// What `validate` refuses; `calibrate` has to refuse the same.
std::string faults(const json& cases)
{
    const auto report = run_cases(cases, test::presets());
    const auto set = measured_set(cases, "set", test::presets());
    const std::string all = report ? std::string() : lines(report.issues());
    CHECK(all == (set ? std::string() : lines(set.issues())));
    return all;
}

bool has(const std::string& text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

// Steps 10% slower than computed, one for each group.
MeasuredSet slow_set(const std::string& name, const std::vector<std::string>& groups)
{
    MeasuredSet set;
    set.name = name;
    for (const std::string& group : groups)
    {
        set.rows.push_back({group, group, base(), step_time(base()).total() * 1.1});
    }
    return set;
}

} // namespace

TEST_CASE("times nobody measures are refused, and so are figures that overflow")
{
    for (const double seconds : {1e-320, 1e-300, 1e-10, 0.0, -1.0, 1e10, 1e300})
    {
        INFO(seconds);
        CHECK(
            has(faults(document({{"expect", {{"step.time_s", seconds}}}})), "cases[0].expect.step.time_s: "));
    }
    CHECK(has(faults(document({{"expect", {{"step.time_s", true}}}})), "cases[0].expect.step.time_s: true"));
    CHECK(has(faults(document({{"expect", {{"step.bubble_s", -1}}}})), "cases[0].expect.step.bubble_s: -1"));
    CHECK(
        has(faults(document({{"expect", {{"memory.total_bytes", 1e-300}}}})), "memory.total_bytes: 1e-300"));
    CHECK(faults(document({{"expect", {{"step.bubble_s", 0}, {"memory.fits", false}}}})).empty());
}

TEST_CASE("off a figure of 0 there is a difference and no percentage")
{
    const auto report = run_cases(
        document({{"expect", {{"model.parameters", 0}, {"memory.nvme_bytes", 0}, {"step.time_s", 1}}}}),
        test::presets());
    REQUIRE(report);
    const json out = to_json(*report);
    CHECK_FALSE(report->metrics.contains("model.parameters"));
    CHECK(report->metrics.at("memory.nvme_bytes").max == 0); // 0 of 0 is met
    for (const CaseRow& row : report->rows)
    {
        INFO(row.metric);
        CHECK(std::isfinite(row.error));
        CHECK(row.relative == (row.metric != "model.parameters"));
        CHECK(has(error_text(row), "%") == row.relative);
    }
    CHECK(out["rows"][1]["metric"] == "model.parameters");
    CHECK(out["rows"][1]["error"].is_null());
    CHECK(out["rows"][1]["difference"] == out["rows"][1]["got"]);
}

TEST_CASE("percentages stay short")
{
    CHECK(percent_text(0.125) == "12.50%");
    CHECK(signed_percent_text(0.125, 1) == "+12.5%");
    CHECK(signed_percent_text(-0.125) == "-12.50%");
    CHECK(percent_text(1e60) == "1e+62%");
}

TEST_CASE("names and groups are strings")
{
    for (const char* field : {"name", "group"})
    {
        for (const json& value : {json(5), json(), json::array(), json::object(), json(true)})
        {
            const std::string all = faults(document({{"expect", {{"step.time_s", 1}}}, {field, value}}));
            CHECK(has(all, fmt::format("cases[0].{}: {}", field, value.dump())));
        }
    }
}

TEST_CASE("cases that would check nothing are refused")
{
    CHECK(has(faults(document(json())), "cases: "));
    CHECK(has(faults(document({{"expect", json::object()}})), "cases[0]: needs a scenario"));
    const json expect = {{"memory.total_bytes", 1e9}};
    const auto tolerance = [&](const json& value) {
        return faults(document({{"expect", expect}, {"tolerance", value}}));
    };
    CHECK(has(tolerance({{"memory.totl_bytes", 0.1}}), "did you mean \"memory.total_bytes\"?"));
    CHECK(has(tolerance({{"step.time_s", 0.1}}), "cases[0].tolerance.step.time_s: has no figure"));
    CHECK(has(tolerance(0.1), "cases[0].tolerance: 0.1"));
    CHECK(has(tolerance({{"memory.total_bytes", "x"}}), "cases[0].tolerance.memory.total_bytes: "));
    CHECK(tolerance({{"memory.total_bytes", 0.1}}).empty());
}

TEST_CASE("a set has a name and a weight from 0")
{
    const json entry = {{"expect", {{"step.time_s", 1}}}};
    for (const json& weight : {json("x"), json(-5), json(), json(1e300)})
    {
        CHECK(has(faults(document(entry, {{"weight", weight}})), "weight: " + weight.dump()));
    }
    CHECK(has(faults(document(entry, {{"set", 7}})), "set: 7 "));
    CHECK(faults(document(entry, {{"set", "mine"}, {"weight", 0}})).empty());
}

TEST_CASE("where all is one group there is no error of left-out groups")
{
    const auto one = fit_calibration({slow_set("one", {"a", "a", "a"})}, {"gemm_efficiency"}, true);
    REQUIRE(one);
    CHECK(one->sets[0].left_out.n == 0);
    CHECK(to_json(*one)["sets"][0]["mean_left_out"].is_null());
    const auto two =
        fit_calibration({slow_set("two", {"a", "b"}), slow_set("one", {"a"})}, {"gemm_efficiency"}, true);
    REQUIRE(two);
    CHECK(two->sets[0].left_out.n == 2);
    CHECK(two->sets[1].left_out.n == 1); // predicted from the other set
    CHECK(to_json(*two)["sets"][0]["mean_left_out"].is_number());
    CHECK(to_json(*two)["sets"][1]["mean_left_out"].is_number());
    const auto unasked = fit_calibration({slow_set("two", {"a", "b"})}, {"gemm_efficiency"}, false);
    REQUIRE(unasked);
    CHECK_FALSE(to_json(*unasked)["sets"][0].contains("mean_left_out"));
}
