// The CUDA backend on a real device against the CPU backend. Leaves with 77, which ctest takes for skipped,
// where there is none.
#include "tests/core/lab/trainer_support.h"

#include "core/lab/trainer/devices.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_session.hpp>

#include <cmath>
#include <cstdio>

using namespace ringside;
using namespace ringside::test;

namespace
{

std::unique_ptr<trainer::Trainer> on_gpu(const TrainerConfig& config, bool own_products)
{
    auto probe = trainer::open_cuda(own_products);
    if (!probe.backend)
    {
        throw std::runtime_error(probe.reason);
    }
    auto made = trainer::Trainer::create(config, std::move(probe.backend));
    if (!made)
    {
        throw std::runtime_error(all_of(made.issues()));
    }
    return std::move(*made);
}

double distance(const std::vector<float>& a, const std::vector<float>& b)
{
    double squares = 0;
    double size = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
    {
        squares += std::pow(static_cast<double>(a[i] - b[i]), 2);
        size += std::pow(static_cast<double>(a[i]), 2);
    }
    return std::sqrt(squares / size);
}

std::vector<TrainerConfig> configs()
{
    TrainerConfig llama = tiny_config();
    llama.model.norm = Norm::rmsnorm, llama.model.positions = Positions::rope, llama.model.gated_mlp = true;
    llama.model.ffn = 40, llama.model.biases = false, llama.model.tied_embeddings = false;
    llama.model.heads = 4, llama.model.kv_heads = 2;
    llama.training.sequence_length = 19;
    TrainerConfig wide = llama; // heads of 128, two of queries for one of keys
    wide.model.hidden = 256, wide.model.heads = 2, wide.model.kv_heads = 1;
    wide.training.sequence_length = 150;
    TrainerConfig larger = tiny_config(); // heads of 64
    larger.model.hidden = 256, larger.model.heads = 4;
    larger.training.sequence_length = 128;
    larger.training.micro_batch = larger.training.global_batch = 4;
    return {tiny_config(), llama, wide, larger};
}

} // namespace

TEST_CASE("a step on the device is a step on the CPU, by cuBLASLt's products and by our own")
{
    // Sections, so that -c picks one: compute-sanitizer's initcheck does not see what cuBLASLt writes.
    for (const bool own : {false, true})
    {
        DYNAMIC_SECTION((own ? "own products" : "cuBLASLt"))
        {
            for (const Precision precision :
                 {Precision::fp32, Precision::bf16, Precision::fp16, Precision::fp8})
            {
                for (TrainerConfig config : configs())
                {
                    CAPTURE(name_of(precision), config.model.hidden);
                    config.training.precision = precision;
                    config.recipe.loss_scale = 1024;
                    auto cpu = make_trainer(config, 2);
                    auto gpu = on_gpu(config, own);
                    REQUIRE(gpu->restore(cpu->state()).empty());
                    const auto expected = step(*cpu);
                    const auto result = step(*gpu);
                    const bool exact = precision == Precision::fp32;
                    CHECK(result.loss == Catch::Approx(expected.loss).epsilon(exact ? 1e-5 : 2e-3));
                    CHECK(distance(cpu->gradients(), gpu->gradients()) < (exact ? 1e-4 : 0.03));
                }
            }
        }
    }
}

TEST_CASE("steps as a CUDA graph are the steps one operation at a time")
{
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::fp8})
    {
        TrainerConfig config = tiny_config();
        config.training.precision = precision;
        config.training.global_batch = 6;
        auto plain = on_gpu(config, false);
        auto recorded = on_gpu(config, false);
        for (int i = 0; i < 5; ++i)
        {
            trainer::StepView view;
            REQUIRE(plain->step(nullptr, &view, true)); // who looks into tensors gets no recording
            step(*recorded);
        }
        CAPTURE(name_of(precision));
        CHECK(recorded->state() == plain->state());
        CHECK(plain->replays() == 0);
        CHECK(recorded->replays() == 9);
    }
}

TEST_CASE("full recomputation and a resumed run give the device's own bits again")
{
    TrainerConfig config = configs().back();
    config.training.precision = Precision::bf16;
    auto whole = on_gpu(config, false);
    config.training.recompute = Recompute::full;
    auto again = on_gpu(config, false);
    CHECK(train(*again, 3) == train(*whole, 3));
    auto resumed = on_gpu(config, false);
    REQUIRE(resumed->restore(whole->state()).empty());
    CHECK(train(*resumed, 2) == train(*whole, 2));
}

TEST_CASE("memory on the device is what the engine predicts")
{
    const TrainerConfig config = configs().back();
    auto gpu = on_gpu(config, false);
    trainer::StepView view;
    step(*gpu, &view);
    const StageMemory predicted = predicted_memory(gpu->config());
    for (const Component component : {Component::weights, Component::gradients, Component::momentum,
                                      Component::variance, Component::activations})
    {
        CHECK(static_cast<double>(view.highest.of(component)) == predicted.of(component).value);
    }
}

TEST_CASE("the device learns")
{
    TrainerConfig config = tiny_config();
    config.data = {LabTask::copy, 6, "", nullptr};
    config.model.hidden = 32;
    config.training.sequence_length = 12;
    config.training.micro_batch = config.training.global_batch = 16;
    config.recipe.learning_rate = 1e-2;
    auto gpu = on_gpu(config, false);
    CHECK(train(*gpu, 300).back() < 0.05);
}

int main(int argc, char** argv)
{
    const auto probe = trainer::open_cuda();
    if (!probe.backend)
    {
        std::printf("skipped: %s\n", probe.reason.c_str());
        return 77;
    }
    return Catch::Session().run(argc, argv);
}
