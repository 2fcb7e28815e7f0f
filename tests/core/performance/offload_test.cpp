// Offload: worked by hand, what the papers publish, and what holds for any scenario.
#include "tests/core/random_scenarios.h"
#include <muParser.h>

#include "core/evaluate/report.h"
#include "core/network/traffic.h"
#include "core/performance/offload.h"
#include "core/performance/step_time.h"
#include "core/performance/step_units.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr double kLayer = 12.002e6;
constexpr double kAll = 2 * kLayer + 1e6 + 1.001e6; // with embedding, head and final norm
constexpr double kLargest = kLayer / kAll;
constexpr double kMs = 1e-3;

// Two layers on one GPU: a micro-batch of 1500 tokens takes a layer 1 ms forward and 2 back, the head a
// fifteenth of that. A whole set of 16-bit weights or gradients takes a pipe 1 s, the optimizer's 28 bytes a
// parameter the host 1 s, its 12 bytes of state the disks 1 s.
Scenario slow_tier()
{
    Scenario s;
    Model& m = s.model;
    m.layers = 2;
    m.hidden = 1000;
    m.ffn = 4000;
    m.heads = m.kv_heads = 10;
    m.head_dim = 100;
    m.vocab = 1000;
    m.norm = Norm::rmsnorm;
    m.positions = Positions::rope;
    m.tied_embeddings = false;
    s.cluster.gpus = 1;
    s.cluster.gpu.bf16_tflops = 45;
    s.cluster.gpu.calibration = test::perfect_kernels();
    s.training.flash_attention = false;
    s.cluster.gpu.pcie_gb_per_s = 2 * kAll / 1e9;
    s.cluster.host_gb_per_s = 28 * kAll / 1e9 / 0.43;
    s.cluster.nvme_gb_per_s = 12 * kAll / 1e9;
    s.training.sequence_length = 1500;
    s.training.global_batch = 1;
    s.training.gradient_dtype = GradientDtype::bf16;
    s.training.recompute = Recompute::none;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

OffloadReport report(const Scenario& s, Offload placement, bool delayed = false)
{
    return offload_report(s, {placement, delayed});
}

double busy(const OffloadReport& r, OffloadLane lane)
{
    return r.busy[static_cast<std::size_t>(lane)];
}

constexpr std::array kPlacements{Offload::none, Offload::optimizer_cpu, Offload::optimizer_nvme,
                                 Offload::optimizer_and_weights_cpu, Offload::optimizer_and_weights_nvme};

} // namespace

TEST_CASE("hand-worked: nothing offloaded is compute alone")
{
    const OffloadReport r = report(slow_tier(), Offload::none);
    CHECK(r.compute == Approx(6.2 * kMs));
    CHECK(r.total == Approx(r.compute).epsilon(1e-12));
    CHECK(r.exposed == 0);
    CHECK(r.transfer == 0);
    CHECK(r.break_even() == 0);
    CHECK(r.held(Tank::host) == Bytes{});
    CHECK(r.step.down + r.step.up + r.step.read + r.step.write == Bytes{});
}

TEST_CASE(
    "hand-worked: the optimizer on the host costs gradients down, the update, and the weights behind it")
{
    const OffloadReport r = report(slow_tier(), Offload::optimizer_cpu);
    CHECK(r.step.down.value == Approx(2 * kAll));
    CHECK(r.step.up.value == Approx(2 * kAll));
    CHECK(r.touched.value == Approx(28 * kAll));
    CHECK(r.held(Tank::host).value == Approx(14 * kAll));
    CHECK(busy(r, OffloadLane::down) == Approx(1));
    CHECK(busy(r, OffloadLane::host) == Approx(1));
    // Weights follow the update piece by piece, so only the largest piece is left at its end.
    CHECK(r.transfer == Approx(1 + 1 + kLargest));
    // The first gradients, of the head, leave after the forward and the head's backward.
    CHECK(r.total == Approx(2.2 * kMs + 1 + 1 + kLargest));
    CHECK(r.break_even() == Approx(1500 * (2 + kLargest) / (6.2 * kMs)));
    CHECK(r.break_even_each() == 0);
}

TEST_CASE("hand-worked: a delayed update runs beside the next step")
{
    const OffloadReport r = report(slow_tier(), Offload::optimizer_cpu, true);
    CHECK(r.transfer == Approx(1 + kLargest)); // the gradients come down meanwhile
    CHECK(r.total == Approx(1 + kLargest));
    // Weights on the host cannot be fetched and delayed at once.
    CHECK(report(slow_tier(), Offload::optimizer_and_weights_cpu, true).options.delayed_update == false);
}

