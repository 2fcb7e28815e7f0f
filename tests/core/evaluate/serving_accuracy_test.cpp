// Bands of serving, and the constants they belong to, held to the measured rows.
#include "tests/core/support.h"

#include "core/evaluate/serving_accuracy.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace ringside
{

namespace
{

using Catch::Approx;

// All rows, with their left-out ratios as they stand in assets/engine-evidence.
const std::vector<ServedRow>& measured_rows()
{
    static const std::vector<ServedRow> all = []
    {
        std::vector<ServedRow> rows;
        std::vector<std::filesystem::path> files;
        for (const auto& entry :
             std::filesystem::directory_iterator(test::source_path("assets/measured/serving")))
        {
            files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
        for (const auto& file : files)
        {
            std::ifstream in(file);
            auto set = served_rows(nlohmann::json::parse(in), file.stem().string(), test::presets());
            REQUIRE(set);
            const auto& left_out = test::presets().serving->evidence.left_out.at(file.stem().string());
            REQUIRE(left_out.size() == set->size() * kServingMeasures);
            for (std::size_t i = 0; i < set->size(); ++i)
            {
                std::copy_n(left_out.begin() + static_cast<std::ptrdiff_t>(i * kServingMeasures),
                            kServingMeasures, (*set)[i].left_out.begin());
            }
            rows.insert(rows.end(), set->begin(), set->end());
        }
        return rows;
    }();
    return all;
}

double median(ServingMeasure measure, bool left_out)
{
    std::vector<const ServedRow*> rows;
    for (const ServedRow& row : measured_rows())
    {
        rows.push_back(&row);
    }
    return median_error(rows, measure, left_out).median;
}

} // namespace

TEST_CASE("the bands that ship are those which the measured rows give, and hold 75 to 90% of them left out")
{
    REQUIRE(measured_rows().size() == 504);
    const ServingEvidence made = serving_evidence(measured_rows());
    const ServingEvidence& ships = test::presets().serving->evidence;
    CHECK(made.kinds == ships.kinds);
    for (const auto& [own, shipped] : {std::pair{made.tpot, ships.tpot}, std::pair{made.ttft, ships.ttft},
                                       std::pair{made.rate, ships.rate}})
    {
        CHECK(own.low == Approx(shipped.low));
        CHECK(own.high == Approx(shipped.high));
        CHECK(own.rows == shipped.rows);
        CHECK(own.models == shipped.models);
        CHECK(own.median == Approx(shipped.median));
        CHECK(own.coverage == Approx(shipped.coverage));
        CHECK(own.coverage >= 0.75);
        CHECK(own.coverage <= 0.9);
    }
}

TEST_CASE("constants that ship are within the ranges that a fit may choose from, the same for every engine")
{
    const std::vector<std::string> fitted = fitted_serving_constants();
    CHECK(fitted.size() == 19);
    const auto& engines = test::presets().serving->engines;
    for (const ServingEnginePreset& preset : engines)
    {
        if (preset.engine.id == "bound")
        {
            continue;
        }
        CHECK(preset.engine.kernel_us == ServingEngine{}.kernel_us);
        CHECK(preset.engine.kv_bandwidth > 0.4); // no constant stands at an end of its range
        CHECK(preset.engine.kv_bandwidth < 0.95);
        CHECK(preset.engine.weight_bandwidth > 0.7);
        CHECK(preset.engine.weight_bandwidth < 0.98);
    }
}

TEST_CASE("computed serving is as near to the measured rows as the documentation says")
{
    CHECK(median(ServingMeasure::tpot, false) < 0.12);
    CHECK(median(ServingMeasure::tpot, true) < 0.15);
    CHECK(median(ServingMeasure::ttft, false) < 0.19);
    CHECK(median(ServingMeasure::ttft, true) < 0.25);
    CHECK(median(ServingMeasure::rate, false) < 0.1);
    CHECK(median(ServingMeasure::rate, true) < 0.15);
}

} // namespace ringside
