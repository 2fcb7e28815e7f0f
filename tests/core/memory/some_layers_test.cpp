// Recomputation of some layers, or of every second product; sharding within groups of replicas.
#include "tests/core/support.h"

#include "core/memory/activations/tensors.h"
#include "core/model/attention.h"
#include "core/model/compute.h"
#include "core/network/traffic.h"
#include "core/performance/step_time.h"
#include "core/scenario/stage_layers.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario llama(std::string_view model, std::int64_t gpus)
{
    Scenario s = test::on_gpus(model, "h100-sxm-80gb", gpus);
    s.parallel.zero = 3;
    s.training.global_batch = 2 * gpus;
    s.training.recompute = Recompute::full;
    return s;
}

double activations(const Scenario& s)
{
    return memory_report(s).stages.front().of(Component::activations).value;
}

} // namespace

TEST_CASE("of a stage's layers the first n are recomputed, the others keep everything")
{
    Scenario s = llama("llama-3.1-8b", 8);
    const double all = activations(s);
    const double input = layer_activations(s.model, s.training, s.parallel, false, Recompute::full);
    const double whole = layer_activations(s.model, s.training, s.parallel, false, Recompute::none);
    s.training.recompute_layers = 12;
    CHECK(activations(s) == all + 20 * (whole - input));
    CHECK(recomputed_share(s) == 12.0 / 32);
    const ComputeReport c = compute_report(s);
    CHECK(c.again_token.value == Approx(12.0 / 32 * (c.products_token + c.attention_token).value));

    // As many as there are is what 0 says.
    const double full = step_time(llama("llama-3.1-8b", 8)).total();
    s.training.recompute_layers = 32;
    CHECK(activations(s) == all);
    CHECK(step_time(s).total() == full);
    s.training.recompute_layers = 100;
    CHECK(activations(s) == all);

    // The step lies between, and grows with every layer.
    s.training.recompute = Recompute::none;
    s.training.recompute_layers = 0;
    double before = step_time(s).total();
    s.training.recompute = Recompute::full;
    for (const std::int64_t n : {1, 8, 16, 31})
    {
        s.training.recompute_layers = n;
        const double now = step_time(s).total();
        CHECK(now > before);
        CHECK(now < full);
        before = now;
    }
}

TEST_CASE("of some layers each stage recomputes its own, whatever kind they are")
{
    Scenario s = llama("deepseek-v3", 256); // 61 layers, the first 3 dense
    s.parallel.pipeline = 4;
    s.parallel.zero = 1;
    s.parallel.expert = 8;
    s.training.recompute_layers = 4;
    REQUIRE_FALSE(has_errors(validate(s)));
    const auto of_kind = [&](bool experts, Recompute r)
    { return layer_activations(s.model, s.training, s.parallel, experts, r); };
    // Stage 0 has layers 0 to 14: three dense and one with experts recomputed, eleven with experts whole.
    LayerRange first{0, 15, 0, 12};
    CHECK(LayerKept(s).of(first) ==
          Approx(3 * of_kind(false, Recompute::full) + of_kind(true, Recompute::full) +
                 11 * of_kind(true, Recompute::none)));
    CHECK(recomputed_share(s) == 16.0 / 61);
    s.training.recompute = Recompute::selective;
    CHECK_FALSE(validate(s).empty()); // a warning: it applies to full alone
    CHECK(recomputed_share(s) == 1);
}

TEST_CASE("alternate recomputation keeps attention's output and that of every second product")
{
    Scenario s = llama("llama-3.1-8b", 8);
    s.training.recompute = Recompute::alternate;
    // Of q, k, v, o, gate, up, down: q, v, gate and down; with the layer's input and attention's output, 2
    // bytes each.
    const double token = 2 * (4096 + 4096 + 1024 + 4096 + 14336 + 4096);
    CHECK(layer_activations(s.model, s.training, s.parallel, false, Recompute::alternate) == token * 4096);
    const double k = 1024;
    const double q = 4096;
    const double f = 14336;
    CHECK(alternate_share(s.model, {false}) == Approx((k + q + f) / (2 * q + 2 * k + 3 * f)));
    const ComputeReport c = compute_report(s);
    CHECK(c.again_token.value == Approx(alternate_share(s.model, {false}) * c.products_token.value));

    const auto seconds = [&](Recompute r)
    {
        Scenario other = s;
        other.training.recompute = r;
        return step_time(other).total();
    };
    CHECK(seconds(Recompute::none) < seconds(Recompute::alternate));
    CHECK(seconds(Recompute::alternate) < seconds(Recompute::full));

    // Latent attention with experts: the parts of the list that are kept are of whole products.
    const Model& v3 = test::presets().model("deepseek-v3")->model;
    for (const ActivationTensor& t : activation_tensors(v3, s.training, s.parallel, true))
    {
        INFO(t.name);
        const bool kept = keeping(t, s.training, Recompute::alternate) == Keeping::kept;
        const bool expected = t.name == "layer input" || t.name == "query latent before norm" ||
                              t.name == "key/value latent before norm" || t.name == "RoPE key" ||
                              t.name == "attention output" || t.name == "MLP norm input";
        CHECK(kept == expected);
    }
    CHECK(alternate_share(v3, {true}) > 0.7); // experts are not kept
}

