// The life of a step: worked by hand, volumes as the papers have them, and what holds for any scenario.
#include "tests/core/random_scenarios.h"
#include <muParser.h>

#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/network/traffic.h"
#include "core/performance/step_life.h"
#include "core/performance/step_time.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <limits>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr double kMs = 1e-3;

// Two layers of 12.002 million weights on two ranks. A layer's forward is 24e6 FLOPs of products and 6e6 of
// scores a token, 1500 tokens, at 45 TFLOP/s: 1 ms. Its 24.004 MB of 16-bit weights or gradients pass
// an all-reduce of two ranks in 1 ms, a gather or a reduce-scatter in half. Head: 1/15 ms forward.
Scenario two_layers()
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
    s.cluster.gpus = 2;
    s.cluster.gpu.bf16_tflops = 45;
    s.cluster.gpu.calibration = test::perfect_kernels();
    s.training.flash_attention = false;
    s.cluster.node_link_gb_per_s = 24.004;
    s.cluster.network_gb_per_s = 1;
    s.training.sequence_length = 1500;
    s.training.global_batch = 2;
    s.training.gradient_dtype = GradientDtype::bf16;
    s.training.recompute = Recompute::none;
    s.collective.latency_us = 0;
    REQUIRE(!has_errors(validate(s)));
    return s;
}

constexpr double kLayer = 12.002e6;
constexpr double kAll = 2 * kLayer + 1e6 + 1.001e6; // with embedding, head and final norm
constexpr double kWire = 24.004e9;                  // [B/s]

double moved(const StepLife& life)
{
    return life.wire() + life.busy_on(StepLane::layers);
}

StepOptions options(StepStrategy strategy)
{
    StepOptions o;
    o.strategy = strategy;
    return o;
}

} // namespace

TEST_CASE("hand-worked: DDP hides every reduction but the first layer's and the embedding's")
{
    StepOptions o = options(StepStrategy::ddp);
    o.bucket_mb = 0; // each tensor is a message of its own
    const StepLife life = step_life(two_layers(), o);
    const double rest = 2e6 / kWire / kMs; // the embedding's all-reduce
    CHECK(life.compute / kMs == Approx(2 + 4 + 3.0 / 15));
    CHECK(life.exposed / kMs == Approx(1 + rest));
    CHECK(life.total == life.compute + life.exposed);
    CHECK(life.busy_on(StepLane::between) == 0);                         // both ranks are in one node
    CHECK(life.sent_of(StepKind::all_reduce).value == Approx(2 * kAll)); // 2 (N-1)/N P, 2 bytes each
    CHECK(life.units == std::vector<std::int64_t>{kEmbeddingUnit, 0, 1, kHeadUnit});
    CHECK(life.peak_gradients.value == Approx(2 * kAll));
    CHECK(life.peak_weights.value == Approx(2 * kAll));
}

TEST_CASE("hand-worked: one bucket for everything starts when the last gradient is there")
{
    StepOptions o = options(StepStrategy::ddp);
    o.bucket_mb = 1e9;
    const StepLife life = step_life(two_layers(), o);
    CHECK(life.exposed / kMs == Approx(2 * kAll / kWire / kMs));
    // 20 MB: the head and the last layer's MLP, 18.002 MB, are not enough; its attention output fills it.
    o.bucket_mb = 20;
    const StepLife filled = step_life(two_layers(), o);
    const auto first = std::find_if(filled.tasks.begin(), filled.tasks.end(),
                                    [](const StepTask& t) { return t.kind == StepKind::all_reduce; });
    REQUIRE(first != filled.tasks.end());
    CHECK(first->from == kHeadUnit);
    CHECK(first->layer == 1);
    CHECK(first->start / kMs == Approx(2 + 3.0 / 15 + 2));
}

