// Serving under load and RL systems: rate and systems by hand, the page of prices, words at every size.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("a rate beyond the goodput breaks an SLO, F goes back to one that holds")
{
    test::Window w;
    w.open("slo");
    w.settle();
    CHECK(test::says(w, "Goodput"));
    CHECK(test::says(w, "prefill"));
    CHECK_FALSE(test::says(w, "KV transfer"));
    w.key(ImGuiKey_G); // disaggregated
    w.settle();
    CHECK(test::says(w, "KV transfer"));
    CHECK(test::says(w, "Prefill engines"));
    w.key(ImGuiKey_G); // prefill-prioritized
    w.settle();
    CHECK_FALSE(test::says(w, "KV transfer"));
    CHECK_FALSE(test::says(w, "Tokens per iteration"));
    const std::string before = test::text_of(w);
    w.drag("###ttft rate", 0.5F, 0.9F);
    w.move_to({2, 2}); // off the curve, which is read out under the mouse
    w.settle();
    CHECK(test::text_of(w) != before);
    w.key(ImGuiKey_F);
    w.settle();
    CHECK(test::text_of(w) == before);
}

TEST_CASE("engines are tried in every ratio, and the best is said")
{
    test::Window w;
    w.open("slo/split");
    w.settle(300);
    CHECK(test::says(w, "prefill engines, of 4"));
    CHECK(test::says(w, "Best for these SLOs"));
    w.click("###split 3");
    w.settle(300);
    CHECK(test::says(w, "Prefill engines"));
}

TEST_CASE("prices are found for every way to serve, and one that is pressed is taken")
{
    test::Window w;
    w.open("slo/price");
    w.settle(300);
    CHECK(test::says(w, "Cheapest within both SLOs"));
    CHECK(test::says(w, "Pareto frontier"));
}

TEST_CASE("a model that no engine holds is said on every page")
{
    test::Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "megatron-gpt-1t", "cluster": {"gpu": "rtx-3090", "gpus": 8}, "parallel": {"tensor": 1},
            "training": {"global_batch": 8, "sequence_length": 2048}})")});
    for (const char* page : {"slo/requests", "slo/split", "slo/price"})
    {
        w.open(page);
        w.settle();
        CHECK(test::says(w, "No engine holds this model"));
    }
}

TEST_CASE("experts over more GPUs are drawn, and a point that is pressed serves with as many")
{
    test::Window w;
    w.open("slo/experts");
    w.key(ImGuiKey_Z); // the own scenario, not the example
    w.settle(300);
    CHECK(test::says(w, "This model has no experts"));
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "deepseek-v3", "cluster": {"gpu": "h800-sxm-80gb", "gpus": 256}, "parallel": {"tensor": 1},
            "training": {"global_batch": 256}})")});
    w.settle(300);
    CHECK(test::says(w, "Memory of a GPU"));
    CHECK(test::says(w, "EP 144"));
    CHECK(test::says(w, "Most tokens per GPU"));
    w.click("FP8 weights and GEMMs");
    w.settle(300);
    CHECK_FALSE(test::says(w, "Two-batch overlap"));
    w.click("###wide 72 true");
    w.settle(300);
    CHECK(test::says(w, "Two-batch overlap"));
    CHECK(test::says(w, "EP 72"));
    CHECK(test::says(w, "two-batch overlap (faster from"));
    w.open("slo/requests");
    w.settle(300);
    CHECK(test::says(w, "Requests of one attention replica"));
    CHECK(test::says(w, "GPUs per attention replica"));
    test::check_words_at_every_size(w, "requests of an attention replica");
    w.open("slo/experts");
    w.settle(300);
    test::check_words_at_every_size(w, "slo/experts");
}

TEST_CASE("a larger prefix cache finds more, and its hits are taken for the requests")
{
    test::Window w;
    w.open("slo/cache");
    w.settle(300);
    CHECK(test::says(w, "Hit rate of an LRU prefix cache"));
    const std::string before = test::text_of(w);
    w.drag("###cache size", 0.5F, 3);
    w.settle(300);
    CHECK(test::text_of(w) != before);
    w.click("Use this hit rate");
    w.open("slo/requests");
    w.settle(300);
    CHECK(w.drawn().fault == "");
}
