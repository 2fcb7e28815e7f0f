// Multi-token prediction: a layer behind the last, its projection, and the output projection once more.
#include "tests/core/support.h"

#include "core/memory/memory.h"
#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/performance/step_time.h"
#include "core/planner/launch/launch.h"
#include "core/scenario/stage_layers.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario toy(std::int64_t layers, std::int64_t further, std::int64_t pipeline = 1)
{
    Scenario s = test::scenario(R"({
        "model": {"layers": 4, "hidden": 64, "ffn": 256, "heads": 4, "vocab": 512, "norm": "rmsnorm",
                  "tied_embeddings": false, "positions": "rope"},
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
        "training": {"sequence_length": 128, "micro_batch": 1, "global_batch": 32}})");
    s.model.layers = layers;
    s.model.mtp_layers = further;
    s.parallel.pipeline = pipeline;
    return s;
}

} // namespace

TEST_CASE("the prediction module of DeepSeek-V3 has the 11.5 billion parameters that its authors count")
{
    Scenario s = test::scenario(R"({"model": "deepseek-v3"})");
    const std::int64_t without = count_parameters(s.model).total;
    s.model.mtp_layers = 1;
    // README_WEIGHTS.md of deepseek-ai/DeepSeek-V3: without the shared embedding and output head.
    CHECK(static_cast<double>(count_parameters(s.model).total - without) == Approx(11.5e9).epsilon(0.01));
}

TEST_CASE(
    "a prediction layer is a block, three norms, a projection of 2 h to h and one more output projection")
{
    const Scenario with = toy(4, 1);
    const Scenario deeper = toy(5, 0);
    CHECK(count_parameters(with.model).total - count_parameters(deeper.model).total == 3 * 64 + 2 * 64 * 64);
    const auto forward = [](const Scenario& s) { return compute_report(s).forward_token.value; };
    CHECK(forward(with) - forward(deeper) == Approx(2.0 * 512 * 64 + 2.0 * 2 * 64 * 64));
    const auto logits = [](const Scenario& s) { return memory_report(s).worst().logits_bytes.value; };
    CHECK(logits(with) == 2 * logits(deeper));
    CHECK(step_time(with).total() > step_time(deeper).total());
}

TEST_CASE("the last stage has the prediction layers, whatever the others hold")
{
    const Scenario s = toy(4, 1, 2);
    CHECK(layers_of_stage(s.model, s.parallel, 2, 0) == 2);
    CHECK(layers_of_stage(s.model, s.parallel, 2, 1) == 3);
    CHECK_FALSE(even_stages(s.model, s.parallel, 2));
    CHECK(uneven_layers(s).empty()); // as Megatron-LM lists decoder layers
    const MemoryReport memory = memory_report(s);
    const MemoryReport without = memory_report(toy(4, 0, 2));
    CHECK(memory.stages[0].total() == without.stages[0].total());
    CHECK(memory.stages[1].layers == 3);
    const std::int64_t embedding = 512 * 64; // of its own, for the first stage is another GPU's
    CHECK(memory.stages[1].parameters == without.stages[1].parameters + count_parameters(s.model).total -
                                             count_parameters(toy(4, 0).model).total + embedding);
    // Fewer decoder layers before it even the stages out.
    Scenario even = toy(5, 1, 2);
    even.parallel.stage_layers = {3, 2};
    CHECK(layers_of_stage(even.model, even.parallel, 2, 1) == 3);
}
