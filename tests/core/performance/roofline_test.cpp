// The roofline of one GPU: roofs and ridge, each kernel of a layer beneath them, what a product loses to
// tiles and waves, and when decoding turns compute bound.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/report.h"
#include "core/performance/roofline.h"
#include "core/performance/step_model/layer_profile.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

Scenario llama(const std::string& extra = "")
{
    return test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
        "training": {"sequence_length": 8192, "micro_batch": 1, "global_batch": 8, "recompute": "none"})" +
                          extra + "}");
}

const RoofPoint& named(const std::vector<RoofPoint>& points, std::string_view name, KernelPass pass)
{
    const auto found =
        std::find_if(points.begin(), points.end(),
                     [&](const RoofPoint& p) { return p.what.name == name && p.what.pass == pass; });
    REQUIRE(found != points.end());
    return *found;
}

// 100 TFLOP/s on 100 processors, everything reached.
Gpu round_gpu()
{
    Gpu gpu;
    gpu.bf16_tflops = 100;
    gpu.hbm_gb_per_s = 1000;
    gpu.calibration.multiprocessors = 100;
    gpu.calibration.gemm_efficiency = gpu.calibration.hbm_efficiency = 1;
    gpu.calibration.kernel_us = 0;
    return gpu;
}

double shares(const ProductDetail& d)
{
    return d.tile_use * d.wave_use * d.fill * d.tile_rate * d.reached;
}

} // namespace

TEST_CASE("hand-worked: an H100's roofs meet at 989e12 / 3.35e12 = 295 FLOP/B, in FP8 at 591")
{
    Scenario s = llama();
    const Roofs roofs = roofs_of(s);
    CHECK(roofs.ridge() == Approx(295.2).margin(0.05));
    CHECK(roofs.attainable(100, roofs.peak) == Approx(335e12));
    CHECK(roofs.attainable(1000, roofs.peak) == 989e12);
    CHECK(roofs.attainable(roofs.ridge(), roofs.peak) == Approx(989e12));
    s.training.precision = Precision::fp8;
    CHECK(roofs_of(s).ridge() == Approx(1979.0 / 3.35));
    CHECK(roofs_of(s).half_peak == 989e12);
}

TEST_CASE("published: 8192 x 128 x 8192 has 124.1 FLOP/B and is memory bound on a V100, 8192 cubed has 2730")
{
    // NVIDIA, Matrix Multiplication Background User's Guide, chapter 2: a V100 has 138.9 FLOP/B.
    Gpu v100 = round_gpu();
    v100.bf16_tflops = 125;
    v100.hbm_gb_per_s = 900;
    const Device device(v100, Precision::bf16);
    const ProductDetail narrow = product_detail(device, {8192, 128, 8192, 1}, device.peak, 2);
    CHECK(narrow.intensity() == Approx(124.1).margin(0.05));
    CHECK(narrow.intensity() < 125e12 / 900e9);
    const ProductDetail cube = product_detail(device, {8192, 8192, 8192, 1}, device.peak, 2);
    CHECK(cube.intensity() == Approx(2730.67).margin(0.01));
    // A vector through a matrix stays below 1.
    CHECK(product_detail(device, {1, 8192, 8192, 1}, device.peak, 2).intensity() < 1);
}

TEST_CASE(
    "hand-worked: 10 x 20 tiles on 100 processors are two full waves, a row more a third one for 20 tiles")
{
    const Device device(round_gpu(), Precision::bf16);
    const ProductDetail full = product_detail(device, {1280, 2560, 8160, 1}, device.peak, 2);
    CHECK(full.tiling.tiles == 200);
    CHECK(full.tiling.waves == 2);
    CHECK(full.tile_use == 1);
    CHECK(full.wave_use == 1);
    CHECK(full.fill == Approx(8160.0 / 8192));
    CHECK(full.of_peak() == Approx(8160.0 / 8192));
    CHECK(full.last_wave(100) == 100);
    const ProductDetail more = product_detail(device, {1281, 2560, 8160, 1}, device.peak, 2);
    CHECK(more.seconds > full.seconds);
    CHECK(more.tile_use < 1);
}

