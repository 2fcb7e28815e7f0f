// The stored tensors in a user's hands: what is listed and how much of it, what keys and sliders change,
// and every kind of model.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/activations/tensors.h"
#include "core/memory/memory.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

const Scenario& shown(Window& w)
{
    return w.session().now().scenario;
}

std::string layer_bytes(Window& w, bool experts)
{
    const Scenario& s = shown(w);
    return format_bytes(
        Bytes(layer_activations(s.model, s.training, s.parallel, experts, s.training.recompute)));
}

} // namespace

TEST_CASE("every tensor of a layer is listed with its bytes, and they come to what the layer keeps")
{
    Window w;
    w.open("activations");
    w.settle(300);
    const Scenario& s = shown(w);
    for (const ActivationTensor& t : activation_tensors(s.model, s.training, s.parallel, false))
    {
        INFO(t.name);
        if (t.unread)
        {
            continue;
        }
        CHECK(says(w, t.name));
        CHECK(says(w, format_bytes(Bytes(tensor_bytes(t, s.training, s.parallel)))));
    }
    CHECK(says(w, layer_bytes(w, false) + " stored"));
    CHECK(says(w, "1.07 GB not stored"));
}

TEST_CASE("F writes the scores down, R lets them go and computes them again")
{
    Window w;
    w.open("activations");
    w.key(ImGuiKey_R); // selective, then full
    w.settle(300);
    CHECK(shown(w).training.recompute == Recompute::full);
    CHECK(says(w, "16.8 MB stored"));
    w.key(ImGuiKey_R);
    w.settle(300);
    CHECK(shown(w).training.recompute == Recompute::alternate);
    CHECK(says(w, "MLP output"));
    w.key(ImGuiKey_R);
    w.key(ImGuiKey_F);
    w.settle(300);
    CHECK(shown(w).training.recompute == Recompute::none);
    CHECK(!shown(w).training.flash_attention);
    CHECK(!says(w, "not stored"));
    CHECK(says(w, layer_bytes(w, false) + " stored"));
    w.key(ImGuiKey_R);
    w.settle(300);
    CHECK(says(w, "1.07 GB recomputed"));
}

TEST_CASE("a tensor that is pressed keeps its working in the caption until it is pressed again")
{
    Window w;
    w.open("activations");
    w.settle(300);
    w.click("###tensor queries");
    w.move_to({-100, -100});
    w.settle(300);
    CHECK(says(w, "2 s b a d / t = 2 \u00d7 8192 \u00d7 1 \u00d7 8192 / 8 = 16.8 MB"));
    w.click("###tensor queries");
    w.move_to({-100, -100});
    w.settle(300);
    CHECK(says(w, "activations = c s b h / t"));
}

TEST_CASE("O puts the largest first, E shows the other kind of layer")
{
    Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": "deepseek-v3", "cluster": {"preset": "deepseek-v3-h800", "gpus": 2048},
            "parallel": {"pipeline": 16, "expert": 64, "zero": 1,
                         "stage_layers": [4,4,4,4,4,4,4,4,4,4,4,4,4,3,3,3]},
            "training": {"global_batch": 15360, "sequence_length": 4096, "precision": "fp8"}})")});
    w.open("activations");
    w.settle(300);
    CHECK(says(w, "One expert layer"));
    CHECK(says(w, "RoPE key"));
    CHECK(says(w, layer_bytes(w, true) + " stored"));
    const auto place = [&](std::string_view name) { return w.find("###tensor " + std::string(name)).rect.y; };
    CHECK(place("layer input") < place("expert gate and up"));
    w.key(ImGuiKey_O);
    w.settle(300);
    CHECK(place("expert gate and up") < place("layer input"));
    w.key(ImGuiKey_E);
    w.settle(300);
    CHECK(says(w, "One dense layer"));
    CHECK(says(w, layer_bytes(w, false) + " stored"));
}

TEST_CASE("sliders of length, heads and width rest where the layout can run, and change what they say")
{
    Window w;
    w.open("activations");
    w.settle(300);
    const Model before = shown(w).model;
    w.drag("Heads a", 0.5F, 1.0F, [&] { CHECK(w.valid()); });
    w.settle(300);
    CHECK(shown(w).model.heads > before.heads);
    CHECK(shown(w).model.heads * shown(w).model.head_dim == before.heads * before.head_dim);
    w.session().apply(Command::undo);
    w.drag("Width h", 0.5F, 0.0F, [&] { CHECK(w.valid()); });
    w.settle(300);
    CHECK(shown(w).model.hidden < before.hidden);
    w.drag("Sequence s", 0.5F, 1.0F, [&] { CHECK(w.valid()); });
    w.settle(300);
    CHECK(shown(w).training.sequence_length > 8192);
}

TEST_CASE("the panel says what a tensor cut leaves with and without the sequence")
{
    Window w;
    w.session().apply(ChangeScenario{test::scenario(
        R"({"model": {"layers": 96, "hidden": 12288, "heads": 96, "vocab": 51200, "dropout": true},
            "cluster": {"gpus": 8}, "parallel": {"tensor": 8, "sequence_parallel": true},
            "training": {"sequence_length": 2048, "global_batch": 8, "recompute": "none"}})")});
    w.open("activations");
    w.settle(300);
    const double sbh = 2048.0 * 12288;
    CHECK(says(w, format_bytes(Bytes(34 * sbh))));
    CHECK(says(w, format_bytes(Bytes((10 + 24.0 / 8) * sbh))));
    CHECK(says(w, format_bytes(Bytes(34 * sbh / 8))));
}
