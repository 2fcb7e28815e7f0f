// The roofline in a user's hands: kernels that are chosen and dragged, a product's rows on the saw, blocks
// on a multiprocessor, and words that stay apart at any size.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/lab/machine.h"
#include "core/scenario/choices.h"
#include "core/scenario/presets.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::unique_ptr<Window> opened(int page = 0)
{
    auto w = std::make_unique<Window>();
    w->open("roofline");
    w->settle(300);
    for (int i = 0; i < page; ++i)
    {
        w->key(ImGuiKey_Y);
        w->settle(300);
    }
    return w;
}

} // namespace

TEST_CASE("Y goes from the roof to one product, to blocks, to machines, and back")
{
    const auto w = opened();
    CHECK(says(*w, "ridge"));
    CHECK(says(*w, "of the roof"));
    w->key(ImGuiKey_Y);
    w->settle(300);
    CHECK(says(*w, "Throughput vs M"));
    CHECK(w->motion().duration >= 1);
    w->key(ImGuiKey_Y);
    w->settle(300);
    CHECK(says(*w, "One SM"));
    CHECK(w->motion().duration == 0);
    w->key(ImGuiKey_Y);
    w->settle(300);
    CHECK(says(*w, "No machine is measured yet"));
    w->key(ImGuiKey_Y);
    w->settle(300);
    CHECK(says(*w, "of the roof"));
}

TEST_CASE("a kernel that is pressed is the one spoken of, forward, backward and decoding")
{
    const auto w = opened();
    w->click("kernel norms forward");
    w->settle(300);
    CHECK(says(*w, "norms: "));
    CHECK(says(*w, "memory-bound"));
    w->key(ImGuiKey_F);
    w->settle(300);
    w->click("kernel optimizer backward, of the weights");
    w->settle(300);
    CHECK(says(*w, "optimizer: "));
    w->key(ImGuiKey_F);
    w->settle(300);
    CHECK(says(*w, "Batch size (sequences)"));
    w->click("kernel attention on the cache forward");
    w->settle(300);
    CHECK(says(*w, "attention on the cache: "));
    CHECK(w->drawn().fault == "");
    CHECK(w->drawn().missing_glyphs == 0);
}

TEST_CASE("a product that is dragged to the left shortens the sequence; a norm does not move")
{
    const auto w = opened();
    const std::int64_t before = w->session().scenario().training.sequence_length;
    w->drag("kernel MLP gate and up forward", 0.5F, -9.0F);
    w->settle(300);
    const std::int64_t after = w->session().scenario().training.sequence_length;
    CHECK(after < before);
    CHECK(w->valid());
    w->drag("kernel norms forward", 0.5F, 9.0F);
    w->settle(300);
    CHECK(w->session().scenario().training.sequence_length == after);
}

TEST_CASE("decoding, a drag or the slider sets how many sequences there are, and the scenario stays")
{
    const auto w = opened();
    const Scenario before = w->session().scenario();
    w->key(ImGuiKey_F);
    w->key(ImGuiKey_F);
    w->settle(300);
    w->type_value("Batch size (sequences)", "1");
    w->settle(300);
    CHECK(says(*w, "memory-bound"));
    w->type_value("Batch size (sequences)", "2048");
    w->settle(300);
    CHECK(says(*w, "compute-bound"));
    w->drag("kernel MLP gate and up forward", 0.5F, -9.0F);
    w->settle(300);
    CHECK_FALSE(says(*w, "2,048"));
    CHECK(w->session().scenario() == before);
}

TEST_CASE("one row more than full tiles begins another row of tiles, and R goes back to the scenario's")
{
    const auto w = opened(1);
    w->type_value("M, rows", "128");
    w->type_value("N, columns", "8192");
    w->settle(300);
    CHECK(says(*w, "M 128"));
    CHECK(says(*w, "Back to the scenario"));
    const std::string whole = test::text_of(*w);
    w->type_value("M, rows", "129");
    w->settle(300);
    CHECK(test::text_of(*w) != whole);
    w->drag("rows of the product", 0.5F, 6.0F);
    w->settle(300);
    CHECK_FALSE(says(*w, "M 129"));
    w->key(ImGuiKey_R);
    w->settle(300);
    CHECK_FALSE(says(*w, "Back to the scenario"));
    CHECK(w->drawn().fault == "");
}