TEST_CASE("hand-worked: ZeRO-3 gathers one layer ahead, and pays at the start, the turn and the end")
{
    StepOptions o = options(StepStrategy::zero3);
    const StepLife life = step_life(two_layers(), o);
    const double embedding = 1e6 / kWire / kMs;
    const double head = 1.001e6 / kWire / kMs;
    // Before the first layer: embedding and layer. At the turn: the head again, and what of the last layer's
    // gather its backward does not cover. At the end: the first layer's scatter, and the embedding's.
    CHECK(life.exposed / kMs == Approx((embedding + 0.5) + (head + 0.5 - 2.0 / 15) + (0.5 + embedding)));
    CHECK(life.sent_of(StepKind::all_gather).value == Approx(2 * kAll));
    CHECK(life.sent_of(StepKind::reduce_scatter).value == Approx(kAll));
    CHECK(life.peak_weights.value == Approx(2 * 2 * kLayer));

    o.prefetch = 0;
    const StepLife serial = step_life(two_layers(), o);
    CHECK(serial.exposed / kMs == Approx(3 * kAll / kWire / kMs));
    CHECK(serial.peak_weights.value == Approx(2 * kLayer));
    CHECK(serial.peak_gradients.value == Approx(2 * kLayer));
    CHECK(serial.compute / kMs == Approx(6 + 3.0 / 15));
}

TEST_CASE("hand-worked: HSDP gathers inside the node and adds up its shard between nodes")
{
    Scenario s = two_layers();
    s.cluster.gpus = 16;
    s.training.global_batch = 16;
    s.cluster.gpus_per_node = 8;
    s.cluster.network_gb_per_s = 50;
    const StepLife life = step_life(s, options(StepStrategy::hsdp));
    CHECK(life.groups[0].shards == 8);
    CHECK(life.groups[0].ranks == 16);
    CHECK(life.sent_of(StepKind::all_gather).value == Approx(2 * 7.0 / 8 * 2 * kAll));
    CHECK(life.sent_of(StepKind::reduce_scatter).value == Approx(7.0 / 8 * 2 * kAll));
    CHECK(life.sent_of(StepKind::all_reduce).value == Approx(2 * kAll / 8)); // two copies: 2 x 1/2
    for (const StepTask& t : life.tasks)
    {
        if (t.kind == StepKind::all_reduce)
        {
            CHECK(t.lane == StepLane::between);
        }
        else if (t.lane != StepLane::compute)
        {
            CHECK(t.lane == StepLane::inside);
        }
    }
    CHECK(step_life(s, options(StepStrategy::zero3)).busy_on(StepLane::inside) ==
          0); // all of it on the network
}

TEST_CASE("volumes are those of the papers: 2P for DDP and ZeRO-1, (k+1)P for ZeRO-2, 3kP for ZeRO-3")
{
    Scenario s = two_layers(); // two ranks: (N-1)/N is a half
    const double unit = 0.5 * 2 * kAll;
    for (std::int64_t k = 1; k <= 8; ++k)
    {
        INFO("k = " << k);
        const auto passes = [&](StepOptions o)
        {
            o.accumulation = k;
            const double all = step_life(s, o).all_sent().value / unit;
            CHECK(all == Approx(step_passes(o).all()));
            return all;
        };
        const auto n = static_cast<double>(k);
        CHECK(passes(options(StepStrategy::ddp)) == Approx(2));
        CHECK(passes(options(StepStrategy::zero1)) == Approx(2));
        CHECK(passes(options(StepStrategy::zero2)) == Approx(n + 1));
        StepOptions o = options(StepStrategy::zero3);
        CHECK(passes(o) == Approx(3 * n));
        o.reduce_every = false;
        CHECK(passes(o) == Approx(2 * n + 1));
        o.reshard_after_forward = false;
        CHECK(passes(o) == Approx(n + 1));
        o.reduce_every = true;
        CHECK(passes(o) == Approx(2 * n));
    }
}