TEST_CASE("hand-worked: optimizer state on disk is read and written once a step")
{
    const OffloadReport r = report(slow_tier(), Offload::optimizer_nvme);
    CHECK(r.step.read.value == Approx(12 * kAll));
    CHECK(r.step.write.value == Approx(12 * kAll));
    CHECK(r.held(Tank::nvme).value == Approx(12 * kAll));
    CHECK(r.held(Tank::host).value == Approx(2 * kAll)); // where the gradients arrive
    CHECK(busy(r, OffloadLane::nvme) == Approx(2));
    CHECK(r.transfer == Approx(1 + 2)); // the update of each piece hides behind the next one's read
}

TEST_CASE("hand-worked: weights on the host come up twice for every micro-batch")
{
    Scenario s = slow_tier();
    const OffloadReport one = report(s, Offload::optimizer_and_weights_cpu);
    CHECK(one.each.up.value == Approx(4 * kAll));
    CHECK(one.step.up == one.each.up); // new ones stay on the host
    CHECK(one.transfer == Approx(2 + kLargest + 1));
    for (const std::int64_t k : {2, 3, 4, 5, 17})
    {
        s.training.global_batch = k;
        const OffloadReport more = report(s, Offload::optimizer_and_weights_cpu);
        CHECK(more.transfer == Approx(one.transfer + 2 * static_cast<double>(k - 1)));
        CHECK(more.step.up.value == Approx(4 * kAll * static_cast<double>(k)));
        CHECK(more.step.down == one.step.down);
        CHECK(busy(more, OffloadLane::up) == Approx(2 * static_cast<double>(k)));
        CHECK(busy(more, OffloadLane::compute) == Approx(more.compute));
        CHECK(more.break_even_each() == Approx(1500 * 2 / (6.2 * kMs)));
    }
    const OffloadReport disks = report(s, Offload::optimizer_and_weights_nvme);
    CHECK(disks.each.read.value == Approx(4 * kAll));
    CHECK(disks.step.write.value == Approx(14 * kAll));
    CHECK(disks.held(Tank::nvme).value == Approx(14 * kAll));
}

TEST_CASE("hand-worked: a step waits for the weights that compute does not hide")
{
    // Each pass of a micro-batch waits for its weights, 1 s; beside the last backward's the gradients go
    // down, 1 s on the other way. Half a second for the first of two layers, and 1 s of the host's optimizer.
    Scenario slow = slow_tier();
    slow.cluster.gpu.calibration.data_overlap = 1;
    slow.cluster.gpu.calibration.overlap_slowdown = 0;
    Scenario s = slow;
    s.training.offload = Offload::optimizer_and_weights_cpu;
    for (const std::int64_t k : {1, 2, 5, 17})
    {
        s.training.global_batch = k;
        const StepTime step = step_time(s);
        CHECK(step.total() == Approx(2 * static_cast<double>(k) + 1.5).epsilon(1e-3));
        CHECK(step.compute == Approx(6.2 * kMs * static_cast<double>(k)).epsilon(1e-3));
        // Task by task only the ends differ: the first piece is not half of the weights.
        const double tasks = report(s, Offload::optimizer_and_weights_cpu).total;
        CHECK(std::abs(step.total() - tasks) < 0.15);
    }
    // From disk six times as slow; 12 + 12 bytes of state a parameter at a third of a byte a second.
    s.training.global_batch = 3;
    s.training.offload = Offload::optimizer_and_weights_nvme;
    s.cluster.nvme_gb_per_s = s.cluster.gpu.pcie_gb_per_s / 6;
    CHECK(step_time(s).total() == Approx(6 * 6 + 3 + 24 * 3).epsilon(1e-3));
    // Where compute takes longer than they do, only the first layer's are waited for.
    s = slow;
    s.training.global_batch = 8;
    s.cluster.gpu.pcie_gb_per_s *= 1e5;
    s.cluster.host_gb_per_s *= 1e5;
    const double resident = step_time(s).total();
    s.training.offload = Offload::optimizer_and_weights_cpu;
    CHECK(step_time(s).total() - resident == Approx(1.5e-5).epsilon(0.01));
}

