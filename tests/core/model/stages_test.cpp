#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/model/stages.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <numeric>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

// Four stages of a model of 16 layers, eight micro-batches.
Scenario four_stages(const char* schedule_id = "1f1b")
{
    Scenario s = test::scenario(R"({"model": "llama-3.2-1b", "cluster": {"gpus": 4, "gpus_per_node": 4},
                                    "parallel": {"pipeline": 4}, "training": {"global_batch": 8}})");
    s.training.schedule = schedule(schedule_id);
    s.stage_times = PipelineTimes{};
    REQUIRE(s.model.layers == 16);
    return s;
}

std::vector<double> forwards(const Costs& costs)
{
    std::vector<double> found;
    for (const StageCost& cost : costs.stages)
    {
        found.push_back(cost.forward);
    }
    return found;
}

// Stages alike in layers, so that what is kept is the same in layers as in micro-batches.
bool even(const Scenario& s)
{
    const auto stages = virtual_stages(s.training.schedule, pipeline_shape(s));
    return s.parallel.stage_layers.empty() && s.model.layers % stages == 0;
}

} // namespace

TEST_CASE("hand-worked: stages cost by their layers, with the embedding and the head as layers more")
{
    Scenario s = four_stages();
    s.parallel.stage_layers = {2, 4, 6, 4};
    s.stage_times.forward = 2;
    s.stage_times.backward_input = 3;
    s.stage_times.backward_weight = 1;
    s.stage_times.recompute = 1;
    s.stage_times.transfer = 0.25;
    s.stage_times.blocking = true;
    s.stage_times.embedding = 1;
    s.stage_times.head = 2;
    // An even stage is 4 layers: 3 / 4, 4 / 4, 6 / 4 and 6 / 4 of one.
    const Costs costs = stage_costs(s);
    CHECK(forwards(costs) == std::vector<double>{1.5, 2, 3, 3});
    CHECK(costs.stages[0].backward_input == 3);
    CHECK(costs.stages[0].backward_weight == 0.75);
    CHECK(costs.stages[2].backward_input == 6);
    CHECK(costs.transfer == 0.25);
    CHECK(costs.blocking);
}

TEST_CASE("hand-worked: chunks of even stages share their time, and only the ends carry embedding and head")
{
    Scenario s = four_stages("interleaved");
    s.parallel.chunks = 2;
    // Eight virtual stages of two layers: half a stage each.
    CHECK(forwards(stage_costs(s)) == std::vector<double>(8, 0.5));
    s.stage_times.embedding = 1;
    s.stage_times.head = 3;
    auto expected = std::vector<double>(8, 0.5);
    expected.front() = 0.75;
    expected.back() = 1.25;
    CHECK(forwards(stage_costs(s)) == expected);
    // Another schedule of the same stages; DualPipe's four stages are met from both ends.
    CHECK(forwards(stage_costs(s, schedule("1f1b"), 1)) == std::vector<double>{1.25, 1, 1, 1.75});
    CHECK(forwards(stage_costs(s, schedule("dualpipe"), 1)) == std::vector<double>{1.25, 1, 1, 1.75});
}

TEST_CASE("hand-worked: a head of a whole stage makes the last stage twice as slow and 1F1B wait for it")
{
    Scenario s = four_stages();
    s.stage_times.head = 4;
    // Three units of forwards, eight times two threes on the last stage, nine less three units of backwards.
    const auto report = pipeline_report(s);
    REQUIRE(report);
    CHECK(report->timeline.makespan == 3 + 8 * 6 + 3 * 2);
    CHECK(report->timeline.bubble_over_ideal() == Approx(9.0 / 48));
    CHECK_FALSE(closed_bubble(s));
}

TEST_CASE("hand-worked: the times of Llama 2 7B at 4096 tokens are those of its products and its attention")
{
    // Per layer and token, in 2^20 FLOPs: g = 2 (4 x 4096^2 + 3 x 4096 x 11008) = 386, a = 4 x 4096 x 4096 =
    // 64; the head 2 x 32000 x 4096 = 250.
    Scenario s = test::scenario(
        R"({"model": "llama-2-7b", "training": {"sequence_length": 4096, "recompute": "none"}})");
    s.stage_times.transfer = 0.125;
    s.stage_times.pair = 0.75;
    PipelineTimes t = times_of_model(s);
    CHECK(t.forward == 1);
    CHECK(t.backward_input == Approx((386.0 + 2 * 64) / 450));
    CHECK(t.backward_weight == Approx(386.0 / 450));
    CHECK(t.recompute == 0);
    CHECK(t.embedding == 0);
    CHECK(t.head == Approx(250.0 / 450));
    // What is not of the model stays.
    CHECK(t.transfer == 0.125);
    CHECK(t.pair == 0.75);
    s.training.recompute = Recompute::selective;
    CHECK(times_of_model(s).recompute == Approx(64.0 / 450));
    s.training.recompute = Recompute::full;
    CHECK(times_of_model(s).recompute == Approx(1));
}

