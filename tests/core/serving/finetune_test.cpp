// Fine-tuning: adapters and ledgers worked by hand, published counts, and what holds for any model.
#include "tests/core/random_scenarios.h"

#include "core/model/weights.h"
#include "core/serving/finetune.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario tuning(const std::string& model)
{
    Scenario s = test::scenario("{}");
    s.model =
        test::scenario(
            R"({"cluster": {"gpus": 1}, "training": {"sequence_length": 512, "global_batch": 1}, "model": ")" +
            model + "\"}")
            .model;
    return s;
}

FinetuneSetup small(const Scenario& s)
{
    FinetuneSetup setup = finetune_setup(s);
    setup.sequence = 2048;
    setup.micro_batch = 1;
    return setup;
}

std::int64_t trained(const std::string& model, FinetuneRecipe recipe, std::int64_t rank, LoraModules modules)
{
    const Scenario s = tuning(model);
    FinetuneSetup setup = small(s);
    setup.rank = rank;
    setup.modules = modules;
    return finetune_report(s, recipe, setup).trained;
}

double part(const FinetuneReport& r, FinetunePart which)
{
    return r.of(which).value;
}

} // namespace

TEST_CASE("hand-worked: rank 16 on all linear layers of Llama 3.1 70B is 80 x 16 x 161 792")
{
    // Queries and output 8192 + 8192, keys and values 8192 + 1024, gate, up and down 8192 + 28672.
    CHECK(2 * 16384 + 2 * 9216 + 3 * 36864 == 161'792);
    CHECK(trained("llama-3.1-70b", FinetuneRecipe::lora, 16, kAllLinear) == 80 * 16 * 161'792);
    CHECK(trained("llama-3.1-70b", FinetuneRecipe::lora, 16, kQueriesAndValues) == 80 * 16 * (16384 + 9216));
    // DoRA: a magnitude for every output.
    CHECK(trained("llama-3.1-70b", FinetuneRecipe::dora, 16, kQueriesAndValues) ==
          80 * (16 * (16384 + 9216) + 8192 + 1024));
    CHECK(trained("llama-3.1-70b", FinetuneRecipe::full, 16, kAllLinear) == 70'553'706'496);
}

TEST_CASE(
    "the published counts: LoRA on GPT-3 trains 4.7 M and 37.7 M, LoRA and DoRA on LLaMA-7B 0.83 and 0.84%")
{
    // Hu et al., Table 4: queries and values at rank 1 and 8.
    CHECK(trained("gpt-3-175b", FinetuneRecipe::lora, 1, kQueriesAndValues) == 4'718'592);
    CHECK(trained("gpt-3-175b", FinetuneRecipe::lora, 8, kQueriesAndValues) == 37'748'736);
    // Liu et al., Table 1: rank 32 on query, key, value, up and down. Llama 2 7B has LLaMA-7B's shape.
    const LoraModules five{true, true, true, false, false, true, true};
    const auto share = [&](FinetuneRecipe recipe)
    { return static_cast<double>(trained("llama-2-7b", recipe, 32, five)) / 6'738'415'616.0; };
    CHECK(share(FinetuneRecipe::lora) == Approx(0.0083).margin(0.00006));
    CHECK(share(FinetuneRecipe::dora) == Approx(0.0084).margin(0.00006));
}

TEST_CASE("experts have an adapter each, latent attention one for each of its matrices, the router none")
{
    // Mixtral: 8 experts of three matrices between 4096 and 14336.
    const LoraModules mlp{false, false, false, false, true, true, true};
    CHECK(trained("mixtral-8x7b", FinetuneRecipe::lora, 8, mlp) == 32LL * 8 * 3 * 8 * (4096 + 14336));
    // DeepSeek-V3: query 7168-1536 and 1536-24576.
    const LoraModules query{true, false, false, false, false, false, false};
    CHECK(trained("deepseek-v3", FinetuneRecipe::lora, 1, query) == 61 * (7168 + 1536 + 1536 + 24576));
}

TEST_CASE("scales take 0.5 bit a weight, 0.127 when they are quantized again")
{
    CHECK(scale_bits(false) == 0.5);
    CHECK(scale_bits(true) == 0.126953125);
    // Dettmers et al., section 3: 0.373 bits saved, about 3 GB for 65 B.
    CHECK((scale_bits(false) - scale_bits(true)) * 65e9 / 8 == Approx(3.03e9).epsilon(0.001));
}

TEST_CASE("hand-worked: the ledger of full fine-tuning, LoRA and QLoRA on Llama 3.1 8B")
{
    const Scenario s = tuning("llama-3.1-8b");
    FinetuneSetup setup = small(s);
    const FinetuneReport full = finetune_report(s, FinetuneRecipe::full, setup);
    const double all = 8'030'261'248;
    CHECK(part(full, FinetunePart::base) == 2 * all);
    CHECK(part(full, FinetunePart::gradients) == 2 * all);
    CHECK(part(full, FinetunePart::optimizer) == 12 * all);
    CHECK(full.share() == 1);
    CHECK(full.token_flops == 8);

    const FinetuneReport lora = finetune_report(s, FinetuneRecipe::lora, setup);
    const double adapters = 32.0 * 16 * (2 * 8192 + 2 * 5120 + 3 * (4096 + 14336));
    CHECK(static_cast<double>(lora.trained) == adapters);
    CHECK(part(lora, FinetunePart::base) == 2 * all);
    CHECK(part(lora, FinetunePart::adapters) + part(lora, FinetunePart::gradients) +
              part(lora, FinetunePart::optimizer) ==
          16 * adapters);
    CHECK(lora.token_flops == 6);

    const FinetuneReport qlora = finetune_report(s, FinetuneRecipe::qlora, setup);
    const double linear = 32.0 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096.0 * 14336);
    CHECK(part(qlora, FinetunePart::base) == 0.5 * linear + 2 * (all - linear));
    CHECK(part(qlora, FinetunePart::scales) == std::ceil(linear * 0.126953125 / 8));
    CHECK(part(qlora, FinetunePart::buffers) == 2.0 * 4096 * 14336);
    setup.eight_bit = true;
    CHECK(part(finetune_report(s, FinetuneRecipe::qlora, setup), FinetunePart::optimizer) == 2 * adapters);
}

TEST_CASE("checkpointing keeps every layer's input and one layer; logits are there either way")
{
    const Scenario s = tuning("llama-3.1-8b");
    FinetuneSetup setup = small(s);
    const double kept = part(finetune_report(s, FinetuneRecipe::full, setup), FinetunePart::activations);
    setup.checkpointing = false;
    const double whole = part(finetune_report(s, FinetuneRecipe::full, setup), FinetunePart::activations);
    const double logits = 4.0 * 2048 * 128'256;
    const double layer = (whole - logits) / 32;
    CHECK(kept == Approx(logits + layer + 32 * 2.0 * 2048 * 4096));
    CHECK(whole > 3 * kept);
}

TEST_CASE("70 B: QLoRA on one card of 48 GB with an 8-bit optimizer, LoRA on four, full on many more")
{
    const Scenario s = tuning("llama-3.1-70b");
    FinetuneSetup setup = small(s);
    CHECK(gpus_for(s, FinetuneRecipe::qlora, setup, Bytes(80e9)) == 1);
    // (141.1 + 16 x 0.207) / n, two gathered layers of 1.7 and activations of 4.3.
    CHECK(gpus_for(s, FinetuneRecipe::lora, setup, Bytes(48e9)) == 4);
    CHECK(gpus_for(s, FinetuneRecipe::full, setup, Bytes(80e9)) >= 15);
    CHECK(gpus_for(s, FinetuneRecipe::full, setup, Bytes(1e9)) == 0);
    // Dettmers et al., abstract: 65 B on one GPU of 48 GB.
    setup.eight_bit = true;
    CHECK(gpus_for(s, FinetuneRecipe::qlora, setup, Bytes(48e9)) == 1);
    CHECK(gpus_for(s, FinetuneRecipe::qlora, setup, Bytes(24e9)) > 1);
}

TEST_CASE("paging takes the optimizer's state off what must be there, and nothing else")
{
    const Scenario s = tuning("llama-3.1-8b");
    FinetuneSetup setup = small(s);
    setup.paged = true;
    const FinetuneReport r = finetune_report(s, FinetuneRecipe::qlora, setup);
    CHECK(r.least() == r.total() - r.of(FinetunePart::optimizer));
}

TEST_CASE("any model: the matrices are those of the blocks, and every recipe asks less than the one before")
{
    test::ScenarioSource random(23);
    for (int i = 0; i < 150; ++i)
    {
        const Scenario s = random.next();
        double linear = 0;
        for (const LoraMatrix& m : lora_matrices(s.model))
        {
            linear += static_cast<double>(m.in) * static_cast<double>(m.out) * static_cast<double>(m.count);
        }
        double blocks = 0;
        for (std::int64_t layer = 0; layer < s.model.layers; ++layer)
        {
            for (const Weight& w : layer_weights(s.model, Parallel{}, layer_kind(s.model, layer)))
            {
                blocks += w.matrix() && w.name != "router" && w.name != "stream mixing" &&
                                  w.name.find("bias") == std::string_view::npos
                              ? static_cast<double>(w.elements())
                              : 0;
            }
        }
        CHECK(linear == blocks);
        FinetuneSetup setup = small(s);
        double last = 1e300;
        for (const FinetuneRecipe recipe : {FinetuneRecipe::dora, FinetuneRecipe::lora})
        {
            const FinetuneReport r = finetune_report(s, recipe, setup);
            CHECK(r.total().value <= last);
            CHECK(std::isfinite(r.total().value));
            last = r.total().value;
        }
        setup.gpus = 4;
        const FinetuneReport shared = finetune_report(s, FinetuneRecipe::full, setup);
        CHECK(shared.of(FinetunePart::base).value ==
              std::ceil(2.0 * static_cast<double>(shared.parameters) / 4));
        for (const Bytes memory : {Bytes(24e9), Bytes(80e9)})
        {
            const std::int64_t n = gpus_for(s, FinetuneRecipe::qlora, setup, memory);
            setup.gpus = std::max<std::int64_t>(1, n);
            CHECK((n == 0 || finetune_report(s, FinetuneRecipe::qlora, setup).least() <= memory));
        }
    }
}
