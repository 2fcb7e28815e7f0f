// What recomputation saves and costs on one stage: published shares, Chen's square root, and that every point
// is the engine's.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/memory/activations/recompute.h"
#include "core/model/compute.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

// One GPU, one stage: Llama's layers 8192 wide, `layers` of them.
Scenario one_stage(int layers, bool flash)
{
    Scenario s = test::scenario(R"({"cluster": {"gpus": 1}, "parallel": {"tensor": 1, "pipeline": 1,
        "sequence_parallel": false}, "training": {"global_batch": 1, "recompute": "none"}})");
    s.model.layers = layers;
    s.training.flash_attention = flash;
    return s;
}

RecomputeChoices choices_of(const Scenario& s)
{
    const MemoryReport memory = memory_report(s);
    return recompute_choices(s, memory, memory.fullest);
}

} // namespace

TEST_CASE("hand-worked: segments of Llama's layers keep k inputs and one segment whole")
{
    const RecomputeChoices c = choices_of(one_stage(80, true));
    const double sbh = 8192.0 * 8192.0;
    CHECK(c.input == Bytes(2 * sbh));
    CHECK(c.layer == Bytes(33.5 * sbh));
    CHECK(c.layers == 80);
    CHECK(c.in_flight == 1);
    // Logits and the head's inputs stay whatever is recomputed: 4 s b V and 2 x 2 s b h.
    const double rest = 4 * 8192.0 * 128256 + 4 * sbh;
    REQUIRE(c.segments.size() == 80);
    CHECK(c.segments[0].kept == Bytes(2 * sbh + rest));
    CHECK(c.segments[0].again == Bytes((80 * 33.5 - 2) * sbh));
    CHECK(c.segments[9].kept == Bytes(10 * 2 * sbh + rest));
    CHECK(c.segments[9].again == Bytes((8 * 33.5 - 2) * sbh));
    // One segment keeps as much as no recomputation: everything is there when the backward pass begins.
    CHECK(c.segments[0].total() == c.settings[0].total());
    // sqrt(80 x 33.5 / 2) = 36.6; a segment count that divides 80 is 40, of two layers.
    CHECK(c.root == Approx(std::sqrt(80 * 16.75)));
    CHECK(c.best == 40);
}

TEST_CASE("where a layer leaves nothing but its input, the square root of the layers is best")
{
    // Chen et al. 2016, equation 1: n / k + k. With A = I the root is sqrt(L); here A / I = 16.75 of it.
    for (const int layers : {16, 64, 100})
    {
        const RecomputeChoices c = choices_of(one_stage(layers, true));
        CHECK(c.root / std::sqrt(c.layer.value / c.input.value) == Approx(std::sqrt(layers)));
    }
}

TEST_CASE("errata E05 and E06: selective leaves 30% of GPT-3's bytes for 1% of its work, full 2% for a third")
{
    const Scenario s = test::scenario(
        R"({"model": {"layers": 96, "hidden": 12288, "heads": 96, "vocab": 51200, "dropout": true},
            "cluster": {"gpus": 1}, "parallel": {"tensor": 1, "pipeline": 1, "sequence_parallel": false},
            "training": {"sequence_length": 2048, "global_batch": 1, "flash_attention": false}})");
    const RecomputeChoices c = choices_of(s);
    const double sbh = 2048.0 * 12288;
    const double rest = c.settings[0].kept.value - 96 * 114 * sbh;
    CHECK(c.settings[1].kept == Bytes(96 * 34 * sbh + rest));
    CHECK(c.settings[2].kept == Bytes(96 * 2 * sbh + rest));
    // Attention's core over the model's work, (s/18h) / (1 + s/6h), with the head beside the layers.
    const double layers = 72 * 96 * sbh * 12288;
    const double head = 6 * sbh * 51200;
    const double attention = 4 * 96 * sbh * 2048;
    CHECK(c.settings[1].extra == Approx(attention / (layers + 3 * attention + head)));
    CHECK(attention / (layers + 3 * attention) ==
          Approx((2048.0 / (18 * 12288)) / (1 + 2048.0 / (6 * 12288))));
    CHECK(c.settings[2].extra == Approx((layers / 3 + attention) / (layers + 3 * attention + head)));
    CHECK(c.settings[2].extra == Approx(1.0 / 3).margin(0.01));
    CHECK(c.settings[0].extra == 0);
}