TEST_CASE("the five shares multiply to what the waves reach of the peak")
{
    const Device device(test::presets().gpus.at(0).gpu, Precision::bf16);
    for (const double rows : {1.0, 64.0, 100.0, 129.0, 1000.0, 4096.0, 33333.0})
    {
        for (const double inner : {64.0, 4096.0, 28672.0})
        {
            const ProductDetail d = product_detail(device, {rows, 4096, inner, 1}, device.peak, 2);
            INFO(rows << " x 4096 x " << inner);
            CHECK(shares(d) == Approx(d.product.flops() / d.peak / (d.tiling.waves * d.tiling.wave)));
            CHECK(d.seconds == product_seconds(device, d.product, device.peak, 2));
            CHECK(d.of_peak() <= 1);
            CHECK(d.last_wave(device.processors) >= 1);
            CHECK(d.last_wave(device.processors) <= device.processors);
        }
    }
}

TEST_CASE("the rate over the rows is a saw: it falls where a tile is begun, and never with the time")
{
    const Device device(round_gpu(), Precision::bf16);
    std::vector<double> rows;
    for (double m = 64; m <= 8192; m += 64)
    {
        rows.push_back(m);
    }
    const auto all = over_rows(device, {1, 2560, 4096, 1}, device.peak, 2, rows);
    int falls = 0;
    for (std::size_t i = 1; i < all.size(); ++i)
    {
        falls += all[i].rate() < all[i - 1].rate() ? 1 : 0;
        CHECK(all[i].seconds >= all[i - 1].seconds * (1 - 1e-12));
    }
    CHECK(falls >= 4);
    CHECK(all.back().rate() > all.front().rate());
}

TEST_CASE("hand-worked: rows at an intensity, and back")
{
    // 295 FLOP/B, 8192 x 8192 in 16 bits: 295 x 2 x 8192^2 / (2 x 8192^2 - 295 x 4 x 8192) = 317.9.
    const auto rows = rows_at_intensity(295, 8192, 8192, 2);
    REQUIRE(rows);
    CHECK(*rows == Approx(317.9).margin(0.05));
    const Product p{*rows, 8192, 8192, 1};
    CHECK(p.flops() / product_bytes(p, 2) == Approx(295));
    // A matrix of 128 columns and rows: at most 64 FLOP/B, however many rows.
    CHECK(!rows_at_intensity(295, 128, 128, 2));
    CHECK(*rows_at_intensity(63, 128, 128, 2) > 1000);
    // 4096 x 4096 over K: 2 x 295 x 4096^2 / (2 x 4096^2 - 295 x 2 x 8192) = 344.6.
    const auto inner = inner_at_intensity(295, 4096, 4096, 2);
    REQUIRE(inner);
    CHECK(*inner == Approx(344.64).margin(0.01));
    const Product q{4096, 4096, *inner, 1};
    CHECK(q.flops() / product_bytes(q, 2) == Approx(295));
    CHECK(!inner_at_intensity(295, 128, 128, 2));
}

TEST_CASE("the listed kernels of a layer add up to its profile, pass by pass")
{
    for (const char* extra :
         {"", R"(, "parallel": {"tensor": 4, "sequence_parallel": true})", R"(, "parallel": {"context": 2})"})
    {
        for (const bool flash : {true, false})
        {
            Scenario s = llama(extra);
            s.training.flash_attention = flash;
            const LayerProfiler profiler(s);
            const UnitProfile layer = profiler.layer(false);
            std::array<double, 3> seconds{};
            for (const LayerKernel& k : profiler.layer_kernels(false))
            {
                seconds.at(static_cast<std::size_t>(k.pass)) += k.seconds;
            }
            const auto device = [](const PassTime& p) { return p.device() - p.of(Cause::kernels); };
            CHECK(seconds[0] == Approx(device(layer.forward)));
            CHECK(seconds[1] == Approx(device(layer.input)));
            CHECK(seconds[2] == Approx(device(layer.weight)));
        }
    }
}

TEST_CASE("hand-worked: Llama 3.1 8B's MLP on 8192 tokens multiplies 2 x 8192 x 28672 x 4096 FLOPs")
{
    const Scenario s = llama();
    const auto points = training_points(s);
    const RoofPoint& up = first_mlp_product(points);
    CHECK(up.what.name == "MLP gate and up");
    CHECK(up.what.flops == 2.0 * 8192 * 28672 * 4096);
    CHECK(up.what.bytes == 2.0 * (8192 + 28672) * 4096 + 2.0 * 8192 * 28672);
    CHECK(up.intensity() == Approx(2493.2).margin(0.05));
    CHECK(bound_of(roofs_of(s), up) == Bound::compute);
    CHECK(up.times == 1); // one micro-batch a step
    // RMSNorm: two of them, 4 bytes and 4 FLOPs an element.
    const RoofPoint& norms = named(points, "norms", KernelPass::forward);
    CHECK(norms.what.bytes == 2.0 * 4 * 8192 * 4096);
    CHECK(norms.intensity() == 1);
    CHECK(bound_of(roofs_of(s), norms) == Bound::memory);
}

