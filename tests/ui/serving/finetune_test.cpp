// Fine-tuning's view: matrices, bars, keys and panel, and its words at every size.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/serving/finetune.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

std::string trained(const Scenario& s, FinetuneRecipe recipe, std::int64_t rank, LoraModules modules)
{
    FinetuneSetup setup = finetune_setup(s);
    setup.rank = rank;
    setup.modules = modules;
    return format_count(static_cast<double>(finetune_report(s, recipe, setup).trained));
}

} // namespace

TEST_CASE("pressing a matrix takes its adapter, dragging across one sets the rank")
{
    test::Window w;
    w.open("finetune");
    w.frames(2);
    const Scenario s = w.session().now().scenario;
    CHECK(test::says(w, trained(s, FinetuneRecipe::qlora, 16, kAllLinear)));
    LoraModules modules = kAllLinear;
    modules[static_cast<std::size_t>(LoraModule::gate)] = false;
    w.click("###adapter gate");
    w.frames(2);
    CHECK(test::says(w, trained(s, FinetuneRecipe::qlora, 16, modules)));
    w.drag("###adapter query", 0.1F, 0.99F);
    w.frames(2);
    CHECK(test::says(w, "rank 512"));
    CHECK(test::says(w, trained(s, FinetuneRecipe::qlora, 512, modules)));
}

TEST_CASE("keys choose recipe, rank and where adapters go")
{
    test::Window w;
    w.open("finetune");
    const Scenario s = w.session().now().scenario;
    w.key(ImGuiKey_3);
    w.key(ImGuiKey_A);
    w.key(ImGuiKey_R);
    w.frames(2);
    CHECK(test::says(w, "DoRA trains"));
    CHECK(test::says(w, trained(s, FinetuneRecipe::dora, 32, kQueriesAndValues)));
    w.click("###recipe Full");
    w.frames(2);
    CHECK(test::says(w, "Full trains"));
    CHECK(test::says(w, "100%"));
}

TEST_CASE("the switches of the panel change what the cards take")
{
    test::Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "llama-3.1-70b", "cluster": {"gpus": 8}, "parallel": {"tensor": 8},
            "training": {"global_batch": 8, "sequence_length": 2048}})")});
    w.open("finetune");
    w.frames(2);
    CHECK(test::says(w, "one GPU of 48 GB"));
    w.click("Activation checkpointing");
    w.frames(2);
    CHECK(!test::says(w, "one GPU of 48 GB"));
    w.key(ImGuiKey_G);
    w.frames(2);
    CHECK(test::says(w, "one GPU of 48 GB"));
    w.key(ImGuiKey_1);
    w.key(ImGuiKey_P);
    w.frames(2);
    CHECK(test::says(w, "optimizer paged out"));
}

TEST_CASE("time: a recipe is pressed, checkpointing takes longer, and words fit at every size")
{
    test::Window w;
    w.open("finetune/time");
    w.settle(300);
    CHECK(test::says(w, "weight gradients"));
    CHECK(test::says(w, "dequantization"));
    const std::string before = test::text_of(w);
    w.key(ImGuiKey_G);
    w.settle(300);
    CHECK(test::text_of(w) != before);
    w.click("###timed LoRA");
    w.settle(300);
    CHECK(w.drawn().fault == "");
    test::check_words_at_every_size(w, "finetune/time");
}
