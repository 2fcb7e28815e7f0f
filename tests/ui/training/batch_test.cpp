// A batch in a user's hands: solved for any part, refused with what would work, played to the update.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/training/batch.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

BatchSplit split_of(Window& w)
{
    return batch_split(w.session().scenario());
}

} // namespace

TEST_CASE("what is typed into three parts is solved for the fourth, and the scenario follows")
{
    Window w;
    w.open("batch");
    w.settle(300);
    REQUIRE(split_of(w) == BatchSplit{{128, 8, 16, 1}});
    w.type_value("known global batch", "512");
    w.settle(300);
    CHECK(split_of(w) == BatchSplit{{512, 8, 64, 1}});
    w.click("###solve for global batch");
    w.settle(300);
    w.type_value("known micro-batch", "4");
    w.settle(300);
    CHECK(split_of(w) == BatchSplit{{2048, 8, 64, 4}});
    w.key(ImGuiKey_2);
    w.settle(300);
    w.type_value("known accumulation", "32");
    w.settle(300);
    CHECK(split_of(w) == BatchSplit{{2048, 16, 32, 4}});
    CHECK(w.session().scenario().cluster.gpus == 16 * 32);
    CHECK(says(w, "16.8 M tokens"));
    CHECK(w.valid());
}

TEST_CASE("a batch that does not divide is refused by name, and a press takes the nearest that does")
{
    Window w;
    w.open("batch");
    w.settle(300);
    const Scenario before = w.session().scenario();
    w.type_value("known global batch", "500");
    w.settle(300);
    CHECK(w.session().scenario() == before);
    CHECK(says(w, "500 sequences do not divide by data parallel 8 \u00d7 micro-batch 1 = 8"));
    CHECK(says(w, "?"));
    w.click("near 1");
    w.settle(300);
    CHECK(split_of(w) == BatchSplit{{504, 8, 63, 1}});
    CHECK(!says(w, "do not divide"));
    w.type_value("known micro-batch", "0");
    w.settle(300);
    CHECK(says(w, "micro-batch of 0"));
    CHECK(w.valid());
}

TEST_CASE("where the text is large the cells stay, and what is below them goes first")
{
    Preferences p;
    p.text_scale = 2.5F;
    Window w({1280, 800}, p);
    w.open("batch");
    w.settle();
    CHECK(says(w, "accum 1"));
    CHECK(says(w, "gradient sum"));
    CHECK_FALSE(says(w, "weights"));
}

TEST_CASE("playing fills the rounds, then sums the gradients, then makes the one step")
{
    Window w;
    w.open("batch");
    w.key(ImGuiKey_Z); // the own scenario: 16 rounds
    w.settle(300);
    CHECK(w.motion().duration == 20);
    const auto at = [&](double t)
    {
        w.session().apply(Seek{t});
        w.frames(2);
        return w.motion().label;
    };
    CHECK(at(0) == "accum 1/16");
    CHECK(at(7.5) == "accum 8/16");
    CHECK(at(17) == "gradient sum");
    CHECK(at(19) == "update");
}

TEST_CASE("thousands of replicas and rounds are drawn together, with how many said")
{
    Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpus": 4096}, "parallel": {"tensor": 1, "pipeline": 1},
            "training": {"global_batch": 4096000, "micro_batch": 1, "sequence_length": 4096}})")});
    w.open("batch");
    w.settle(300);
    CHECK(says(w, "replicas across"));
    CHECK(says(w, "128 \u00d7 25 micro-batches of 1"));
    CHECK(w.drawn().fault == "");
    const test::Drawn drawn = w.drawn();
    CHECK(drawn.vertices < 500'000);
}
