// Forward and backward of the trainer against the plain reference in double precision.
#include "tests/core/lab/trainer_reference.h"
#include "tests/core/lab/trainer_support.h"

#include "core/model/weights.h"

#include <catch2/catch_approx.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <functional>

using namespace ringside;
using namespace ringside::test;

namespace
{

struct Shape
{
    std::string name;
    std::function<void(TrainerConfig&)> change;
};

void experts(TrainerConfig& c, std::int64_t count, std::int64_t chosen)
{
    c.model.experts = count, c.model.experts_per_token = chosen, c.model.expert_ffn = 24;
}

std::vector<Shape> shapes()
{
    return {
        {"GPT: learned positions, LayerNorm, GELU, biases, tied", [](TrainerConfig&) {}},
        {"RMSNorm", [](TrainerConfig& c) { c.model.norm = Norm::rmsnorm; }},
        {"RoPE", [](TrainerConfig& c) { c.model.positions = Positions::rope; }},
        {"no positions", [](TrainerConfig& c) { c.model.positions = Positions::none; }},
        {"SwiGLU", [](TrainerConfig& c) { c.model.gated_mlp = true, c.model.ffn = 24; }},
        {"untied", [](TrainerConfig& c) { c.model.tied_embeddings = false; }},
        {"no biases", [](TrainerConfig& c) { c.model.biases = false; }},
        {"biases of query, key, value only",
         [](TrainerConfig& c) { c.model.biases = false, c.model.qkv_bias = true; }},
        {"4 heads share 2 keys", [](TrainerConfig& c) { c.model.heads = 4, c.model.kv_heads = 2; }},
        {"4 heads share 1 key", [](TrainerConfig& c) { c.model.heads = 4, c.model.kv_heads = 1; }},
        {"heads wider than the model", [](TrainerConfig& c) { c.model.head_dim = 20; }},
        {"odd sizes",
         [](TrainerConfig& c)
         {
             c.model.hidden = 15, c.model.heads = 3, c.model.ffn = 37;
             c.training.sequence_length = 13, c.training.micro_batch = c.training.global_batch = 2;
         }},
        {"longer than a block of queries",
         [](TrainerConfig& c)
         {
             c.model.layers = 1, c.model.hidden = 8;
             c.training.sequence_length = 70, c.training.micro_batch = c.training.global_batch = 1;
         }},
        {"Llama: RoPE, RMSNorm, SwiGLU, grouped heads, untied",
         [](TrainerConfig& c)
         {
             c.model.norm = Norm::rmsnorm, c.model.positions = Positions::rope, c.model.gated_mlp = true;
             c.model.ffn = 40, c.model.biases = false, c.model.tied_embeddings = false;
             c.model.heads = 4, c.model.kv_heads = 2;
         }},
        {"experts, one a token", [](TrainerConfig& c) { experts(c, 4, 1); }},
        {"experts, two a token", [](TrainerConfig& c) { experts(c, 4, 2); }},
        {"experts that drop tokens",
         [](TrainerConfig& c) { experts(c, 5, 2), c.recipe.capacity_factor = 0.6; }},
        {"experts that are kept even",
         [](TrainerConfig& c) { experts(c, 4, 2), c.recipe.balance_loss = 0.5; }},
        {"Mixtral: SwiGLU experts without biases, two a token",
         [](TrainerConfig& c)
         {
             experts(c, 8, 2), c.model.norm = Norm::rmsnorm, c.model.positions = Positions::rope;
             c.model.gated_mlp = true, c.model.biases = false, c.model.tied_embeddings = false;
         }},
        {"one expert", [](TrainerConfig& c) { experts(c, 1, 1); }},
        {"scores kept", [](TrainerConfig& c) { c.training.flash_attention = false; }},
        {"targets that ask nothing",
         [](TrainerConfig& c)
         {
             c.data.task = LabTask::copy, c.data.symbols = 5;
             c.training.sequence_length = 9;
         }},
    };
}

} // namespace