TEST_CASE("replicas in groups: a group's state is that of so few GPUs, the rest are copies")
{
    Scenario s = llama("llama-3.1-8b", 64);
    const Scenario few = llama("llama-3.1-8b", 8);
    const double all = step_time(s).total();
    s.parallel.shard_group = 64;
    CHECK(step_time(s).total() == all);
    s.parallel.shard_group = 8;
    REQUIRE_FALSE(has_errors(validate(s)));
    CHECK(dense_shards(s) == 8);
    CHECK(memory_report(s).stages.front().total() == memory_report(few).stages.front().total());

    // Gathers stay in the node; copies of an eighth of the gradients travel between nodes: 2 x 7/8 of it for
    // each of two micro-batches, where all 64 exchange 63/64 of everything.
    const double p = 8030261248;
    const double inside = p * 7 / 8 * (2 * 4 + 4 * 2);
    const double across = p / 8 * 2 * 7 / 8 * 2 * 4;
    CHECK(data_traffic(s, memory_report(s)).value == Approx(inside + across));
    s.parallel.shard_group = 24;
    const Issues issues = validate(s);
    REQUIRE(has_errors(issues));
    CHECK(issues.front().hint.find("16") != std::string::npos);
    s.parallel.shard_group = 8;
    s.parallel.zero = 0;
    CHECK_FALSE(has_errors(validate(s)));
    CHECK_FALSE(validate(s).empty());
}

TEST_CASE("layers that look back through a window make fewer scores")
{
    Scenario s = llama("llama-3.1-8b", 8);
    const double all = compute_report(s).attention_token.value;
    const double seconds = step_time(s).total();
    s.model.attention_per_layer = {0};
    CHECK(compute_report(s).attention_token.value == all);
    s.model.attention_per_layer = {4096}; // as long as the sequence
    CHECK(compute_report(s).attention_token.value == all);
    // A window of an eighth: the first eighth of the tokens see 0 to 512 tokens, the others 512, which is
    // 512 x 4096 - 512^2 / 2 of 4096^2 / 2 scores.
    s.model.attention_per_layer = {512, 0};
    const double windowed = (512.0 * 4096 - 512.0 * 512 / 2) / (4096.0 * 4096 / 2);
    CHECK(scores_share(s.model, 4096) == Approx((1 + windowed) / 2));
    CHECK(compute_report(s).attention_token.value == Approx(all * (1 + windowed) / 2));
    CHECK(step_time(s).total() < seconds);
}

TEST_CASE("products in 8 and 4 bits with scales of blocks: bytes of operands and copies, and the peak")
{
    CHECK(operand_bytes(Precision::mxfp8) == 33.0 / 32);
    CHECK(operand_bytes(Precision::nvfp4) == 9.0 / 16);
    Scenario s = llama("llama-3.1-8b", 8);
    s.cluster.gpu = test::presets().gpu("b200-sxm")->gpu;
    s.training.precision = Precision::mxfp8;
    CHECK(state_bytes(s.training).weight == 2 + 2 * 33.0 / 32);
    s.training.fp8_recipe = Fp8Recipe::fp8_weights;
    CHECK(state_bytes(s.training).weight == 2 * 33.0 / 32);
    const auto seconds = [&](Precision precision)
    {
        s.training.precision = precision;
        CHECK_FALSE(has_errors(validate(s)));
        return step_time(s).total();
    };
    CHECK(seconds(Precision::nvfp4) < seconds(Precision::fp8));
    CHECK(seconds(Precision::mxfp8) < seconds(Precision::bf16));
    s.training.precision = Precision::nvfp4;
    const Issues recipe = validate(s);
    REQUIRE_FALSE(recipe.empty());
    CHECK(recipe.front().path == "training.fp8_recipe"); // fp8-weights
    s.training.fp8_recipe = Fp8Recipe::bf16_weights;
    CHECK(validate(s).empty());
    s.cluster.gpu = test::presets().gpu("h100-sxm-80gb")->gpu;
    CHECK_FALSE(validate(s).empty()); // it has no 4-bit arithmetic
}