TEST_CASE("hand-worked: stages of a pipeline wait for their weights, too")
{
    Scenario s = slow_tier();
    s.training.offload = Offload::optimizer_and_weights_cpu;
    s.cluster.gpus = s.parallel.pipeline = 2;
    s.training.global_batch = 4;
    s.training.schedule = schedule("1f1b");
    // The stage that holds most, a layer with head and final norm, sets the pace: about half a second a pass.
    // Its schedule idles for (p - 1) (F + B).
    const StepTime step = step_time(s);
    const double pass = (kLayer + 1.001e6) / kAll;
    CHECK(step.bubble == Approx(2 * pass).epsilon(1e-3));
    CHECK(step.total() > 4 * 2 * pass + step.bubble);
}

TEST_CASE("hand-worked: with fast pipes only the ends of a step are exposed")
{
    Scenario s = slow_tier();
    s.cluster.gpu.pcie_gb_per_s *= 1e5; // 10 us
    s.cluster.host_gb_per_s *= 1e5;
    s.training.global_batch = 8;
    const OffloadReport r = report(s, Offload::optimizer_cpu);
    // The embedding's backward computes nothing, so its gradients and the first layer's stay exposed; then
    // the update, and the weights of its largest piece.
    CHECK(r.exposed == Approx((1e6 / kAll + kLargest + 1 + kLargest) * 1e-5).epsilon(1e-3));
    const OffloadReport weights = report(s, Offload::optimizer_and_weights_cpu);
    // At the turn the head waits for its weights and hides those of the layer before; the embedding, which
    // computes nothing, hides nothing.
    CHECK(weights.exposed < 10e-5);
    CHECK(weights.exposed > 1e-5);
}

TEST_CASE("ZeRO shards what a GPU sends down and updates; only ZeRO-3 shards what it fetches")
{
    Scenario s = slow_tier();
    s.cluster.gpus = 4;
    s.training.global_batch = 4;
    const auto down = [&](std::int64_t zero)
    {
        s.parallel.zero = zero;
        return report(s, Offload::optimizer_and_weights_cpu).step.down.value;
    };
    const auto up = [&](std::int64_t zero)
    {
        s.parallel.zero = zero;
        return report(s, Offload::optimizer_and_weights_cpu).step.up.value;
    };
    CHECK(down(0) == Approx(2 * kAll));
    CHECK(down(1) == Approx(2 * kAll / 4));
    CHECK(up(2) == Approx(4 * kAll));
    CHECK(up(3) == Approx(4 * kAll / 4));
    // Four GPUs share a host.
    s.parallel.zero = 0;
    CHECK(busy(report(s, Offload::optimizer_cpu), OffloadLane::host) == Approx(4));
}

TEST_CASE("without a rate there are places but no times")
{
    Scenario s = slow_tier();
    s.cluster.gpu.pcie_gb_per_s = 0;
    for (const Offload placement : kPlacements)
    {
        const OffloadReport r = report(s, placement);
        CHECK(r.possible == (placement == Offload::none));
        CHECK(r.total == Approx(r.compute).epsilon(1e-12));
        CHECK(r.break_even() == 0);
    }
    s = slow_tier();
    s.cluster.nvme_gb_per_s = 0;
    CHECK(report(s, Offload::optimizer_cpu).possible);
    CHECK(!report(s, Offload::optimizer_nvme).possible);
    s.training.offload = Offload::optimizer_nvme;
    CHECK(has_errors(validate(s)));
}

TEST_CASE("weights elsewhere still need room on the GPU for the layer at work and the next")
{
    Scenario s = slow_tier();
    s.training.offload = Offload::optimizer_and_weights_cpu;
    const StageMemory stage = memory_report(s).worst();
    CHECK(stage.of(Component::weights) == Bytes{});
    CHECK(stage.buffers.gathered.value == 2 * (2 * kLayer + 2.001e6));
}

TEST_CASE("fp32 weights on the GPU have a copy on the host, which its optimizer updates")
{
    Scenario s = slow_tier();
    s.training.precision = Precision::fp32;
    s.training.gradient_dtype = GradientDtype::fp32;
    const OffloadReport r = report(s, Offload::optimizer_cpu);
    CHECK(r.of(Tank::host, Component::weights).value == Approx(4 * kAll));
    CHECK(r.touched.value == Approx((4 + 2 * 12 + 4) * kAll));
    CHECK(r.step.up.value == Approx(4 * kAll));
}

