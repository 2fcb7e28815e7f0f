// The textbook's way to a layout: who needs what, by hand for well-known sizes, and that it always ends.
#include "tests/core/support.h"

#include "core/memory/memory.h"
#include "core/planner/decision_tree.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

DecisionWalk walk(const std::string& text)
{
    return decide(test::scenario(text));
}

} // namespace

TEST_CASE("GPT-2 on one GPU fits, and the walk ends with the first question about memory")
{
    const DecisionWalk w = walk(R"({"model": "gpt-2-124m", "cluster": {"gpus": 1},
                                    "training": {"global_batch": 8, "sequence_length": 1024}})");
    REQUIRE(w.legal);
    CHECK(w.fits);
    CHECK(w.decisions.front().answer);
    CHECK(w.scenario.parallel.tensor == 1);
    CHECK(w.scenario.parallel.zero == 0);
}

TEST_CASE("GPT-2 on eight GPUs is copied: plain data parallelism")
{
    const DecisionWalk w = walk(R"({"model": "gpt-2-1.5b", "cluster": {"gpus": 8},
                                    "training": {"global_batch": 64, "sequence_length": 1024}})");
    REQUIRE(w.fits);
    CHECK(w.scenario.parallel.zero == 0);
    CHECK(data_parallel(w.scenario) == 8);
}

TEST_CASE("Llama 3.1 8B on eight GPUs shares out optimizer and gradients: 16 bytes per parameter are 128 GB")
{
    const DecisionWalk w = walk(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8},
                                    "training": {"global_batch": 64}})");
    REQUIRE(w.fits);
    CHECK(!w.decisions[0].answer);
    CHECK(w.decisions[0].bytes > 16 * 8.0e9);
    CHECK(w.decisions[2].answer);
    CHECK(w.scenario.parallel.zero == 2);
    CHECK(w.scenario.parallel.tensor == 1);
}

TEST_CASE("Llama 3.1 70B on 256 GPUs is cut inside the node")
{
    const DecisionWalk w =
        walk(R"({"model": "llama-3.1-70b", "cluster": {"gpus": 256}, "training": {"global_batch": 128}})");
    REQUIRE(w.fits);
    CHECK(w.scenario.parallel.tensor == 8);
    CHECK(w.scenario.parallel.zero == 1);
}

TEST_CASE("Llama 3.1 405B on 4,096 GPUs needs stages too, and on eight nothing is enough")
{
    const DecisionWalk many =
        walk(R"({"model": "llama-3.1-405b", "cluster": {"gpus": 4096}, "training": {"global_batch": 2048}})");
    REQUIRE(many.fits);
    CHECK(many.scenario.parallel.tensor == 8);
    CHECK(many.scenario.parallel.pipeline > 1);
    const DecisionWalk few =
        walk(R"({"model": "llama-3.1-405b", "cluster": {"gpus": 8}, "training": {"global_batch": 64}})");
    CHECK(!few.fits);
    CHECK(few.scenario.training.recompute == Recompute::full);
    CHECK(!few.decisions.back().answer);
}

TEST_CASE("a long sequence asks for context parallelism, experts for expert parallelism")
{
    const DecisionWalk sequence = walk(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 64},
        "training": {"global_batch": 16, "sequence_length": 131072}})");
    CHECK(sequence.scenario.parallel.context > 1);
    const DecisionWalk experts = walk(R"({"model": "mixtral-8x7b", "cluster": {"gpus": 64},
        "training": {"global_batch": 128, "sequence_length": 4096}})");
    CHECK(experts.scenario.parallel.expert > 1);
}

TEST_CASE("a legal walk is valid, its memory that of the report, and it asks each question once")
{
    for (const ModelPreset& model : test::presets().models)
    {
        for (const std::int64_t gpus : {1, 8, 64, 512, 4096})
        {
            INFO(model.model.preset << " on " << gpus);
            Scenario s = test::scenario(R"({"model": "gpt-2-124m"})");
            s.model = resolved(model.model);
            s.cluster.gpus = gpus;
            s.training.global_batch = 4096;
            s.training.sequence_length = 1024;
            if (has_errors(validate(s)))
            {
                continue;
            }
            const DecisionWalk w = decide(s);
            CHECK(w.decisions.size() >= 3);
            CHECK(w.decisions.size() <= 10);
            CHECK(w.scenario.cluster.gpus == gpus);
            if (w.legal)
            {
                REQUIRE(!has_errors(validate(w.scenario)));
                CHECK(w.bytes == Catch::Approx(memory_report(w.scenario).worst().total().value));
                CHECK(w.fits == memory_report(w.scenario).fits());
                CHECK(w.seconds > 0);
            }
        }
    }
}

TEST_CASE("the levels of scaling follow from the number of GPUs")
{
    Scenario s;
    for (const auto& [gpus, level] :
         {std::pair{1, 1}, {2, 2}, {8, 2}, {16, 3}, {64, 3}, {256, 4}, {512, 4}, {1024, 5}})
    {
        s.cluster.gpus = gpus;
        CHECK(level_of(s) == level);
    }
    CHECK(level_gpus(5) == "over 512 GPUs");
}

TEST_CASE("the largest gain of one step over another is named")
{
    StepTime from;
    from.compute = 2;
    from.bubble = 1;
    StepTime to = from;
    to.compute = 1.9;
    to.bubble = 0.25;
    const StepGain gain = largest_gain(from, to);
    CHECK(gain.part == "the bubble");
    CHECK(gain.from == 1.0);
    CHECK(gain.to == 0.25);
}
