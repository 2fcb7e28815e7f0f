// Published runs to start from: each with its source, its figure and ours, and a model that can be searched.
#include "tests/core/support.h"

#include "core/evaluate/cases.h"
#include "core/planner/layout.h"
#include "core/scenario/json/json.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

using namespace ringside;

TEST_CASE("at least 20 published runs have a source and a measured step, and can be searched from")
{
    const nlohmann::json runs = test::read("assets/measured/published-runs.json");
    const auto report = run_cases(runs, test::presets());
    REQUIRE(report);
    CHECK(report->rows.size() >= 20);
    for (const CaseRow& row : report->rows)
    {
        INFO(row.name << ": " << row.expected << " s measured, " << row.got << " s computed");
        CHECK(row.metric == "step.time_s");
        CHECK(std::abs(row.error) < 1);
    }
    std::set<std::string> names;
    for (const nlohmann::json& entry : runs["cases"])
    {
        INFO(entry["name"].get<std::string>());
        CHECK(names.insert(entry["name"].get<std::string>()).second);
        CHECK(entry["source"].get<std::string>().size() > 20);
        const auto scenario = scenario_from_json(entry["scenario"], test::presets());
        REQUIRE(scenario);
        CHECK_FALSE(scenario->software.inferred); // who published a run says what it ran on
        CHECK(search_faults(*scenario).empty());
    }
}
