// The waterfall's rows: exact sums under every convention, utilization at the end, and what a second is lost
// to.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/performance/waterfall.h"
#include "core/scenario/fields.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <numeric>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr std::array kNumerators{Numerator::parameters, Numerator::full, Numerator::causal,
                                 Numerator::hardware};
constexpr std::array kPeaks{PeakKind::dense, PeakKind::sparse};

const WaterfallRow* find(const std::vector<WaterfallRow>& rows, RowKind kind, Slice slice)
{
    const auto at = std::find_if(rows.begin(), rows.end(),
                                 [&](const WaterfallRow& r) { return r.kind == kind && r.slice == slice; });
    return at == rows.end() ? nullptr : &*at;
}

} // namespace

TEST_CASE("a waterfall worked by hand: 6N counts the embedding, attention and everything after is lost")
{
    StepTime step;
    step.peak_flops = 100;
    step.parameter_flops = 120; // with 20 of an embedding that is looked up
    step.model_flops = 140;     // products 100, scores 40
    step.causal_flops = 120;
    step.hardware_flops = 150;
    step.compute = 2;
    step.bubble = 0.5;
    step.slices[static_cast<std::size_t>(Slice::model)] = 1;
    step.slices[static_cast<std::size_t>(Slice::attention)] = 0.25;
    step.slices[static_cast<std::size_t>(Slice::below_peak)] = 0.75;
    step.slices[static_cast<std::size_t>(Slice::bubble)] = 0.5;
    const auto six = waterfall(step, Numerator::parameters, PeakKind::dense);
    REQUIRE(six.size() == 5);
    CHECK(six[0].seconds == Approx(1.2));
    CHECK(six[1].kind == RowKind::miscount);
    CHECK(six[1].seconds == Approx(-0.2));
    CHECK(six[1].left == Approx(1.2));
    CHECK(six[2].slice == Slice::attention);
    CHECK(six[2].kind == RowKind::lost);
    CHECK(six[2].left == Approx(1.2 / 1.25));
    CHECK(six.back().left == Approx(0.48));
    const auto full = waterfall(step, Numerator::full, PeakKind::dense);
    CHECK(find(full, RowKind::useful, Slice::attention)->seconds == Approx(0.4));
    CHECK(find(full, RowKind::miscount, Slice::model)->seconds == Approx(-0.15));
    const auto causal = waterfall(step, Numerator::causal, PeakKind::dense);
    CHECK(find(causal, RowKind::miscount, Slice::model)->seconds == Approx(0.05));
    const auto sparse = waterfall(step, Numerator::full, PeakKind::sparse);
    CHECK(sparse[0].seconds == Approx(0.5));
    CHECK(find(sparse, RowKind::sparsity, Slice::model)->seconds == Approx(0.7));
    CHECK(sparse.back().left == Approx(0.28));
}

TEST_CASE("the rows of every convention add up to the step exactly, and end at its utilization")
{
    test::ScenarioSource source(71);
    for (int i = 0; i < 600; ++i)
    {
        const Scenario s = source.next();
        const StepTime step = step_time(s);
        for (const Numerator numerator : kNumerators)
        {
            for (const PeakKind peak : kPeaks)
            {
                const auto rows = waterfall(step, numerator, peak);
                double sum = 0;
                for (const WaterfallRow& row : rows)
                {
                    REQUIRE(row.from == sum);
                    REQUIRE((row.seconds >= 0 || row.kind == RowKind::miscount));
                    sum += row.seconds;
                }
                REQUIRE(sum == step.total());
                const double share = utilization(step, numerator, peak);
                CHECK(rows.back().left == Approx(share).epsilon(1e-9));
                double useful = 0;
                for (const WaterfallRow& row : rows)
                {
                    useful += row.kind == RowKind::useful ? row.seconds : 0;
                }
                // Parts are whole multiples of some 2^-44 of the step.
                CHECK(useful == Approx(share * step.total()).epsilon(1e-9).margin(2e-12 * step.total()));
            }
        }
    }
}

TEST_CASE("what limits the step is its largest loss, and losses with the arithmetic make up the step")
{
    test::ScenarioSource source(72);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        const StepTime step = step_time(s);
        const auto by = losses(s, step);
        const double lost = std::accumulate(by.begin(), by.end(), 0.0);
        CHECK(lost + step.of(Slice::model) + step.of(Slice::attention) == Approx(step.total()));
        CHECK(by[static_cast<std::size_t>(limit_of(s, step))] == *std::max_element(by.begin(), by.end()));
        CHECK(kernel_efficiency(step) > 0);
        CHECK(kernel_efficiency(step) <= 1);
    }
}

TEST_CASE("traffic of a group that fits a node stays on the node's links")
{
    Scenario s = test::presets().scenario("default")->scenario;
    REQUIRE(s.parallel.tensor == 8);
    CHECK_FALSE(leaves_node(s, Slice::tensor));
    CHECK(leaves_node(s, Slice::data));
    CHECK(leaves_node(s, Slice::pipeline));
    CHECK_FALSE(leaves_node(s, Slice::bubble));
    s.cluster.gpus_per_node = 4;
    CHECK(leaves_node(s, Slice::tensor));
}

TEST_CASE("every slice has words, a formula and constants that exist")
{
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        const SliceNote note = note_of(static_cast<Slice>(i));
        CHECK(!note.says.empty());
        CHECK(!note.formula.empty());
        CHECK(!note.source.empty());
        for (const std::string_view name : note.constants)
        {
            const auto fields = fields_of(Calibration{});
            CHECK(std::any_of(fields.begin(), fields.end(),
                              [&](const Field<Calibration>& f) { return f.name == name; }));
        }
    }
}
