// What the trainer allocates against what the engine predicts, component by component.
#include "tests/core/lab/trainer_support.h"

#include <algorithm>

using namespace ringside;
using namespace ringside::test;

namespace
{

template <class T, std::size_t N>
T pick(const std::array<T, N>& from, std::uint64_t key, std::uint64_t counter)
{
    return from[static_cast<std::size_t>(random_below(key, counter, static_cast<std::int64_t>(N)))];
}

TrainerConfig random_config(std::uint64_t round)
{
    const std::uint64_t key = random_key(11, RandomStream::sampling, round);
    TrainerConfig c = tiny_config();
    c.model.layers = 1 + random_below(key, 0, 3);
    c.model.heads = pick(std::array<std::int64_t, 4>{1, 2, 4, 6}, key, 1);
    c.model.hidden = c.model.heads * pick(std::array<std::int64_t, 3>{16, 24, 32}, key, 2);
    c.model.kv_heads = c.model.heads % 2 == 0 && random_below(key, 3, 2) == 1 ? c.model.heads / 2 : 0;
    c.model.gated_mlp = random_below(key, 4, 2) == 1;
    c.model.tied_embeddings = random_below(key, 5, 2) == 1;
    c.model.biases = random_below(key, 6, 2) == 1;
    c.model.norm = pick(std::array{Norm::layernorm, Norm::rmsnorm}, key, 7);
    c.model.positions = pick(std::array{Positions::learned, Positions::rope, Positions::none}, key, 8);
    Training& t = c.training;
    t.sequence_length = 8 + random_below(key, 9, 24);
    t.micro_batch = 1 + random_below(key, 10, 4);
    t.global_batch = t.micro_batch * (1 + random_below(key, 11, 2));
    t.precision = static_cast<Precision>(round % 4);
    t.gradient_dtype = t.precision == Precision::fp32 || random_below(key, 12, 2) == 0 ? GradientDtype::fp32
                                                                                       : GradientDtype::bf16;
    t.optimizer = pick(std::array{Optimizer::adamw, Optimizer::sgd_momentum}, key, 13);
    t.recompute = pick(std::array{Recompute::none, Recompute::selective, Recompute::full}, key, 14);
    t.flash_attention = random_below(key, 15, 2) == 1;
    c.recipe.master_weights = t.precision == Precision::fp8 || random_below(key, 16, 4) != 0;
    if (random_below(key, 17, 2) == 1)
    {
        c.model.experts = 2 + random_below(key, 18, 5);
        c.model.experts_per_token = 1 + random_below(key, 19, 2);
        c.model.expert_ffn = 8 + random_below(key, 20, 40);
        c.recipe.capacity_factor = pick(std::array{0.5, 1.0, 1.25, 8.0}, key, 21);
    }
    return c;
}

} // namespace

TEST_CASE("hand-worked: one layer of width 16 keeps 18 h floats a token, and the logits")
{
    TrainerConfig c = tiny_config();
    c.model.layers = 1;
    auto t = make_trainer(c);
    trainer::StepView view;
    step(*t, &view);
    // Norm inputs 2, norm outputs 2, query, key, value and output 4, MLP 4 and 4: 16 h; the head's norm 2 h;
    // fp32 logits. Statistics: 16 + 4 x 2 heads, and 8 of the last norm.
    const std::int64_t tokens = 3 * 8;
    CHECK(view.highest.of(Component::activations) ==
          tokens * (4 * (16 + 2) * 16 + 4 * t->config().model.vocab + 24 + 8));
}

TEST_CASE("hand-worked: experts keep their buffers' rows, and what they gave")
{
    TrainerConfig c = tiny_config();
    c.model.layers = 1;
    c.model.experts = 4, c.model.experts_per_token = 2, c.model.expert_ffn = 24;
    c.recipe.capacity_factor = 1.1; // of 8 x 2 / 4 = 4 tokens: 5 rows for a sequence, 20 for all experts
    auto t = make_trainer(c);
    trainer::StepView view;
    step(*t, &view);
    const std::int64_t dense = 3 * 8 * (4 * (8 * 16 + 2 * 16) + 4 * t->config().model.vocab + 24 + 8);
    const std::int64_t routed = 3 * 8 * (4 * 4 + 2 * (4 + 4)) + 3 * 4 * (4 + 4 + 1);
    const std::int64_t rows = 3 * 20 * 4 * (16 + 24 + 24 + 16);
    CHECK(view.highest.of(Component::activations) == dense + routed + rows);
}

TEST_CASE("every component is what is predicted, to the byte: the engine's memory, and statistics beside its "
          "activations")
{
    for (std::uint64_t round = 0; round < 32; ++round)
    {
        const TrainerConfig asked = random_config(round);
        auto t = make_trainer(asked);
        const TrainerConfig& c = t->config();
        CAPTURE(round, name_of(c.training.precision), name_of(c.training.recompute),
                c.training.flash_attention);
        trainer::StepView view;
        step(*t, &view);
        const StageMemory predicted = predicted_memory(c);
        for (const Component component :
             {Component::weights, Component::gradients, Component::momentum, Component::variance,
              Component::master_weights, Component::activations})
        {
            INFO(name_of(component));
            CHECK(static_cast<double>(view.highest.of(component)) == predicted.of(component).value);
        }
        const Bytes engine = memory_report(scenario_of(c)).worst().of(Component::activations);
        CHECK(predicted.of(Component::activations) == engine + statistics_bytes(c) + buffer_bytes(c));
    }
}

TEST_CASE("statistics are less than two hundredths of the activations of a model of width 64")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16})
    {
        TrainerConfig c = tiny_config();
        c.model.hidden = 64, c.model.heads = 4;
        c.training.precision = precision;
        const auto ready = prepared(c);
        REQUIRE(ready);
        CHECK(statistics_bytes(*ready).value <
              0.02 * memory_report(scenario_of(*ready)).worst().of(Component::activations).value);
    }
}

TEST_CASE("memory rises through the forward, falls through the backward and ends where it began")
{
    TrainerConfig c = tiny_config();
    c.model.layers = 4;
    auto t = make_trainer(c);
    trainer::StepView view;
    step(*t, &view);
    step(*t, &view);
    using Where = MemoryMoment::Where;
    std::vector<std::int64_t> forward;
    std::vector<std::int64_t> backward;
    for (const MemoryMoment& moment : view.timeline)
    {
        if (moment.where == Where::forward || moment.where == Where::backward)
        {
            (moment.where == Where::forward ? forward : backward)
                .push_back(moment.use.of(Component::activations));
        }
    }
    REQUIRE(forward.size() == 4);
    REQUIRE(backward.size() == 4);
    CHECK(std::is_sorted(forward.begin(), forward.end()));
    CHECK(std::is_sorted(backward.rbegin(), backward.rend()));
    CHECK(view.timeline.back().where == Where::update);
    CHECK(view.timeline.back().use.of(Component::activations) == 0);
    CHECK(view.peak.total() >= view.memory.total());
    CHECK(view.highest.of(Component::activations) >= view.peak.of(Component::activations));
}

TEST_CASE("what does not fit is said before anything is trained")
{
    TrainerConfig c = tiny_config();
    c.model.layers = 96, c.model.hidden = 2048, c.model.heads = 16;
    c.training.micro_batch = c.training.global_batch = 4096;
    c.training.flash_attention = false;
    const auto made = trainer::Trainer::create(c, std::make_unique<trainer::CpuBackend>(1));
    REQUIRE_FALSE(made);
    CHECK(made.issues().front().path == "training.micro_batch");
    CHECK_FALSE(made.issues().front().hint.empty());
}