TEST_CASE("volumes count each element's own bytes: 16-bit gathers and fp32 reductions make ZeRO-3 8 B, not 6")
{
    Scenario s = two_layers();
    s.training.gradient_dtype = GradientDtype::fp32;
    CHECK(step_life(s, options(StepStrategy::zero3)).all_sent().value == Approx(0.5 * (2 + 2 + 4) * kAll));
    CHECK(step_life(s, options(StepStrategy::zero1)).all_sent().value == Approx(0.5 * (2 + 4) * kAll));
    CHECK(step_life(s, options(StepStrategy::ddp)).all_sent().value == Approx(0.5 * 8 * kAll));
}

TEST_CASE("tensors below the threshold are gathered once a step, after the optimizer")
{
    StepOptions o = options(StepStrategy::zero3);
    o.accumulation = 4;
    o.persistence = 1e5; // the norms: 5 x 1000
    const StepLife life = step_life(two_layers(), o);
    CHECK(life.groups[0].persistent == 5000);
    CHECK(life.sent_of(StepKind::all_gather).value == Approx(0.5 * 2 * (8 * (kAll - 5000) + 5000)));
    CHECK(life.tasks.back().kind == StepKind::all_gather);
    CHECK(life.held.back().weights.value == 2 * 5000);
}

TEST_CASE("a tied embedding is gathered once a pass and stays for the head")
{
    Scenario s = two_layers();
    s.model.tied_embeddings = true;
    StepOptions o = options(StepStrategy::zero3);
    o.prefetch = 0;
    const StepLife life = step_life(s, o);
    CHECK(life.sent_of(StepKind::all_gather).value == Approx(2 * (kAll - 1e6)));
    CHECK(life.peak_weights.value == Approx(2 * (1e6 + kLayer)));
}

TEST_CASE("hand-worked: tensor parallelism waits in the forward and hides in the backward")
{
    Scenario s = two_layers();
    s.parallel.tensor = 2; // one replica
    // 3 MB of activations pass an all-reduce of two ranks in an eighth of a millisecond. Weight gradients of
    // attention, 2/15 ms, and of the MLP, 4/15 ms, are long enough to hide one.
    const double reduce = 3e6 / kWire / kMs;
    const StepLife life = step_life(s, options(StepStrategy::ddp));
    CHECK(life.exposed / kMs == Approx(4 * reduce));
    CHECK(life.waited_for(Axis::tensor) == Approx(life.exposed));
    CHECK(life.sent_of(Axis::tensor).value == Approx(8 * 3e6)); // 2 (t-1)/t of 3 MB, four times each way
    CHECK(life.all_sent().value == 0);
    // Cut along the sequence the same bytes: what gathers a gradient is waited for.
    s.parallel.sequence_parallel = true;
    const StepLife cut = step_life(s, options(StepStrategy::ddp));
    CHECK(cut.sent_of(Axis::tensor) == life.sent_of(Axis::tensor));
    CHECK(cut.exposed / kMs == Approx(4 * reduce + 4 * reduce / 2));
    StepOptions without = options(StepStrategy::ddp);
    without.inside_layers = false;
    CHECK(step_life(s, without).exposed == 0);
}

TEST_CASE("hand-worked: the context ring hides behind the scores where they take longer")
{
    Scenario s = two_layers();
    s.parallel.context = 2;
    StepOptions o = options(StepStrategy::ddp);
    o.bucket_mb = 1e9;
    // One hop of 2 x 750 tokens x 1000 x 2 B = 3 MB takes 1/8 ms; scores take 6/30 of half a millisecond.
    const double hop = 3e6 / kWire / kMs;
    const StepLife life = step_life(s, o);
    CHECK(life.sent_of(Axis::context).value == Approx(3 * 2 * 3e6)); // one round forward, two backward
    CHECK(life.waited_for(Axis::context) / kMs == Approx(2 * (hop - 0.1) + 2 * (2 * hop - 0.2)));
}

