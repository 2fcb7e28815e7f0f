// The lab's demonstrations on a smaller model: each turns out as its explanation says.
#include "tests/core/lab/trainer_support.h"
#include "tests/source_path.h"

#include "core/lab/demos.h"
#include "core/lab/trainer/run.h"

#include <catch2/catch_test_macros.hpp>

#include <fstream>
#include <map>
#include <sstream>

using namespace ringside;
using namespace ringside::test;

namespace
{

TrainerConfig base_of(bool small)
{
    TrainerConfig c = default_trainer_config();
    std::ostringstream out;
    out << std::ifstream(test::source_path("assets/texts/genesis.txt")).rdbuf();
    c.data.text = std::make_shared<const std::string>(out.str());
    if (small)
    {
        c.model.hidden = 32;
        c.model.heads = 2;
        c.training.sequence_length = 32;
    }
    return c;
}

std::vector<TrainingSnapshot> run_all(const LabDemo& demo, const TrainerConfig& base)
{
    std::vector<TrainingSnapshot> runs;
    for (const LabRunPlan& plan : demo.runs(base))
    {
        trainer::RunSettings settings;
        settings.last_step = plan.steps;
        settings.plan = plan.plan;
        settings.exponents_every = 0;
        trainer::TrainingRun run(
            plan.config, [] { return std::make_unique<trainer::CpuBackend>(1); }, settings);
        REQUIRE(run.wait_until_idle(120));
        runs.push_back(*run.snapshot());
    }
    return runs;
}

const LabDemo& demo_of(std::string_view id)
{
    for (const LabDemo& demo : lab_demos())
    {
        if (demo.id == id)
        {
            return demo;
        }
    }
    throw std::runtime_error("no such demonstration");
}

} // namespace

TEST_CASE("every demonstration has a key, a question, three answers and configurations that can be trained")
{
    std::map<std::string_view, int> keys;
    for (const LabDemo& demo : lab_demos())
    {
        INFO(demo.id);
        CHECK(++keys[demo.key] == 1);
        CHECK(demo.key != "F5");
        CHECK(demo.question.ends_with('?'));
        CHECK(!demo.does.empty());
        for (const std::string_view answer : demo.answers)
        {
            CHECK(!answer.empty());
        }
        const auto runs = demo.runs(base_of(false));
        CHECK((runs.size() == 1 || runs.size() == 2));
        for (const LabRunPlan& run : runs)
        {
            const auto ready = prepared(run.config);
            INFO(run.name);
            CHECK(ready);
            CHECK(run.steps > 0);
        }
        const TrainingSnapshot nothing;
        CHECK(!demo.find({&nothing, 1}).text.empty()); // ended before its first step
    }
    CHECK(keys.size() == 8);
}

TEST_CASE("demonstrations turn out as they explain")
{
    const std::map<std::string_view, std::size_t> expected{{"no-master", 1},    {"overflow", 0},
                                                           {"no-warmup", 0},    {"poison", 0},
                                                           {"no-optimizer", 0}, {"no-rng", 0}};
    for (const auto& [id, answer] : expected)
    {
        const LabDemo& demo = demo_of(id);
        const auto runs = run_all(demo, base_of(true));
        const DemoFinding finding = demo.find(runs);
        INFO(id << ": " << finding.text);
        CHECK(finding.answer == answer);
        CHECK(finding.text.find("nan") == std::string::npos);
    }
}

TEST_CASE("a flipped bit is hunted to the first tensor that is not finite, and every later step is skipped")
{
    const auto runs = run_all(demo_of("nan"), base_of(true));
    CHECK(runs[0].skipped == 20);
    CHECK(runs[0].first_bad != "");
    CHECK(runs[0].first_bad_step == 82);
    CHECK(runs[0].step == 100);
}

TEST_CASE("twice the batch again and again ends at the budget, where the engine said it would")
{
    const LabDemo& demo = demo_of("oom");
    const auto runs = run_all(demo, base_of(false));
    REQUIRE(runs[0].state == RunState::failed);
    TrainerConfig last = runs[0].config;
    CHECK(predicted_memory(last).total().value > static_cast<double>(last.memory_budget));
    last.training.micro_batch = last.training.global_batch = last.training.micro_batch / 2;
    CHECK(predicted_memory(last).total().value < static_cast<double>(last.memory_budget));
    CHECK(demo.find(runs).answer == 1);
}

TEST_CASE("what was turned is named as a user reads it")
{
    const TrainerConfig now = base_of(true);
    TrainerConfig next = now;
    next.recipe.learning_rate = 0.0006;
    next.recipe.clip = 0.5;
    next.recipe.dynamic_scale = false;
    next.training.micro_batch = 4;
    next.training.recompute = Recompute::full;
    const auto changes = knob_changes(now, next, 12);
    const std::vector<KnobChange> expected{
        {12, "learning rate", "0.004", "0.0006"}, {12, "clip", "1", "0.5"},
        {12, "dynamic scale", "on", "off"},       {12, "micro-batch", "8", "4"},
        {12, "accumulation", "1", "2"},           {12, "recompute", "none", "full"}};
    CHECK(changes == expected);
    CHECK(knob_changes(now, now, 3).empty());
}
