// The long-context view: what its keys change, and that its marker changes the scenario.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("M counts the causal half, which doubles the length from which scores lead")
{
    test::Window w;
    w.open("context-length");
    CHECK(test::says(w, "13.6%")); // 8192 / (8192 + 52224)
    w.key(ImGuiKey_M);
    w.settle();
    CHECK(test::says(w, "7.27%")); // 8192 / (8192 + 104448)
}

TEST_CASE("F switches flash attention of the scenario")
{
    test::Window w;
    w.open("context-length");
    const bool before = w.session().scenario().training.flash_attention;
    w.key(ImGuiKey_F);
    CHECK(w.session().scenario().training.flash_attention != before);
    w.key(ImGuiKey_F);
    CHECK(w.session().scenario().training.flash_attention == before);
}

TEST_CASE("the marker is dragged to lengths that the layout can run, in one step of undo")
{
    test::Window w;
    w.open("context-length");
    const std::int64_t before = w.session().scenario().training.sequence_length;
    w.drag("length, operations", 0.5F, 3.5F, [&] { CHECK(w.valid()); });
    w.settle();
    CHECK(w.session().scenario().training.sequence_length > before);
    w.session().apply(Command::undo);
    w.settle();
    CHECK(w.session().scenario().training.sequence_length == before);
    w.drag("length, memory", 0.5F, -2.0F);
    CHECK(w.session().scenario().training.sequence_length < before);
}

TEST_CASE("sparse attention: the tokens are dragged, the figures are the engine's, words fit at every size")
{
    test::Window w;
    w.session().apply(ChangeScenario{test::scenario(R"({"model": "deepseek-v3", "cluster": {"gpus": 256},
        "parallel": {"expert": 64}, "training": {"global_batch": 256}})")});
    w.open("context-length/sparse");
    w.settle(300);
    CHECK(test::says(w, "13.4\u00d7"));
    const std::string before = test::text_of(w);
    w.drag("###before", 0.5F, 3);
    w.settle(300);
    CHECK(test::text_of(w) != before);
    w.move_to({2, 2}); // no read-out covers what is checked
    test::check_words_at_every_size(w, "context-length/sparse");
}