TEST_CASE("any step's layers send what the closed forms of the layout have")
{
    test::ScenarioSource source(95);
    std::array<int, kAxes> seen{};
    for (int i = 0; i < 400; ++i)
    {
        const Scenario s = source.next();
        if (s.parallel.pipeline > 1)
        {
            continue;
        }
        StepOptions o = options(StepStrategy::ddp);
        o.accumulation = std::min<std::int64_t>(2, micro_batches(s));
        const StepLife life = step_life(s, o);
        const double share = static_cast<double>(o.accumulation) / static_cast<double>(micro_batches(s));
        INFO(s.model.name << ", " << s.cluster.gpus << " GPUs");
        CHECK(life.sent_of(Axis::tensor).value == Approx(tensor_traffic(s).value * share));
        CHECK(life.sent_of(Axis::context).value == Approx(context_traffic(s).value * share));
        CHECK(life.sent_of(Axis::expert).value == Approx(expert_traffic(s).value * share));
        for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
        {
            seen[static_cast<std::size_t>(axis)] += life.sent_of(axis).value > 0 ? 1 : 0;
        }
    }
    CHECK(seen[static_cast<std::size_t>(Axis::tensor)] > 10);
    CHECK(seen[static_cast<std::size_t>(Axis::context)] > 10);
    CHECK(seen[static_cast<std::size_t>(Axis::expert)] > 5);
}

TEST_CASE("one replica sends nothing and waits for nothing")
{
    Scenario s = two_layers();
    s.cluster.gpus = 1;
    s.training.global_batch = 1;
    for (std::size_t k = 0; k < kStepStrategies; ++k)
    {
        const StepLife life = step_life(s, options(static_cast<StepStrategy>(k)));
        CHECK(life.alone());
        CHECK(life.exposed == 0);
        CHECK(life.efficiency() == 1);
        CHECK(life.all_sent().value == 0);
        CHECK(explain_step_sent(life, options(static_cast<StepStrategy>(k))).working == "0");
    }
}

namespace
{

void must_be_one_step(const StepLife& life, StepStrategy strategy)
{
    std::array<double, kStepLanes> free{};
    double compute = 0;
    for (const StepTask& t : life.tasks)
    {
        double& lane = free[static_cast<std::size_t>(t.lane)];
        REQUIRE(t.start >= lane);
        REQUIRE(t.end >= t.start);
        REQUIRE(t.end <= life.total);
        if (t.waited_for >= 0)
        {
            REQUIRE(life.tasks[static_cast<std::size_t>(t.waited_for)].end == t.start);
        }
        lane = t.end;
        compute += t.lane == StepLane::compute ? t.end - t.start : 0;
    }
    REQUIRE(life.exposed == life.total - life.compute);
    REQUIRE(life.exposed >= 0);
    REQUIRE(life.compute == Approx(compute).margin(1e-12));
    double waited = 0;
    for (const double w : life.waited)
    {
        REQUIRE(w >= 0);
        waited += w;
    }
    REQUIRE(waited == Approx(life.exposed).margin(1e-12));
    REQUIRE(std::is_sorted(life.held.begin(), life.held.end(),
                           [](const StepHeld& a, const StepHeld& b) { return a.t < b.t; }));
    for (const StepHeld& h : life.held)
    {
        REQUIRE(h.weights.value >= 0);
        REQUIRE(h.gradients.value >= 0);
        REQUIRE(h.weights <= life.peak_weights);
        REQUIRE(h.gradients <= life.peak_gradients);
    }
    // A gathered weight is let go, a gradient is reduced: in the end only what always stays is left.
    double stay = 0;
    for (const StepGroup& g : life.groups)
    {
        const bool whole = !shards_weights(strategy) || g.shards == 1;
        stay += (whole ? g.elements : g.persistent) * life.weight_bytes;
    }
    REQUIRE(life.held.back().weights.value == stay);
    REQUIRE(life.held.back().gradients.value == 0);
}

StepOptions random_options(std::mt19937& random)
{
    StepOptions o;
    o.strategy = static_cast<StepStrategy>(random() % kStepStrategies);
    o.bucket_mb = std::array{0.0, 1.0, 25.0, 400.0, 1e9}[random() % 5];
    o.prefetch = static_cast<std::int64_t>(random() % 5);
    o.reshard_after_forward = random() % 3 != 0;
    o.reduce_every = random() % 3 != 0;
    o.accumulation = 1 + static_cast<std::int64_t>(random() % 3);
    o.persistence = std::array{0.0, 1e5, 1e12}[random() % 3];
    o.overlap = random() % 4 != 0;
    o.inside_layers = random() % 4 != 0;
    o.hsdp_ranks = static_cast<std::int64_t>(random() % 5);
    return o;
}

} // namespace