TEST_CASE("the optimizer moves 36 bytes per parameter, sharded by ZeRO, and is not there when offloaded")
{
    Scenario s = llama();
    const double layer = LayerProfiler(s).layer(false).dense;
    CHECK(named(training_points(s), "optimizer", KernelPass::weight).what.bytes == 36 * layer);
    s.parallel.zero = 1;
    CHECK(named(training_points(s), "optimizer", KernelPass::weight).what.bytes == Approx(36 * layer / 8));
    s.training.offload = Offload::optimizer_cpu;
    for (const RoofPoint& p : training_points(s))
    {
        CHECK(p.what.name != "optimizer");
    }
}

TEST_CASE("decoding one sequence reads each weight for two FLOPs: 1 FLOP/B, and grouped heads 4")
{
    const auto points = decode_points(llama(), 1, 8192);
    const RoofPoint& up = first_mlp_product(points);
    CHECK(up.what.product.rows == 1);
    CHECK(up.intensity() == Approx(1).margin(0.001));
    // 32 query heads on 8 key/value heads: four products for each number read.
    const RoofPoint& cache = named(points, "attention on the cache", KernelPass::forward);
    CHECK(cache.intensity() == 4);
    CHECK(cache.what.bytes == 2.0 * 2 * 8 * 128 * 8192);
    CHECK(up.what.seconds >= up.what.bytes / 3.35e12);
}

TEST_CASE("attention on the cache keeps its intensity at any batch, products do not")
{
    const auto few = decode_points(llama(), 4, 4096);
    const auto many = decode_points(llama(), 512, 4096);
    CHECK(named(few, "attention on the cache", KernelPass::forward).intensity() ==
          Approx(named(many, "attention on the cache", KernelPass::forward).intensity()));
    CHECK(bound_of(roofs_of(llama()), first_mlp_product(few)) == Bound::memory);
    CHECK(bound_of(roofs_of(llama()), first_mlp_product(many)) == Bound::compute);
}

TEST_CASE("one token of DeepSeek-V3 reads its own experts, many read all")
{
    const Scenario s = test::scenario(
        R"({"model": "deepseek-v3", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 64},
            "parallel": {"expert": 1}, "training": {"sequence_length": 4096, "global_batch": 64}})");
    const auto one = first_mlp_product(decode_points(s, 1, 4096));
    const auto many = first_mlp_product(decode_points(s, 4096, 4096));
    REQUIRE(one.what.name.starts_with("expert"));
    CHECK(one.what.product.batch == Approx(8));
    CHECK(one.what.product.rows == Approx(1));
    CHECK(many.what.product.batch == Approx(256).epsilon(1e-6));
    CHECK(many.intensity() > one.intensity());
}

TEST_CASE("workings evaluate to their values")
{
    const Scenario s = llama();
    const Roofs roofs = roofs_of(s);
    for (const RoofPoint& p : training_points(s))
    {
        CHECK(!explain_intensity(p).working.empty());
        CHECK(explain_intensity(p).value == p.intensity());
        CHECK(explain_attainable(roofs, p).value <= p.what.peak);
        CHECK(explain_attainable(roofs, p).value <= p.intensity() * roofs.hbm * (1 + 1e-12));
    }
}

TEST_CASE("no kernel of any scenario is above its roof, and none is NaN")
{
    test::ScenarioSource source(7);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        const Roofs roofs = roofs_of(s);
        auto points = training_points(s);
        for (const RoofPoint& p : decode_points(s, 7, 1000))
        {
            points.push_back(p);
        }
        for (const RoofPoint& p : points)
        {
            INFO(std::string(p.what.name));
            CHECK(std::isfinite(p.intensity()));
            CHECK(std::isfinite(p.rate()));
            CHECK(p.what.seconds >= 0);
            CHECK(p.rate() <= p.what.peak * (1 + 1e-9));
            if (p.what.kind != KernelKind::attention)
            {
                CHECK(p.rate() <= roofs.attainable(p.intensity(), p.what.peak) * (1 + 1e-9));
            }
        }
        CHECK(memory_bound_share(roofs, points) >= 0);
        CHECK(memory_bound_share(roofs, points) <= 1);
    }
}
