// The measured runs that ship: read, and shown by the Accuracy view source by source.
#include "tests/core/support.h"

#include "app/files/measured_file.h"
#include "app/session/set_up.h"
#include "core/evaluate/bands.h"
#include "core/evaluate/own_software.h"
#include "core/memory/memory.h"
#include "core/planner/search/told_apart.h"
#include "ui/shell/frame/measured_frame.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ringside;
using Catch::Approx;

TEST_CASE("every source of measured runs has a title, a place where it is published, and runs")
{
    const Presets& presets = test::presets();
    const auto sets = measured_sources(test::source_path("assets"), presets);
    REQUIRE(sets);
    CHECK(sets->size() >= 12);
    for (const MeasuredSet& set : *sets)
    {
        INFO(set.name);
        CHECK(set.title != set.name);
        CHECK_FALSE(set.source.empty());
        CHECK_FALSE(set.rows.empty());
    }
}

TEST_CASE("no measured run that ran is said not to fit, but for those whose memory no scenario can say")
{
    // XLA keeps other activations than any of our recomputations, or fewer states than the row says.
    const std::set<std::string> left_out{"70B v6e-32 b2",
                                         "70B v6e-64 b2",
                                         "70B v6e-128 b4",
                                         "70B v6e-256 b5",
                                         "GPT-3 175B v6e-256 b3",
                                         "70B v7 64 s8192 bf16",
                                         "70B v7 64 s8192 fp8",
                                         "70B v7 256 s8192 bf16",
                                         "70B v7 256 s8192 fp8",
                                         "70B v7 256 s131072 c8 bf16",
                                         "70B v7 256 s131072 c8 fp8"};
    const auto sets = measured_sources(test::source_path("assets"), test::presets());
    REQUIRE(sets);
    for (const MeasuredSet& set : *sets)
    {
        for (const MeasuredRow& row : set.rows)
        {
            INFO(set.name << ": " << row.name);
            CHECK((memory_report(row.scenario).verdict() == MemoryVerdict::no) ==
                  left_out.contains(row.name));
        }
    }
}

TEST_CASE("a session computes one source of measured runs each time it is asked, until all are there")
{
    const Presets& presets = test::presets();
    Session session(presets, default_scenario(presets));
    CHECK(session.frame(0).accuracy == nullptr);
    set_up_measured(session, test::source_path("assets"), presets);
    for (int i = 0; i < 3; ++i)
    {
        session.apply(Command::next_accuracy);
        REQUIRE(session.frame(0).accuracy != nullptr);
        CHECK(session.frame(0).accuracy->sources.size() == static_cast<std::size_t>(i + 1));
        CHECK_FALSE(session.frame(0).accuracy->done());
    }
    Session bare(presets, default_scenario(presets));
    bare.apply(Command::next_accuracy);
    CHECK(bare.frame(0).accuracy->done());
    CHECK(bare.frame(0).accuracy->issues.size() == 1);
}

TEST_CASE("the bands that ship are those the measured rows give, and hold 75 to 85% of sources left out")
{
    const Presets& presets = test::presets();
    REQUIRE(presets.evidence != nullptr);
    const auto sets = measured_sources(test::source_path("assets"), presets);
    const auto peaks = measured_peaks(test::source_path("assets"), presets);
    REQUIRE(sets);
    REQUIRE(peaks);
    std::vector<SourceAccuracy> sources;
    for (std::size_t i = 0; i < sets->size(); ++i)
    {
        sources.push_back(source_accuracy(*sets, i, presets));
    }
    const BandTable made = band_table(sources, *sets, *peaks, presets);
    const auto same = [](const BandRule& a, const BandRule& b)
    {
        CHECK(a.low == Approx(b.low).epsilon(0.01));
        CHECK(a.high == Approx(b.high).epsilon(0.01));
        CHECK(a.widening == Approx(b.widening));
        CHECK(a.rows == b.rows);
        CHECK(a.kinds.size() == b.kinds.size());
    };
    INFO("ringside bench accuracy --bands assets/evidence/bands.json");
    same(presets.evidence->step, made.step);
    same(presets.evidence->memory, made.memory);
    CHECK(presets.evidence->next_low == Approx(made.next_low).epsilon(0.01));
    CHECK(presets.evidence->next_high == Approx(made.next_high).epsilon(0.01));
    for (const auto& [source, errors] : made.left_out)
    {
        INFO(source);
        const auto shipped = presets.evidence->left_out.find(source);
        REQUIRE(shipped != presets.evidence->left_out.end());
        REQUIRE(shipped->second.size() == errors.size());
        for (std::size_t i = 0; i < errors.size(); ++i)
        {
            CHECK(shipped->second[i] == Approx(errors[i]).margin(0.02));
        }
    }
    for (const BandRule* rule : {&made.step, &made.memory})
    {
        CHECK(rule->coverage >= 0.75);
        CHECK(rule->coverage <= 0.85);
    }
    CHECK(kToldApart == Approx(spread_in_groups(sources)).margin(0.02));
}

TEST_CASE(
    "after three steps of a run the next lies within 5% in runs of five sources, and in the middle of all")
{
    const auto sets = measured_sources(test::source_path("assets"), test::presets());
    REQUIRE(sets);
    const std::vector<RunCheck> runs = check_runs(*sets, test::presets());
    REQUIRE(runs.size() >= 10);
    std::set<std::string> close;
    std::vector<double> means;
    for (const RunCheck& run : runs)
    {
        double sum = 0;
        for (const double ratio : run.ratios)
        {
            sum += std::abs(1 / ratio - 1) / static_cast<double>(run.ratios.size());
        }
        means.push_back(sum);
        if (sum < 0.05)
        {
            close.insert(run.source);
        }
    }
    CHECK(close.size() >= 5);
    std::sort(means.begin(), means.end());
    CHECK(means[means.size() / 2] < 0.0505); // 5.0%
}