TEST_CASE("any step: sums are exact, lanes do one thing at a time, closed forms agree")
{
    test::ScenarioSource source(81);
    std::mt19937 random(82);
    for (int i = 0; i < 150; ++i)
    {
        const Scenario s = source.next();
        const StepOptions o = random_options(random);
        INFO(s.model.name << ", " << s.cluster.gpus << " GPUs, " << name_of(o.strategy) << ", k "
                          << o.accumulation << ", prefetch " << o.prefetch);
        const StepLife life = step_life(s, o);
        must_be_one_step(life, o.strategy);
        const StageWeights w = stage_weights(
            s.model, s.parallel, s.training.schedule->placement)[static_cast<std::size_t>(life.stage)];
        // Two-way pipelines hold two stages, whose layers are all among the units.
        REQUIRE(life.groups[0].elements == static_cast<double>(w.dense));
        REQUIRE(life.groups[1].elements == static_cast<double>(w.expert));
        const Term term = explain_step_sent(life, o);
        mu::Parser parser;
        std::string working = term.working;
        for (const auto& [from, to] : {std::pair<std::string, std::string>{"×", "*"}, {"−", "-"}})
        {
            for (std::size_t at = working.find(from); at != std::string::npos; at = working.find(from))
            {
                working.replace(at, from.size(), to);
            }
        }
        parser.SetExpr(working);
        INFO(term.working);
        REQUIRE(parser.Eval() == Approx(life.all_sent().value).epsilon(1e-3));
    }
}

TEST_CASE("any step: without overlap everything sent is exposed")
{
    test::ScenarioSource source(83);
    std::mt19937 random(84);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        StepOptions o = random_options(random);
        const StepLife with = step_life(s, o);
        o.overlap = false;
        const StepLife without = step_life(s, o);
        REQUIRE(without.exposed == Approx(moved(without)).margin(1e-9));
        REQUIRE(with.exposed <= without.exposed + 1e-9);
        REQUIRE(with.all_sent().value == without.all_sent().value);
    }
}

TEST_CASE("any step: a wire of no latency and no end hides everything")
{
    test::ScenarioSource source(85);
    std::mt19937 random(86);
    for (int i = 0; i < 60; ++i)
    {
        Scenario s = source.next();
        s.cluster.network_gb_per_s = s.cluster.node_link_gb_per_s = std::numeric_limits<double>::infinity();
        s.collective.latency_us = 0;
        REQUIRE(step_life(s, random_options(random)).exposed == 0);
    }
}

TEST_CASE("any step: a faster wire never makes it longer")
{
    test::ScenarioSource source(87);
    std::mt19937 random(88);
    for (int i = 0; i < 60; ++i)
    {
        Scenario s = source.next();
        s.cluster.node_link_gb_per_s = node_link(s.cluster);
        const StepOptions o = random_options(random);
        double before = std::numeric_limits<double>::infinity();
        for (int step = 0; step < 4; ++step)
        {
            const StepLife life = step_life(s, o);
            REQUIRE(life.total <= before * (1 + 1e-12));
            before = life.total;
            s.cluster.network_gb_per_s *= 1.7;
            s.cluster.node_link_gb_per_s *= 1.7;
        }
    }
}