TEST_CASE("loss and gradients are those of the plain model in double precision, for every kind of layer")
{
    for (const Shape& shape : shapes())
    {
        INFO(shape.name);
        TrainerConfig config = tiny_config();
        shape.change(config);
        auto trainer = make_trainer(config);
        shake(*trainer, 0.3F);
        config = trainer->config();
        const auto floats = fp32_weights(*trainer);
        std::vector<double> weights(floats.begin(), floats.end());
        const Batch batch = trainer->corpus().batch(config.seed, 0, 0, config.training.micro_batch,
                                                    config.training.sequence_length);
        const bool routed = config.model.experts > 0;
        const std::int64_t length = config.training.sequence_length;
        Reference reference(config.model, length,
                            routed ? slots_of_expert(config.model, config.recipe.capacity_factor, length) : 0,
                            config.recipe.balance_loss);
        if (routed)
        {
            reference.hold_routes(weights, batch);
        }
        const auto done = step(*trainer);
        CHECK(done.loss == Catch::Approx(reference.loss(weights, batch)).epsilon(2e-5));
        if (routed)
        {
            double dropped = 0;
            for (const LayerRouting& layer : done.experts)
            {
                dropped += layer.dropped() / static_cast<double>(done.experts.size());
            }
            CHECK(dropped == Catch::Approx(reference.dropped()).margin(1e-6));
        }

        const auto gradients = trainer->gradients();
        const std::uint64_t key = random_key(3, RandomStream::sampling, 0);
        for (const trainer::Parameter& p : reference.table().list)
        {
            INFO(p.name);
            for (std::uint64_t i = 0; i < 4; ++i)
            {
                const auto at = static_cast<std::size_t>(p.offset + random_below(key, i, p.elements()));
                const double before = weights[at];
                weights[at] = before + 1e-4;
                const double above = reference.loss_and_balance(weights, batch);
                weights[at] = before - 1e-4;
                const double below = reference.loss_and_balance(weights, batch);
                weights[at] = before;
                CHECK_THAT(static_cast<double>(gradients[at]),
                           Catch::Matchers::WithinAbs((above - below) / 2e-4, 3e-6) ||
                               Catch::Matchers::WithinRel((above - below) / 2e-4, 2e-3));
            }
        }
    }
}

TEST_CASE("the model has the engine's parameters, to the last one")
{
    for (const Shape& shape : shapes())
    {
        INFO(shape.name);
        TrainerConfig config = tiny_config();
        shape.change(config);
        const auto ready = prepared(config);
        REQUIRE(ready);
        CHECK(trainer::ParameterTable(ready->model).elements == count_parameters(ready->model).total);
    }
}

TEST_CASE("layers computed again give the same gradients bit for bit")
{
    for (const bool flash : {true, false})
    {
        for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp8})
        {
            TrainerConfig config = tiny_config();
            experts(config, flash ? 4 : 0, 2);
            config.training.flash_attention = flash;
            config.training.precision = precision;
            std::vector<std::vector<float>> gradients;
            for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
            {
                config.training.recompute = recompute;
                auto trainer = make_trainer(config);
                step(*trainer);
                gradients.push_back(trainer->gradients());
            }
            CHECK(gradients[1] == gradients[0]);
            CHECK(gradients[2] == gradients[0]);
        }
    }
}

TEST_CASE("four micro-batches of 2 give the gradient of one of 8")
{
    TrainerConfig config = tiny_config();
    experts(config, GENERATE(0, 4), 2); // whose tokens do not depend on the other sequences
    config.training.micro_batch = config.training.global_batch = 8;
    auto whole = make_trainer(config);
    config.training.micro_batch = 2;
    auto parts = make_trainer(config);
    const auto one = step(*whole);
    const auto four = step(*parts);
    CHECK(four.loss == Catch::Approx(one.loss).epsilon(1e-6));
    const auto a = whole->gradients();
    const auto b = parts->gradients();
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        REQUIRE_THAT(b[i], Catch::Matchers::WithinAbs(a[i], 2e-7) || Catch::Matchers::WithinRel(a[i], 1e-4F));
    }
}

TEST_CASE("any number of threads gives the same bits")
{
    TrainerConfig config = tiny_config();
    config.model.hidden = 48, config.model.heads = 3;
    config.training.sequence_length = 20;
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp16, Precision::fp8})
    {
        experts(config, config.model.experts == 0 ? 6 : 0, 2); // every other time
        config.training.precision = precision;
        auto alone = make_trainer(config, 1);
        const auto losses = train(*alone, 3);
        for (const std::size_t threads : {std::size_t{2}, std::size_t{3}, std::size_t{5}})
        {
            INFO(threads << " threads, " << name_of(precision));
            auto several = make_trainer(config, threads);
            CHECK(train(*several, 3) == losses);
            CHECK(several->state() == alone->state());
        }
    }
}
