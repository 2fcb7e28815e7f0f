// The zoom from a cluster to one bit: the camera alone on frames worked by hand, then its frames, sizes and
// scales for any scenario.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/zoom/layout.h"
#include "core/model/stages.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

// A quarter of the width in the middle, then a tenth at the upper left corner, then a half.
ZoomPath simple_path()
{
    return {{{0.375, 0.375, 0.25}, {0, 0, 0.1}, {0.25, 0.25, 0.5}}, 1};
}

constexpr std::array<double, 3> kRatios{0.3, 0.62, 1.6};

bool is_inside(const ZoomFrame& inner, double ratio)
{
    return inner.x >= -1e-12 && inner.y >= -1e-12 && inner.x + inner.w <= 1 + 1e-12 &&
           inner.y + inner.w * ratio <= ratio + 1e-12;
}

std::vector<Scenario> zoomed_scenarios()
{
    std::vector<Scenario> all{
        test::presets().scenario("default")->scenario,
        test::scenario(R"({"model": "gpt-2-124m", "cluster": {"gpus": 1},
                           "training": {"global_batch": 1, "sequence_length": 1024}})"),
        test::scenario(R"({"model": "deepseek-v3", "cluster": {"preset": "deepseek-v3-h800", "gpus": 2048},
                           "parallel": {"pipeline": 16, "expert": 64, "zero": 1,
                                        "stage_layers": [4,4,4,4,4,4,4,4,4,4,4,4,4,3,3,3]},
                           "training": {"global_batch": 15360, "sequence_length": 4096, "precision": "fp8"}})")};
    test::ScenarioSource source(61);
    for (int i = 0; i < 25; ++i)
    {
        all.push_back(source.next());
    }
    return all;
}

} // namespace

TEST_CASE(
    "hand-worked: at a whole height its frame fills the window, half way the width is the geometric mean")
{
    const ZoomPath path = simple_path();
    for (const std::size_t level : {0U, 1U, 2U, 3U})
    {
        const ZoomFrame f = path.frame(level, static_cast<double>(level));
        CHECK(f.x == Approx(0).margin(1e-12));
        CHECK(f.y == Approx(0).margin(1e-12));
        CHECK(f.w == Approx(1));
    }
    // sqrt(0.25) of frame 0 is in sight, still in its middle.
    const ZoomFrame half = path.frame(0, 0.5);
    CHECK(half.w == Approx(2));
    CHECK(half.x == Approx(-0.5));
    // Frame 1 is half as wide as the window then, frame 2 a twentieth, at its corner.
    CHECK(path.frame(1, 0.5).w == Approx(0.5));
    CHECK(path.frame(2, 0.5).w == Approx(0.05));
    CHECK(path.frame(2, 0.5).x == Approx(0.25));
    // Outwards: frame 0 seen from frame 2 is 40 times the window.
    CHECK(path.frame(0, 2).w == Approx(40));
    CHECK(path.frame(0, 2).x == Approx(-15));
}

TEST_CASE("hand-worked: magnified goes through levels by the logarithm of their width")
{
    const ZoomPath path = simple_path();
    CHECK(path.magnified(0, 2) == Approx(0.5));
    CHECK(path.magnified(0, 4) == Approx(1));
    CHECK(path.magnified(0, 40) == Approx(2));
    CHECK(path.magnified(0, 4 * std::sqrt(10.0)) == Approx(1.5));
    CHECK(path.magnified(1.5, 1 / (2 * std::sqrt(10.0))) == Approx(0.5));
    CHECK(path.magnified(0, 1e9) == Approx(3));
    CHECK(path.magnified(0.25, 1e-9) == Approx(0).margin(1e-12));
}

TEST_CASE("a window never reaches beyond the frame that it came from")
{
    const ZoomPath path = simple_path();
    for (double height = 0; height < 3; height += 0.01)
    {
        const ZoomFrame f = path.frame(static_cast<std::size_t>(height), height);
        CHECK(f.x <= 1e-12);
        CHECK(f.y <= 1e-12);
        CHECK(f.x + f.w >= 1 - 1e-12);
        CHECK(f.y + f.w >= 1 - 1e-12);
    }
}

TEST_CASE("a camera on its way moves nothing in sight further than it may, and arrives there and back")
{
    for (const Scenario& s : zoomed_scenarios())
    {
        const auto report = evaluate(s);
        REQUIRE(report);
        const Heights heights(s, *report);
        const double ratio = 0.62;
        const ZoomPath path(ZoomLayout(heights, report->pipeline->timeline, ratio).frames(), ratio);
        const ZoomFrame before = path.frame(3, 0.7);
        double at = 0.7;
        for (const double target : {9.9, 2.3, 10.0, 0.0, 0.7})
        {
            int steps = 0;
            while (at != target)
            {
                const double next = path.towards(at, target, 0.02);
                REQUIRE(next != at);
                // Measured at points of the window, not by the function that chose the step.
                const auto level = static_cast<std::size_t>(std::min(std::floor(std::min(at, next)), 9.0));
                const ZoomFrame a = path.frame(level, at);
                const ZoomFrame b = path.frame(level, next);
                for (const double x : {0.0, 0.31, 1.0})
                {
                    for (const double y : {0.0, 0.4, ratio})
                    {
                        const double to_x = b.x + (x - a.x) / a.w * b.w;
                        const double to_y = b.y + (y - a.y) / a.w * b.w;
                        REQUIRE(std::fabs(to_x - x) <= 0.02 + 1e-9);
                        REQUIRE(std::fabs(to_y - y) <= 0.02 + 1e-9);
                    }
                }
                at = next;
                REQUIRE(++steps < 4000);
            }
        }
        CHECK(path.frame(3, at) == before);
    }
}