TEST_CASE("any step: with one bucket no reduction of DDP and ZeRO-1 runs beside a backward")
{
    test::ScenarioSource source(89);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = source.next();
        StepOptions o = options(i % 2 == 0 ? StepStrategy::ddp : StepStrategy::zero1);
        o.bucket_mb = 1e12;
        o.accumulation = 1 + i % 3;
        o.inside_layers = false;
        double last = 0;
        bool early = false;
        const StepLife life = step_life(s, o);
        for (const StepTask& t : life.tasks)
        {
            last = t.kind == StepKind::backward ? std::max(last, t.end) : last;
        }
        for (const StepTask& t : life.tasks)
        {
            INFO(s.model.name << ", layer " << t.layer << ", " << name_of(t.kind) << " from " << t.start);
            // Gradients of experts are all there once the first layer that has any is done.
            const bool experts = s.model.experts > 0 && t.layer == s.model.dense_layers;
            REQUIRE((t.lane == StepLane::compute || experts || t.start >= last));
            early = early || (t.lane != StepLane::compute && t.start < last);
        }
        if (!early)
        {
            REQUIRE(life.exposed == Approx(moved(life)).margin(1e-9));
        }
    }
}

TEST_CASE("any step: gathering one layer ahead is never slower than gathering when it is needed")
{
    test::ScenarioSource source(91);
    int seen = 0;
    while (seen < 60)
    {
        const Scenario s = source.next();
        if (s.model.experts > 0) // two groups may use two lanes, where orders matter
        {
            continue;
        }
        ++seen;
        StepOptions o = options(StepStrategy::zero3);
        o.accumulation = 1 + seen % 2;
        o.inside_layers = false;
        o.prefetch = 0;
        const StepLife late = step_life(s, o);
        // Only what the first layer reduces has something to hide behind: the embedding's backward.
        double embedding = 0;
        for (const StepTask& t : late.tasks)
        {
            const bool last = t.kind == StepKind::backward && t.layer == kEmbeddingUnit;
            embedding += last ? t.end - t.start : 0;
        }
        REQUIRE(late.exposed <= moved(late) * (1 + 1e-9));
        REQUIRE(late.exposed >= moved(late) * (1 - 1e-9) - embedding);
        o.prefetch = 1;
        REQUIRE(step_life(s, o).total <= late.total * (1 + 1e-12));
    }
}

TEST_CASE(
    "hand-worked: the optimizer reads gradient and state and writes state and weight, at what HBM reaches")
{
    Scenario s = two_layers();
    s.cluster.gpu.calibration.hbm_efficiency = 0.5;
    const StepLife life = step_life(s, options(StepStrategy::ddp));
    const auto update = std::find_if(life.tasks.begin(), life.tasks.end(),
                                     [](const StepTask& t) { return t.kind == StepKind::optimizer; });
    REQUIRE(update != life.tasks.end());
    CHECK(update->end - update->start == Approx(kAll * (2 + 2 * 12 + 2) / (0.5 * 3350e9)));
}

TEST_CASE("any unpiped step computes for the seconds of the step-time model")
{
    test::ScenarioSource source(93);
    int seen = 0;
    while (seen < 40)
    {
        const Scenario s = source.next();
        if (s.parallel.pipeline > 1)
        {
            continue;
        }
        ++seen;
        StepOptions o = options(StepStrategy::ddp);
        o.accumulation = std::min<std::int64_t>(4, micro_batches(s));
        double seconds = 0;
        for (const StepTask& t : step_life(s, o).tasks)
        {
            const bool works = t.kind == StepKind::forward || t.kind == StepKind::backward;
            seconds += works ? t.end - t.start : 0;
        }
        const double share = static_cast<double>(o.accumulation) / static_cast<double>(micro_batches(s));
        const StepTime step = step_time(s);
        REQUIRE(seconds == Approx(step.compute * share));
    }
}