TEST_CASE("every point is the engine's own, and the curve falls to its least and rises again")
{
    test::ScenarioSource source(32);
    for (int i = 0; i < 150; ++i)
    {
        const Scenario s = source.next();
        const MemoryReport memory = memory_report(s);
        const RecomputeChoices c = recompute_choices(s, memory, memory.fullest);
        INFO(i << " " << s.model.name);
        for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full})
        {
            Scenario other = s;
            other.training.recompute = recompute;
            const StageMemory stage = memory_report(other).stages[memory.fullest];
            const RecomputePoint& point = c.settings[static_cast<std::size_t>(recompute)];
            REQUIRE(point.kept == stage.of(Component::activations));
            REQUIRE(point.again == stage.buffers.recomputed);
        }
        // A segment for each layer is full recomputation.
        REQUIRE(c.segments.back().kept == c.settings[2].kept);
        REQUIRE(c.segments.back().again == c.settings[2].again);
        for (std::size_t k = 0; k < c.segments.size(); ++k)
        {
            REQUIRE(c.segments[k].total() >= c.segments[static_cast<std::size_t>(c.best - 1)].total());
            REQUIRE(c.segments[k].extra == c.settings[2].extra);
            if (k > 0)
            {
                REQUIRE(c.segments[k].kept >= c.segments[k - 1].kept);
                REQUIRE(c.segments[k].again <= c.segments[k - 1].again);
            }
        }
        REQUIRE(std::isfinite(c.root));
    }
}

TEST_CASE("hand-worked: six layers in two segments, moment by moment")
{
    using enum Held;
    const auto held = [](double t) { return segment_moment(6, 2, t).held; };
    CHECK(held(0) == std::vector<Held>{input, nothing, nothing, nothing, nothing, nothing});
    CHECK(held(3.5) == std::vector<Held>{input, nothing, nothing, input, nothing, nothing});
    CHECK(held(7) == std::vector<Held>{input, nothing, nothing, whole, nothing, nothing});
    CHECK(held(9) == std::vector<Held>{input, nothing, nothing, whole, whole, whole});
    CHECK(held(11) == std::vector<Held>{input, nothing, nothing, whole, nothing, nothing});
    CHECK(held(12) == std::vector<Held>{input, nothing, nothing, nothing, nothing, nothing});
    CHECK(held(18) == std::vector<Held>(6, nothing));
    CHECK(segment_moment(6, 2, 4).layer == 4);
    CHECK(segment_moment(6, 2, 7).doing == SegmentMoment::Doing::again);
    CHECK(segment_moment(6, 2, 7).layer == 4);
    CHECK(segment_moment(6, 2, 9).doing == SegmentMoment::Doing::backward);
    CHECK(segment_moment(6, 2, 9).layer == 5);
    CHECK(segment_moment(6, 2, 18).doing == SegmentMoment::Doing::done);
}

TEST_CASE("the most that is held while it plays is what the curve says of that many segments")
{
    const RecomputeChoices c = choices_of(one_stage(21, true));
    const double rest = c.settings[2].kept.value - 21 * c.input.value;
    for (std::int64_t k = 1; k <= 21; ++k)
    {
        double most = 0;
        for (int t = 0; t <= 63; ++t)
        {
            double bytes = 0;
            for (const Held held : segment_moment(21, k, t).held)
            {
                bytes += held == Held::whole ? c.layer.value : held == Held::input ? c.input.value : 0;
            }
            most = std::max(most, bytes);
        }
        INFO(k);
        CHECK(most + rest == c.segments[static_cast<std::size_t>(k - 1)].total().value);
    }
}
