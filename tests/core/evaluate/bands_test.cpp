// Bands: how they are made from rows of sources left out, and what they say.
#include "tests/core/support.h"

#include "core/evaluate/bands.h"
#include "core/evaluate/report.h"
#include "core/evaluate/report_json.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;
using nlohmann::json;

namespace
{

Scenario llama_on(const std::string& gpu)
{
    return test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpu": ")" + gpu +
                          R"(", "gpus": 64}, "parallel": {"zero": 1},
        "training": {"sequence_length": 8192, "global_batch": 128}})");
}

MeasuredKind kind_of(const std::string& source, const std::string& software, const std::string& gpu)
{
    return {source, software, gpu, false, 4, 4096, 8192, 8, 64, 1};
}

} // namespace

TEST_CASE("hand-worked: a distance is the sum of what differs from a kind of measured runs")
{
    const MeasuredKind kind = kind_of("one", "megatron-core-2024", "h100");
    const auto at = [&](RunPoint p) { return distance(p, kind); };
    const RunPoint same{"megatron-core-2024", "h100", false, 8192, 64, 2};
    CHECK(at(same) == 0);
    CHECK(at({"megatron-core", "h100", false, 8192, 64, 2}) == 0.5); // another release
    CHECK(at({"fsdp", "h100", false, 8192, 64, 2}) == 1);
    CHECK(at({"fsdp", "b200", true, 8192, 64, 2}) == 3);
    // 32,768 tokens are 2 octaves beyond 8,192, 512 GPUs are 3 beyond 64: a quarter each.
    CHECK(at({"megatron-core-2024", "h100", false, 32768, 512, 2}) == 0.25 * (2 + 3));
    // 0.05 s is two halvings below 0.2 s.
    CHECK(at({"megatron-core-2024", "h100", false, 8192, 64, 0.05}) == 2);
    CHECK(accelerator_kind("h100-sxm-80gb") == "h100");
    CHECK(accelerator_kind("tpu-v6e") == "tpu-v6e");
    CHECK(software_kind("torchtitan-2026") == "torchtitan");
}

TEST_CASE("hand-worked: a band widens with the distance, and a user's own runs hold their own near them")
{
    BandRule rule;
    rule.low = 0.8;
    rule.high = 1.25;
    rule.widening = 0.5;
    rule.kinds = {kind_of("one", "fsdp", "h100")};
    const Band near = band_at(rule, {"fsdp", "h100", false, 8192, 64, 2});
    CHECK(near.low == Approx(0.8));
    CHECK(near.high == Approx(1.25));
    const Band far = band_at(rule, {"fsdp", "b200", false, 8192, 64, 2}); // 1 away: half as wide again
    CHECK(far.low == Approx(std::pow(0.8, 1.5)));
    CHECK(far.high == Approx(std::pow(1.25, 1.5)));
    MeasuredKind own = kind_of("mine", "my-run", "h100");
    own.low = 0.96;
    own.high = 1.05;
    rule.kinds.push_back(own);
    CHECK(band_at(rule, {"my-run", "h100", false, 8192, 64, 2}).high == Approx(1.05));
    CHECK(band_at(rule, {"my-run", "b200", false, 8192, 64, 2}).high == Approx(std::pow(1.25, 1.5)));
}

TEST_CASE("hand-worked: bands made without a source hold four fifths of its rows")
{
    // Twenty sources of ten rows, each off by its own factor: -0.19, -0.17 ... 0.19 as logarithms.
    std::vector<std::string> names;
    for (int i = 0; i < 20; ++i)
    {
        names.push_back("source " + std::to_string(i));
    }
    std::vector<BandRow> rows;
    for (int i = 0; i < 20; ++i)
    {
        for (int row = 0; row < 10; ++row)
        {
            rows.push_back({names[static_cast<std::size_t>(i)],
                            {"fsdp", "h100", false, 8192, 64, 2},
                            std::exp((2 * i - 19) / 100.0),
                            2});
        }
    }
    const BandRule rule = rule_of(rows);
    CHECK(rule.sources == 20);
    CHECK(rule.rows == 200);
    CHECK(rule.coverage >= 0.8);
    CHECK(rule.coverage < 0.91);            // the outermost two are outside: 18 of 20
    CHECK(rule.widening == kLeastWidening); // nothing is far from anything
    CHECK(rule.high > std::exp(0.169));     // the last that a range made without it holds
    CHECK(rule.high < std::exp(0.191));
    CHECK(rule.low < std::exp(-0.169));
    CHECK(rule.low > std::exp(-0.191));
    CHECK(rule_of({}).kinds.empty());
}

TEST_CASE("what is said of an accelerator that nobody measured is the same in words and JSON")
{
    for (const char* gpu : {"mi300x", "gaudi-3", "rtx-4090"})
    {
        INFO(gpu);
        const Scenario s = llama_on(gpu);
        const auto report = evaluate(s);
        REQUIRE(report);
        const Band band = step_band(s, *report);
        const json said = report_json(s, *report, {});
        const std::string words = said["step"]["evidence"];
        CHECK(words == step_evidence_words(s, report->step.total()));
        CHECK(words.starts_with("no measured row of this software"));
        CHECK(said["step"]["time_high_s"] == report->step.total() * band.high);
        CHECK(said["step"]["mfu_low"] == report->step.mfu() / band.high);
        CHECK(said["run"]["days_high"].get<double>() ==
              Approx(said["run"]["days"].get<double>() * band.high));
        CHECK(said["run"]["cost_low_usd"].get<double>() ==
              Approx(said["run"]["cost_usd"].get<double>() * band.low));
    }
    // And it is wider than where both were measured together.
    const Band known = step_band(llama_on("h100-sxm-80gb"), 10);
    const Band unknown = step_band(llama_on("rtx-4090"), 10);
    CHECK(unknown.high > known.high);
    CHECK(unknown.low < known.low);
}

TEST_CASE("a run does not fit only where the whole range of its memory lies above the capacity")
{
    MemoryReport memory;
    memory.stages.resize(1);
    memory.capacity = Bytes(100.0);
    memory.low = 0.9;
    const auto verdict = [&](double bytes)
    {
        memory.stages[0].parts[0] = Bytes(bytes);
        return memory.verdict();
    };
    CHECK(verdict(92) == MemoryVerdict::fits);
    CHECK(verdict(105) == MemoryVerdict::tight); // 94.5 at the least
    CHECK(verdict(112) == MemoryVerdict::no);
    const MemoryReport real = memory_report(llama_on("h100-sxm-80gb"));
    CHECK(real.low < 1);
    CHECK(real.high > 1);
}

TEST_CASE("bands.json is read as it is written, and refused where a factor is none")
{
    const Presets& presets = test::presets();
    REQUIRE(presets.evidence != nullptr);
    json document = to_json(*presets.evidence);
    const auto read = bands_from_json(document);
    REQUIRE(read);
    CHECK(json(to_json(*read)) == document);
    document["step"]["low"] = -1;
    document["step"]["kinds"][0].erase("gpu");
    const auto refused = bands_from_json(document);
    REQUIRE_FALSE(refused);
    CHECK(refused.issues().size() == 2);
}