TEST_CASE("published: ZeRO-Offload moves 4 bytes per parameter a step and keeps 14 of 16 on the host")
{
    // Ren et al., arXiv 2101.06840, section 3.
    const Scenario s = test::scenario(R"({"model": {"layers": 40, "hidden": 5120, "heads": 40},
        "cluster": {"gpus": 1}, "training": {"global_batch": 8, "sequence_length": 1024,
        "precision": "fp16", "gradient_dtype": "fp16", "offload": "optimizer-cpu"}})");
    const auto m = static_cast<double>(evaluate(s)->parameters.total);
    CHECK(m == Approx(13e9).epsilon(0.02));
    const OffloadReport r = report(s, Offload::optimizer_cpu);
    CHECK((r.step.down + r.step.up).value == Approx(4 * m).epsilon(1e-6));
    CHECK(r.held(Tank::host).value == Approx(14 * m).epsilon(1e-6));
    CHECK(r.of(Tank::gpu, Component::weights).value == Approx(2 * m).epsilon(1e-6));
    const HostTraffic traffic = host_traffic(s, memory_report(s));
    CHECK(traffic.down.value == Approx(r.step.down.value));
    CHECK(traffic.up.value == Approx(r.step.up.value));
}

TEST_CASE("published: CPU-Adam takes about 2.57 s for ten billion parameters on a DGX-2's host")
{
    // Ren et al., arXiv 2101.06840, Table 4; one process has the host to itself.
    Scenario s = test::scenario(R"({"model": {"layers": 50, "hidden": 4096, "heads": 32},
        "cluster": {"preset": "dgx-2", "gpus": 1}, "training": {"global_batch": 1, "sequence_length": 1024,
        "precision": "fp16", "gradient_dtype": "fp16"}})");
    const OffloadReport r = report(s, Offload::optimizer_cpu);
    const double billions = r.step.up.value / 2 / 1e9;
    CHECK(billions == Approx(10).epsilon(0.05));
    CHECK(busy(r, OffloadLane::host) * 10 / billions == Approx(2.57).epsilon(0.02));
}

TEST_CASE("published: the rates that ZeRO-Infinity asks for")
{
    // Rajbhandari et al., arXiv 2104.07857, section 4.2: peak of 70 TFLOP/s, sequences of 1024. Weights and
    // gradients have ait = s b, optimizer state s b / 4 (equations 9 and 10).
    const FlopsPerSecond peak(70e12);
    CHECK(rate_for_efficiency(0.5, 1024, peak).value == Approx(70e9).epsilon(0.03));
    CHECK(rate_for_efficiency(0.9, 1024 * 2 / 4.0, peak).value == Approx(1.23e12).epsilon(0.01));
    // Four times as much for the optimizer at the same efficiency.
    CHECK(rate_for_efficiency(0.5, 256, peak).value ==
          Approx(4 * rate_for_efficiency(0.5, 1024, peak).value));
}

TEST_CASE("published: when a forward hides the weights it fetches, there is no fixed slowdown")
{
    // An A100 at 40% of 312 TFLOP/s, 2 bytes a weight over PCIe 4.0's 32 GB/s, 2 FLOPs a weight and token.
    CHECK(break_even_tokens(2, 2, BytesPerSecond(32e9), FlopsPerSecond(312e12 * 0.4)) == Approx(3900));
    // Gradients down and weights up, 4 bytes, against the 6 FLOPs of a whole step.
    CHECK(break_even_tokens(4, 6, BytesPerSecond(32e9), FlopsPerSecond(312e12 * 0.4)) == Approx(2600));
    // 70 billion 16-bit weights once over PCIe 4.0.
    CHECK((Bytes(140e9) / BytesPerSecond(32e9)).value == Approx(4.375));
}

TEST_CASE("the closed form is the simulated break-even where attention costs nothing and one pipe rules")
{
    // A wide model with short sequences, the host's optimizer out of the way.
    Scenario s =
        test::scenario(R"({"model": {"layers": 40, "hidden": 5120, "heads": 40}, "cluster": {"gpus": 1},
        "training": {"global_batch": 4, "sequence_length": 128, "recompute": "none", "gradient_dtype": "bf16"}})");
    s.cluster.host_gb_per_s = 1e7;
    const BytesPerSecond pcie(s.cluster.gpu.pcie_gb_per_s * 1e9);
    const OffloadReport optimizer = report(s, Offload::optimizer_cpu);
    const FlopsPerSecond rate = optimizer.flops_per_second();
    CHECK(optimizer.break_even() == Approx(break_even_tokens(4, 6, pcie, rate)).epsilon(0.03));
    const OffloadReport weights = report(s, Offload::optimizer_and_weights_cpu);
    CHECK(weights.break_even_each() == Approx(break_even_tokens(4, 6, pcie, rate)).epsilon(0.03));
}

