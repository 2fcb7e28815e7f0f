// Recomputation in a user's hands: settings that are pressed, segments that are dragged, and the strip that
// plays them.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/activations/recompute.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

RecomputeChoices choices_of(Window& w)
{
    const Evaluated& now = w.session().now();
    return recompute_choices(now.scenario, now.report->memory, now.report->memory.fullest);
}

} // namespace

TEST_CASE("each choice shows its bytes and its work, and pressing one takes it")
{
    Window w;
    w.open("recompute");
    w.key(ImGuiKey_Z); // the own scenario, not the example
    w.settle(300);
    const RecomputeChoices c = choices_of(w);
    for (const RecomputePoint& point : c.settings)
    {
        CHECK(says(w, format_bytes(point.total())));
    }
    CHECK(says(w, "+" + format_percent(c.settings[2].extra)));
    w.click("###choice full");
    w.settle(300);
    CHECK(w.session().scenario().training.recompute == Recompute::full);
    CHECK(says(w, "Full recomputation leaves " + format_bytes(c.settings[2].total())));
    w.key(ImGuiKey_1);
    w.settle(300);
    CHECK(w.session().scenario().training.recompute == Recompute::none);
    CHECK(says(w, format_bytes(c.settings[0].total())));
}

TEST_CASE("segments go by keys, by the curve and by the slider, and M goes back to the least")
{
    Window w;
    w.open("recompute");
    w.key(ImGuiKey_Z); // the own scenario, not the example
    w.settle(300);
    CHECK(says(w, "10 segments of 2 layers"));
    CHECK(says(w, "10: 1.22 GB"));
    w.key(ImGuiKey_K);
    w.settle(300);
    CHECK(says(w, "11 segments of at most 2 layers"));
    w.key(ImGuiKey_M);
    w.drag("###curve of segments", 0.1F, 1.02F);
    w.settle(300);
    CHECK(says(w, "20 segments of 1 layer"));
    w.type_value("Segments k", "5");
    w.settle(300);
    CHECK(says(w, "5 segments of 4 layers"));
    w.click("least");
    w.settle(300);
    CHECK(says(w, "10 segments of 2 layers"));
}

TEST_CASE("playing goes forward, again and backward through the segments, and ends with nothing held")
{
    Window w;
    w.open("recompute");
    w.key(ImGuiKey_Z); // the own scenario, not the example
    w.settle(300);
    CHECK(w.motion().duration == 60);
    const auto at = [&](double t)
    {
        w.session().apply(Seek{t});
        w.frames(2);
    };
    at(7);
    CHECK(says(w, "forward, "));
    CHECK(w.motion().label == "layer 8/20");
    at(21.5);
    CHECK(says(w, "recomputed forward"));
    at(22);
    CHECK(says(w, "backward, "));
    at(60);
    CHECK(says(w, "done, 0 B held"));
    CHECK(w.motion().label == "done");
}

TEST_CASE("ten thousand layers are drawn by the pixel")
{
    Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": {"layers": 10000, "hidden": 512, "heads": 8, "vocab": 1000, "experts": 4,
                      "experts_per_token": 2, "moe_interval": 2},
            "cluster": {"gpus": 1}, "training": {"global_batch": 1, "sequence_length": 128}})")});
    w.open("recompute");
    w.settle(300);
    CHECK(w.drawn().fault == "");
    CHECK(w.drawn().vertices < 200'000);
    CHECK(says(w, "10000"));
}

TEST_CASE("one layer, one segment: the picture stands")
{
    Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": {"layers": 1, "hidden": 512, "heads": 8, "vocab": 1000}, "cluster": {"gpus": 1},
            "training": {"global_batch": 1, "sequence_length": 128}})")});
    w.open("recompute");
    w.settle(300);
    CHECK(w.drawn().fault == "");
    CHECK(says(w, "1 segment of 1 layer"));
}