TEST_CASE("every frame lies inside the one before, whatever the scenario and the window")
{
    for (const Scenario& s : zoomed_scenarios())
    {
        const auto report = evaluate(s);
        REQUIRE(report);
        const Heights heights(s, *report);
        for (const double ratio : kRatios)
        {
            const ZoomLayout layout(heights, report->pipeline->timeline, ratio);
            const auto frames = layout.frames();
            REQUIRE(frames.size() == kHeights - 1);
            for (const ZoomFrame& f : frames)
            {
                CHECK(is_inside(f, ratio));
                CHECK(f.w > 0);
                CHECK(f.w < 0.99);
            }
        }
    }
}

TEST_CASE("further down there is never more computed, nor does it take longer")
{
    for (const Scenario& s : zoomed_scenarios())
    {
        const auto report = evaluate(s);
        REQUIRE(report);
        const Heights heights(s, *report);
        for (std::size_t i = 1; i < kHeights; ++i)
        {
            INFO(i);
            CHECK(heights.sizes[i].flops > 0);
            CHECK(heights.sizes[i].seconds > 0);
            CHECK(heights.sizes[i].bytes > 0);
            CHECK(heights.sizes[i].flops <= heights.sizes[i - 1].flops * (1 + 1e-9));
            CHECK(heights.sizes[i].seconds <= heights.sizes[i - 1].seconds * (1 + 1e-9));
        }
        // Down to the GPU, bytes are parts of what the cluster holds; inside a product, of its operands.
        for (const Height at : {Height::domain, Height::gpu, Height::lane, Height::tile, Height::step,
                                Height::number, Height::bit})
        {
            const auto i = static_cast<std::size_t>(at);
            CHECK(heights.sizes[i].bytes <= heights.sizes[i - 1].bytes * (1 + 1e-9));
        }
    }
}

TEST_CASE("the sizes of the default scenario are the engine's own")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const auto report = evaluate(s);
    REQUIRE(report);
    const Heights h(s, *report);
    double held = 0;
    for (const StageMemory& stage : report->memory.stages)
    {
        held += stage.total().value * static_cast<double>(s.cluster.gpus) /
                static_cast<double>(report->memory.stages.size());
    }
    CHECK(h.of(Height::cluster).bytes == Approx(held));
    CHECK(h.of(Height::cluster).seconds == report->step.total());
    CHECK(h.of(Height::gpu).bytes == report->memory.stages[h.stage].total().value);
    CHECK(h.of(Height::gpu).flops * static_cast<double>(s.cluster.gpus) ==
          Approx(report->compute.hardware_step.value));
    const Product& p = h.product.product;
    CHECK(h.of(Height::gemm).flops == 2 * p.rows * p.cols * p.inner * p.batch);
    // The event is a forward pass of the GPU's stage.
    const Event& e = report->pipeline->timeline.events[h.event];
    CHECK(e.operation.pass == Pass::forward);
    CHECK(static_cast<std::size_t>(e.rank) == h.stage);
    // BF16 on an H100: wgmma m64nNk16, 2 bytes and 16 bits a number.
    CHECK(h.step.name == "wgmma");
    CHECK(h.step.rows == 64);
    CHECK(h.step.inner == 16);
    CHECK(h.of(Height::number).bytes == 2);
    CHECK(h.of(Height::bit).bytes == 0.125);
    CHECK(h.of(Height::number).flops == 2 * h.step.cols);
    // What is inside a tile adds up to it.
    const double steps = h.of(Height::tile).flops / h.of(Height::step).flops;
    CHECK(h.of(Height::step).seconds * steps == Approx(h.of(Height::tile).seconds));
}

TEST_CASE("matrix instructions are those of the accelerator, and no larger than the tile")
{
    const auto step = [](const char* id, int bits)
    {
        const GpuPreset* preset = test::presets().gpu(id);
        REQUIRE(preset != nullptr);
        return matrix_step(preset->gpu, bits, 128, 128);
    };
    CHECK(step("h100-sxm-80gb", 16).cols == 128); // of up to 256
    CHECK(step("h100-sxm-80gb", 8).inner == 32);
    CHECK(step("h100-sxm-80gb", 32).inner == 8);
    CHECK(step("a100-sxm-80gb", 16).rows == 16);
    CHECK(step("b200-sxm", 16).rows == 128);
    CHECK(step("b200-sxm", 4).inner == 64);
    CHECK(step("mi300x", 16).inner == 8);
    CHECK(step("mi355x", 16).inner == 16);
    CHECK(step("tpu-v5p", 16).name == "MXU");
    CHECK_FALSE(step("tpu-v6e", 16).source.empty());
    // An accelerator that is not in the table has Hopper's, and says so.
    CHECK(step("gaudi-3", 16).source.empty());
    CHECK(step("gaudi-3", 16).rows == 64);
}

TEST_CASE("between two heights a scale is their geometric mean, and at a height its own")
{
    const Scenario s = test::presets().scenario("default")->scenario;
    const auto report = evaluate(s);
    REQUIRE(report);
    const Heights h(s, *report);
    const ZoomPath path(ZoomLayout(h, report->pipeline->timeline, 0.62).frames(), 0.62);
    const double gemm = h.of(Height::gemm).flops;
    const double tile = h.of(Height::tile).flops;
    CHECK(h.at(path, 6).flops == Approx(gemm));
    CHECK(h.at(path, 6.5).flops == Approx(std::sqrt(gemm * tile)));
    CHECK(h.at(path, 10).bytes == Approx(0.125));
}
