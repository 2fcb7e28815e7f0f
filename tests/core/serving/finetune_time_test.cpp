// The time of fine-tuning: what a frozen base saves against the paper's figure, and what 4 bits cost by hand.
#include "tests/core/support.h"

#include "core/serving/finetune_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario with_model(const std::string& id)
{
    return test::scenario(R"({"model": ")" + id + R"(", "training": {"sequence_length": 2048}})");
}

} // namespace

TEST_CASE("published: LoRA trains GPT-3 175B at 43.1 instead of 32.5 tokens/s per GPU")
{
    const Scenario gpt = with_model("gpt-3-175b");
    FinetuneSetup setup = finetune_setup(gpt);
    setup.modules = kQueriesAndValues;
    setup.rank = 4;
    const double full = finetune_time(gpt, FinetuneRecipe::full, setup, 512).tokens_per_second();
    const double lora = finetune_time(gpt, FinetuneRecipe::lora, setup, 512).tokens_per_second();
    CHECK(lora / full == Approx(43.1 / 32.5).epsilon(0.05));
}

TEST_CASE("hand-worked: a frozen base saves a quarter with checkpointing, a third without, at most")
{
    const Scenario s = with_model("llama-3.1-8b");
    FinetuneSetup setup = finetune_setup(s);
    setup.rank = 1;
    for (const bool again : {true, false})
    {
        setup.checkpointing = again;
        const double ratio = finetune_time(s, FinetuneRecipe::lora, setup, 512).total() /
                             finetune_time(s, FinetuneRecipe::full, setup, 512).total();
        CHECK(ratio > (again ? 0.74 : 0.65));
        CHECK(ratio < (again ? 0.80 : 0.73));
    }
}

TEST_CASE("hand-worked: dequantization reads half a byte with scales, writes two, in every pass, whatever "
          "the tokens")
{
    const Scenario s = with_model("llama-3.1-8b");
    FinetuneSetup setup = finetune_setup(s);
    const auto dequantize = [&]
    { return finetune_time(s, FinetuneRecipe::qlora, setup).of(FinetunePhase::dequantize); };
    // 6.98 B weights in linear layers of the blocks.
    const double once = 6979321856.0 * (2.5 + 0.127 / 8) / (3350e9 * 0.95);
    CHECK(dequantize() == Approx(3 * once).epsilon(1e-3));
    setup.checkpointing = false;
    CHECK(dequantize() == Approx(2 * once).epsilon(1e-3));
    setup.micro_batch = 8;
    CHECK(dequantize() == Approx(2 * once).epsilon(1e-3));
    CHECK(finetune_time(s, FinetuneRecipe::lora, setup).of(FinetunePhase::dequantize) == 0);
}

TEST_CASE(
    "hand-worked: an update moves 28 bytes per trained parameter, shared by the micro-batches before it")
{
    const Scenario s = with_model("llama-3.1-8b");
    const FinetuneSetup setup = finetune_setup(s);
    const auto update = [&](std::int64_t micro_batches)
    { return finetune_time(s, FinetuneRecipe::full, setup, micro_batches).of(FinetunePhase::optimizer); };
    CHECK(update(1) == Approx(28 * 8030261248.0 / (3350e9 * 0.95)));
    CHECK(update(8) == Approx(update(1) / 8));
}

TEST_CASE("QLoRA is never faster than LoRA, and as fast with many tokens; a sharded base on a slow link is "
          "waited for")
{
    const Scenario s = with_model("llama-3.1-70b");
    FinetuneSetup setup = finetune_setup(s);
    double last = 1e9;
    for (setup.micro_batch = 1; setup.micro_batch <= 64; setup.micro_batch *= 4)
    {
        const double slower = finetune_time(s, FinetuneRecipe::qlora, setup).total() /
                              finetune_time(s, FinetuneRecipe::lora, setup).total();
        CHECK(slower >= 1);
        CHECK(slower < last);
        last = slower;
    }
    CHECK(last < 1.01);
    setup.micro_batch = 1;
    CHECK(finetune_time(s, FinetuneRecipe::lora, setup).of(FinetunePhase::gather) == 0);
    setup.gpus = 64;
    CHECK(finetune_time(s, FinetuneRecipe::lora, setup).of(FinetunePhase::gather) > 0);
}