TEST_CASE("a model's backward takes two forwards, whatever its attention")
{
    for (const auto& preset : test::presets().models)
    {
        Scenario s = test::scenario("{}");
        s.model = preset.model;
        const PipelineTimes t = times_of_model(s);
        INFO(preset.model.name);
        CHECK(t.backward_input + t.backward_weight == Approx(2));
        CHECK(t.backward_weight <= 1);
    }
}

TEST_CASE(
    "hand-worked: 1F1B of four stages and eight micro-batches is 3 / 8 over ideal and 3 / 11 of the total")
{
    const Scenario s = four_stages();
    REQUIRE(closed_bubble(s));
    CHECK(closed_bubble(s)->over_ideal == Approx(3.0 / 8));
    CHECK(closed_bubble(s)->of_total == Approx(3.0 / 11));
    CHECK(pipeline_report(s)->timeline.bubble_of_total() == Approx(3.0 / 11));
    Scenario slow = s;
    slow.stage_times.transfer = 0.5;
    CHECK_FALSE(closed_bubble(slow));
    Scenario uneven = s;
    uneven.parallel.stage_layers = {3, 5, 4, 4};
    CHECK_FALSE(closed_bubble(uneven));
    Scenario alone = s;
    alone.parallel.pipeline = 1;
    CHECK(closed_bubble(alone)->over_ideal == 0);
}

TEST_CASE("where there is a closed form of the bubble, the simulation gives the same")
{
    test::ScenarioSource source(62);
    std::set<std::string_view> compared;
    for (int round = 0; round < 1500; ++round)
    {
        Scenario s = source.next();
        s.stage_times.transfer = 0;
        s.stage_times.embedding = 0;
        s.stage_times.head = 0;
        s.stage_times.pair = 1;
        const auto closed = closed_bubble(s);
        if (!closed || s.parallel.pipeline == 1)
        {
            continue;
        }
        const auto report = pipeline_report(s);
        REQUIRE(report);
        const ScheduleShape shape = pipeline_shape(s);
        const PipelineTimes& t = s.stage_times;
        INFO(s.training.schedule->id << " p " << shape.stages << " m " << shape.micro_batches << " v "
                                     << shape.chunks << " F " << t.forward << " I " << t.backward_input
                                     << " W " << t.backward_weight << " again " << t.recompute);
        CHECK(closed->over_ideal == Approx(report->timeline.bubble_over_ideal()).margin(1e-9));
        CHECK(closed->of_total == Approx(report->timeline.bubble_of_total()).margin(1e-9));
        compared.insert(s.training.schedule->id);
    }
    for (const char* id : {"naive", "gpipe", "1f1b", "interleaved", "looped-bfs"})
    {
        INFO(id);
        CHECK(compared.contains(id));
    }
}

TEST_CASE(
    "what memory counts as kept is what the simulation keeps, for every random scenario with even stages")
{
    test::ScenarioSource source(63);
    std::set<std::string_view> compared;
    for (int round = 0; round < 1500; ++round)
    {
        const Scenario s = source.next();
        if (!even(s))
        {
            continue;
        }
        const auto report = evaluate(s);
        if (!report)
        {
            continue;
        }
        const auto& peaks = report->pipeline->timeline.peak_in_flight;
        const auto kept = kept_at_peak(s);
        const ScheduleShape shape = pipeline_shape(s);
        REQUIRE(kept.size() == peaks.size());
        for (std::size_t rank = 0; rank < peaks.size(); ++rank)
        {
            INFO(s.training.schedule->id << " p " << shape.stages << " m " << shape.micro_batches << " v "
                                         << shape.chunks << " rank " << rank);
            CHECK(std::accumulate(kept[rank].begin(), kept[rank].end(), std::int64_t{0}) == peaks[rank]);
            CHECK(report->memory.stages[rank].in_flight == peaks[rank]);
            CHECK(report->memory.stages[rank].kept == kept[rank]);
        }
        compared.insert(s.training.schedule->id);
    }
    CHECK(compared.size() == schedules().size());
}

TEST_CASE("a scenario's own schedule is its own alternative, and others take its stages and micro-batches")
{
    test::ScenarioSource source(64);
    for (int round = 0; round < 80; ++round)
    {
        const Scenario s = source.next();
        const auto report = pipeline_report(s);
        REQUIRE(report);
        const auto own = alternative(s, s.training.schedule);
        REQUIRE(own);
        CHECK(own->shape == report->shape);
        CHECK(own->timeline.makespan == report->timeline.makespan);
        for (const ScheduleKind kind : schedules())
        {
            const auto other = alternative(s, kind);
            INFO(s.training.schedule->id << " as " << kind->id);
            if (!other)
            {
                CHECK_FALSE(other.issues().front().hint.empty());
                continue;
            }
            CHECK(other->kind == kind);
            CHECK(other->shape.stages == report->shape.stages);
            CHECK(other->shape.micro_batches == report->shape.micro_batches);
            // The work is the same however it is ordered, unless pairs take less; so is that of the embedding
            // and the head, except where it is run a second time from the other end.
            if (s.stage_times.pair == 1)
            {
                const auto total = [](const Timeline& t)
                { return std::accumulate(t.busy.begin(), t.busy.end(), 0.0); };
                CHECK(total(other->timeline) == Approx(total(report->timeline)));
            }
        }
    }
}
