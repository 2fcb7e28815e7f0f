// Tensor parallelism in a user's hands: cuts and ranks by key and button, stepping, dragging a number, the
// sequence split by the scenario's switch.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/parallelism/tensor/algebra.h"
#include "core/parallelism/tensor/plan.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

constexpr const char* kEight =
    R"({"model": "llama-3.1-70b", "cluster": {"gpus": 64}, "parallel": {"tensor": 8, "zero": 1},
    "training": {"sequence_length": 8192, "global_batch": 64}})";

std::unique_ptr<Window> opened(const std::string& text = kEight)
{
    auto w = std::make_unique<Window>();
    w->session().apply(ChangeScenario{test::scenario(text)});
    w->open("tensor");
    w->settle(500);
    return w;
}

void seek(Window& w, double t)
{
    w.session().apply(Seek{t});
    w.settle(500);
}

} // namespace

TEST_CASE("columns first: every step says what happened, and the sum is the uncut result")
{
    const auto w = opened();
    CHECK(w->motion().duration == 10.0);
    CHECK(says(*w, "partial sum of Z"));
    seek(*w, 5);
    CHECK(says(*w, "all-reduce sums Z"));
    const TensorAlgebra algebra{TensorOptions{}};
    CHECK(says(*w, fmt::format("{:.0e}", algebra.difference(TensorStage::reduce))));
    seek(*w, 10);
    CHECK(says(*w, "all-reduce sums dX"));
    CHECK(says(*w, "dX"));
    CHECK(w->drawn().fault == "");
    CHECK(w->drawn().missing_glyphs == 0);
}

TEST_CASE("C cuts rows first, and the GeLU of summands is wrong by what the engine says")
{
    const auto w = opened();
    w->key(ImGuiKey_C);
    w->settle(500);
    seek(*w, 4);
    TensorOptions o;
    o.cut = TensorCut::row_first;
    CHECK(says(*w, fmt::format("Wrong by up to {:.2f}", TensorAlgebra(o).difference(TensorStage::reduce))));
    CHECK(says(*w, "GeLU of the sum"));
    w->click("Column-parallel");
    w->settle(500);
    CHECK(says(*w, "partial sum of Z"));
}

TEST_CASE("four ranks are drawn by key and button")
{
    const auto w = opened();
    CHECK(!says(*w, "rank 3"));
    w->key(ImGuiKey_N);
    w->settle(500);
    CHECK(says(*w, "rank 3"));
    w->click("2 ranks");
    w->settle(500);
    CHECK(!says(*w, "rank 3"));
}

TEST_CASE("a number of the input is dragged and everything follows; 0 brings ours back")
{
    const auto w = opened();
    seek(*w, 2); // X, A and H = X A
    const std::string before = test::text_of(*w);
    const Rect x = w->find("###numbers of the input").rect;
    w->move_to({x.x + x.w / 8, x.y + x.h / 8});
    w->frames(2);
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    w->frames(2);
    w->move_to({x.x + x.w / 8, x.y + x.h / 8 - 40});
    w->frames(3);
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    w->settle(500);
    w->move_to({2, 2});
    w->settle(500);
    CHECK(test::text_of(*w) != before);
    w->key(ImGuiKey_0);
    w->settle(500);
    CHECK(test::text_of(*w) == before);
}

TEST_CASE(
    "with the scenario's sequence parallelism there are two more collectives, and the panel has both sizes")
{
    const auto w = opened(R"({"model": "llama-3.1-70b", "cluster": {"gpus": 64},
        "parallel": {"tensor": 8, "sequence_parallel": true, "zero": 1},
        "training": {"sequence_length": 8192, "global_batch": 64}})");
    CHECK(w->motion().duration == 12.0);
    seek(*w, 2);
    CHECK(says(*w, "all-gather collects all tokens"));
    seek(*w, 6);
    CHECK(says(*w, "reduce-scatter sums Z"));
    const TensorPlan plan = tensor_plan(w->session().scenario());
    CHECK(says(*w, format_bytes(plan.kept)));
    CHECK(says(*w, format_bytes(plan.kept_split)));
    CHECK(says(*w, "AG + reduce-scatter"));
}

TEST_CASE("heads of the scenario: shared out, and repeated where there are too few")
{
    const auto w = opened();
    CHECK(says(*w, "8 query heads and 1 key/value head per GPU"));
    w->session().apply(ChangeScenario{test::scenario(R"({"model": "llama-3.1-70b", "cluster": {"gpus": 64},
        "parallel": {"tensor": 16, "zero": 1}, "training": {"global_batch": 64}})")});
    w->settle(500);
    CHECK(says(*w, "replicated on 2"));
    w->session().apply(ChangeScenario{test::scenario(
        R"({"model": "gpt-2-124m", "cluster": {"gpus": 1}, "training": {"global_batch": 1, "sequence_length": 1024}})")});
    w->settle(500);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("the matrices have their figures for a class and in large type")
{
    for (const auto& [size, text, presenter] :
         {std::tuple{ImVec2{1280, 720}, 1.0F, true}, std::tuple{ImVec2{1280, 800}, 2.5F, false}})
    {
        Preferences wide;
        wide.text_scale = text;
        wide.presenter = presenter;
        Window w(size, wide);
        w.open("tensor");
        w.settle(500);
        CHECK(says(w, "\u22120.5"));
    }
}