TEST_CASE("waves run by the clock, and P shows the layer's next product")
{
    const auto w = opened(1);
    w->session().apply(Seek{0});
    w->settle(300);
    CHECK(says(*w, "wave 0/"));
    const std::string first = test::text_of(*w);
    w->key(ImGuiKey_P);
    w->settle(300);
    CHECK(test::text_of(*w) != first);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("what limits a GEMM is the smallest of the factors that its formula names")
{
    const auto w = opened(1);
    CHECK(says(*w, "limited by kernel efficiency")); // of tiles, waves, fill and that
    CHECK_FALSE(says(*w, "limited by its waves"));
}

TEST_CASE("blocks: registers bind, a GEMM takes one block, too much shared memory none")
{
    const auto w = opened(2);
    CHECK(says(*w, "4 blocks per SM, limited by registers"));
    w->click("Element-wise kernel");
    w->settle(300);
    CHECK(says(*w, "100% occupancy"));
    w->key(ImGuiKey_G);
    w->settle(300);
    CHECK(says(*w, "1 block per SM"));
    CHECK(says(*w, "shared memory"));
    w->type_value("Registers per thread", "255");
    w->type_value("Threads per block", "1024");
    w->settle(300);
    CHECK(says(*w, "No block fits"));
    CHECK(w->drawn().fault == "");
    w->drag("registers on the curve", 0.5F, -75.0F);
    w->settle(300);
    CHECK_FALSE(says(*w, "No block fits"));
}

TEST_CASE("a fault in the scenario leaves the last good roof, and experts, latents and 8 bits have theirs")
{
    const auto w = opened();
    w->session().apply(ChangeScenario{ringside::with(w->session().scenario(), Knob::tensor, 3)});
    w->frames(3);
    CHECK(!w->valid());
    CHECK(says(*w, "of the roof"));
    CHECK(w->drawn().fault == "");
    w->session().apply(LoadScenario{"deepseek-v3-2048"});
    w->settle(300);
    CHECK(w->valid());
    for (int i = 0; i < 3; ++i)
    {
        CHECK(w->drawn().fault == "");
        CHECK(w->drawn().missing_glyphs == 0);
        w->key(ImGuiKey_F);
        w->settle(300);
    }
}

TEST_CASE("machines that others measured are pasted into a table, and one becomes the accelerator")
{
    Window w;
    const Machine slow{.name = "Old laptop",
                       .date = "2026-11-01",
                       .memory_gb = 16,
                       .launch_s = 1e-5,
                       .points = {{0, 1e8, 1e-2}, {2e9, 1e7, 0.1}}};
    Machine fast = slow;
    fast.name = "New desktop";
    fast.points[1].seconds = 0.01;
    w.clipboard = to_json(std::vector{slow, fast}).dump();
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(w.session().view() == "roofline");
    CHECK(says(w, "2 machines added"));
    CHECK(says(w, "Old laptop"));
    CHECK(says(w, "New desktop"));
    CHECK(w.session().lab().frame().machines.size() == 2);
    w.key(ImGuiKey_A);
    w.settle(300);
    const Scenario& s = w.session().scenario();
    CHECK(s.cluster.gpus == 1);
    CHECK(s.cluster.gpu.name == w.session().lab().frame().machines.front().name);
    CHECK(s.cluster.gpu.bf16_tflops > 0);
    w.click("remove machine");
    w.settle(300);
    CHECK(w.session().lab().frame().machines.size() == 1);
    w.key(ImGuiKey_V, ImGuiMod_Ctrl); // nothing is lost
    w.settle(300);
    CHECK(w.session().lab().frame().machines.size() == 2);

    w.clipboard = R"({"schema": "ringside.machines/1", "machines": [{"name": "broken"}]})";
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(says(w, "Not pasted"));
    CHECK(w.session().lab().frame().machines.size() == 2);
}