TEST_CASE("the working of the break-even evaluates to it")
{
    test::ScenarioSource source(77);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        for (const Offload placement : kPlacements)
        {
            const OffloadReport r = report(s, placement);
            if (!r.possible || !r.offloads())
            {
                continue;
            }
            const Term term = explain_break_even(r);
            std::string text = term.working;
            for (std::size_t at = text.find("×"); at != std::string::npos; at = text.find("×"))
            {
                text.replace(at, std::string_view("×").size(), "*");
            }
            mu::Parser parser;
            parser.SetExpr(text);
            INFO(term.working);
            CHECK(parser.Eval() == Approx(term.value).epsilon(1e-3));
        }
    }
}

TEST_CASE("for any scenario: finite, conserved, between the longer of two and their sum")
{
    test::ScenarioSource source(5);
    for (int i = 0; i < 250; ++i)
    {
        const Scenario s = source.next();
        double elements = 0;
        const StepUnits units = step_units(s, false);
        for (const StepUnit& unit : units.units)
        {
            elements += unit.elements(0) + unit.elements(1);
        }
        for (const Offload placement : kPlacements)
        {
            INFO(title_of(placement) << ", scenario " << i);
            const OffloadReport r = report(s, placement);
            for (const double number : {r.compute, r.total, r.exposed, r.transfer, r.break_even(),
                                        r.slowdown(), r.break_even_each(), r.tokens, r.shown_total})
            {
                REQUIRE(std::isfinite(number));
                REQUIRE(number >= 0);
            }
            Scenario placed = s;
            placed.training.offload = placement;
            const StageMemory stage = memory_report(placed).stages[static_cast<std::size_t>(r.stage)];
            REQUIRE(r.held(Tank::gpu) == stage.total());
            REQUIRE(r.held(Tank::host) == stage.host_bytes);
            REQUIRE(r.held(Tank::nvme) == stage.nvme_bytes);
            REQUIRE(elements == Approx(static_cast<double>(stage.parameters)));
            // What comes down arrives; what is read is what lies there, and goes back.
            const double padding = 8 * 2 * static_cast<double>(s.cluster.gpus) + 8;
            REQUIRE(std::abs(r.step.down.value - r.of(Tank::host, Component::gradients).value) <= padding);
            const Bytes state = r.step.read - static_cast<double>(r.micro_batches) * r.each.read;
            REQUIRE(state <= r.held(Tank::nvme) + Bytes(1 + 1e-9 * r.step.read.value));
            // 8-bit weights lie there with their copies, which are made anew; a frozen base stays as it is.
            REQUIRE((s.training.precision == Precision::fp8 || s.training.lora.rank > 0 ||
                     std::abs(r.step.write.value - r.held(Tank::nvme).value) <= 1 + padding));
            REQUIRE((s.training.lora.rank == 0 || r.step.write <= r.held(Tank::nvme) + Bytes(1 + padding)));
            if (!r.possible)
            {
                continue;
            }
            const double close = 1e-9 * (r.compute + r.transfer);
            REQUIRE(r.total >= std::max(r.compute, r.transfer) - close);
            REQUIRE(r.total <= r.compute + r.transfer + close);
            REQUIRE(r.shown <= r.micro_batches);
            REQUIRE(r.shown_total <= r.total + close);
            for (const double b : r.busy)
            {
                REQUIRE(b <= r.total + close);
            }
            REQUIRE(busy(r, OffloadLane::compute) == Approx(r.compute).margin(close));
            const auto at_own = offload_totals(s, {placement, false}, std::array{r.tokens, r.tokens * 3});
            REQUIRE(at_own[0] == Approx(r.total));
            REQUIRE(at_own[1] >= at_own[0] - close);
        }
    }
}

TEST_CASE("for any scenario: a faster pipe and a delayed update never make a step longer")
{
    test::ScenarioSource source(6);
    for (int i = 0; i < 120; ++i)
    {
        const Scenario s = source.next();
        Scenario fast = s;
        fast.cluster.gpu.pcie_gb_per_s *= 2;
        fast.cluster.nvme_gb_per_s *= 1.5;
        fast.cluster.host_gb_per_s *= 3;
        for (const Offload placement : kPlacements)
        {
            const OffloadReport r = report(s, placement);
            if (r.possible)
            {
                REQUIRE(report(fast, placement).total <= r.total * (1 + 1e-12));
                REQUIRE(report(s, placement, true).total <= r.total * (1 + 1e-12));
            }
        }
    }
}
