// Traffic beside compute and what software does of it: tensor-parallel gathers and scatters in pieces, tokens
// beside another micro-batch, activations beside another chunk.
#include "tests/core/random_scenarios.h"

#include "core/evaluate/sensitivity.h"
#include "core/model/weights.h"
#include "core/network/traffic.h"
#include "core/performance/step_model/layer_profile.h"
#include "core/performance/step_model/rank_load.h"
#include "core/performance/step_model/wires.h"
#include "core/performance/step_time.h"
#include "core/planner/launch/framework_launch.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace ringside;
using Catch::Approx;

namespace
{

// Llama-like layers on 8 GPUs of one tensor group; hiding costs nothing.
Scenario cut(std::int64_t tensor, double link_gb_per_s)
{
    Scenario s = test::scenario(R"({"model": {"layers": 4, "hidden": 4096, "heads": 32, "vocab": 32000,
        "gated_mlp": true}, "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
        "parallel": {"sequence_parallel": true},
        "training": {"sequence_length": 4096, "micro_batch": 1, "global_batch": 8, "recompute": "none"}})");
    s.parallel.tensor = tensor;
    s.cluster.node_link_gb_per_s = link_gb_per_s;
    s.cluster.gpu.calibration.overlap_slowdown = 0;
    s.cluster.gpu.calibration.host_kernel_us = 0; // nothing else to wait for
    return s;
}

Scenario with_overlap(Scenario s)
{
    s.parallel.overlap_tensor = s.parallel.overlap_expert = s.parallel.overlap_pipeline = true;
    return s;
}

// [s] of a layer's product by pass.
double product(const Scenario& s, std::string_view name, KernelPass pass)
{
    double sum = 0;
    for (const LayerKernel& k : LayerProfiler(s).layer_kernels(false))
    {
        sum += k.name == name && k.pass == pass ? k.seconds : 0;
    }
    CHECK(sum > 0);
    return sum;
}

// A product cut into as many pieces as there are ranks, each of which needs another rank's part: the first is
// there at once, the others come one after the other. Returns what that adds to the product.
double played_gather(double wire, double work, std::int64_t ranks)
{
    const double hop = wire / static_cast<double>(ranks - 1);
    const double piece = work / static_cast<double>(ranks);
    double arrived = 0;
    double done = 0;
    for (std::int64_t i = 0; i < ranks; ++i)
    {
        done = std::max(done, arrived) + piece;
        arrived += hop;
    }
    return done - work;
}

// The other way round: each piece of sums but the own one leaves when it is made.
double played_scatter(double wire, double work, std::int64_t ranks)
{
    const double hop = wire / static_cast<double>(ranks - 1);
    const double piece = work / static_cast<double>(ranks);
    double made = 0;
    double sent = 0;
    for (std::int64_t i = 0; i + 1 < ranks; ++i)
    {
        made += piece;
        sent = std::max(sent, made) + hop;
    }
    return std::max(sent, made + piece) - work;
}

double layer_tensor(const Scenario& s)
{
    return step_profile(s).of(Unit::dense).forward.of(Cause::tensor);
}

} // namespace

TEST_CASE("gathers and scatters in pieces expose what an event for each piece and hop exposes")
{
    for (const std::int64_t ranks : {2, 4, 8})
    {
        for (const double link : {5.0, 20.0, 50.0, 100.0, 450.0})
        {
            INFO(ranks << " ranks, " << link << " GB/s");
            const Scenario s = cut(ranks, link);
            // Two gathers and two scatters of equal length.
            const double one = layer_tensor(s) / 4;
            const auto forward = [&](const char* name) { return product(s, name, KernelPass::forward); };
            const double played = played_gather(one, forward("query, key, value"), ranks) +
                                  played_scatter(one, forward("attention output"), ranks) +
                                  played_gather(one, forward("MLP gate and up"), ranks) +
                                  played_scatter(one, forward("MLP down"), ranks);
            CHECK(layer_tensor(with_overlap(s)) == Approx(played).epsilon(1e-9).margin(1e-12));
        }
    }
}

TEST_CASE("backward, a scatter runs beside its weights' gradients and a gather beside the input's")
{
    const Scenario s = cut(4, 60);
    const double one = step_profile(s).of(Unit::dense).input.of(Cause::tensor) / 4;
    double expected = 0;
    for (const char* last : {"attention output", "MLP down"})
    {
        expected += std::max(0.0, one - 0.75 * product(s, last, KernelPass::input));
    }
    for (const char* fed : {"query, key, value", "MLP gate and up"})
    {
        expected += std::max(0.0, one - product(s, fed, KernelPass::weight));
    }
    CHECK(step_profile(with_overlap(s)).of(Unit::dense).input.of(Cause::tensor) == Approx(expected));
    CHECK(expected > 0);
    CHECK(expected < 4 * one);
}

TEST_CASE("what is hidden costs compute its share")
{
    Scenario s = cut(4, 4000);
    const double all = layer_tensor(s);
    s = with_overlap(s);
    CHECK(layer_tensor(s) == Approx(0).margin(1e-12));
    s.cluster.gpu.calibration.overlap_slowdown = 0.25;
    CHECK(layer_tensor(s) == Approx(all / 4));
}

TEST_CASE("without sequence parallelism nothing can be cut into pieces, and that is said")
{
    Scenario s = cut(4, 100);
    s.parallel.sequence_parallel = false;
    CHECK_FALSE(possible_overlaps(s).tensor);
    const double all = step_time(s).total();
    s.parallel.overlap_tensor = true;
    CHECK(step_time(s).total() == all);
    const Issues issues = validate(s);
    CHECK(std::any_of(issues.begin(), issues.end(),
                      [](const Issue& i) { return i.path == "parallel.overlap_tensor"; }));
}

TEST_CASE("tokens hide behind another micro-batch, but the first forward and the last backward have none")
{
    Scenario s = test::presets().scenario("mixtral-8x7b-64")->scenario;
    s.parallel.expert = 8;
    s.training.recompute = Recompute::none;
    s.cluster.gpu.calibration.overlap_slowdown = 0;
    REQUIRE_FALSE(has_errors(validate(s)));
    const auto m = static_cast<double>(micro_batches(s));
    REQUIRE(m > 1);
    const double all = step_time(s).expert_comm;
    const UnitProfile bare = step_profile(s).of(Unit::experts);
    const double layer = bare.forward.of(Cause::expert) + bare.input.of(Cause::expert);
    CHECK(bare.hidden_backward == 0);

    s.parallel.overlap_expert = true;
    const UnitProfile unit = step_profile(s).of(Unit::experts);
    const double compute = bare.forward.alone() + bare.input.alone() + bare.weight.alone();
    CHECK(unit.hidden_forward + unit.hidden_backward == Approx(std::min(layer, compute)));
    CHECK(unit.forward.of(Cause::expert) + unit.input.of(Cause::expert) ==
          Approx(std::max(0.0, layer - compute)).margin(1e-12));
    CHECK(step_time(s).expert_comm ==
          Approx(all / m + (m - 1) / m * all * (1 - (unit.hidden_forward + unit.hidden_backward) / layer)));

    // One micro-batch has no other.
    s.training.global_batch = data_parallel(s) * s.training.micro_batch;
    REQUIRE(micro_batches(s) == 1);
    Scenario without = s;
    without.parallel.overlap_expert = false;
    CHECK(step_time(s).expert_comm == Approx(step_time(without).expert_comm));
}

TEST_CASE("activations travel beside another chunk, but not while the pipeline fills and drains")
{
    Scenario s = test::scenario(R"({"model": {"layers": 16, "hidden": 4096, "heads": 32, "vocab": 32000},
        "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8}, "parallel": {"pipeline": 4},
        "training": {"sequence_length": 4096, "global_batch": 16, "recompute": "none"}})");
    s.cluster.gpu.calibration.overlap_slowdown = 0;
    const double m = 8;
    // One chunk: 2 m + 2 (p - 1) transfers, hidden or not.
    const double send = step_time(s).pipeline_comm / (2 * m + 6);
    CHECK_FALSE(possible_overlaps(s).pipeline);
    CHECK(step_time(with_overlap(s)).pipeline_comm == step_time(s).pipeline_comm);
    // Two chunks: twice the transfers, and all but the 2 (p - 1) go beside a chunk that takes longer.
    s.training.schedule = schedule("interleaved");
    s.parallel.chunks = 2;
    CHECK(step_time(s).pipeline_comm == Approx((4 * m + 6) * send));
    CHECK(step_time(with_overlap(s)).pipeline_comm == Approx(6 * send));
    // A wire slower than the chunk is exposed for the rest.
    s.cluster.node_link_gb_per_s = 1;
    const double slow = step_time(s).pipeline_comm / (4 * m + 6);
    double forward = 0;
    double backward = 0;
    const StepProfile profile = step_profile(s);
    const PipelineLoad load = pipeline_load(profile, s);
    for (std::size_t i = 0; i < kUnits; ++i)
    {
        forward += load.slowest.units[i] * profile.units[i].forward.total();
        backward += load.slowest.units[i] * profile.units[i].backward();
    }
    REQUIRE(slow > forward / 2);
    const double back = std::max(0.0, slow - backward / 2); // gradients go beside a backward
    CHECK(step_time(with_overlap(s)).pipeline_comm == Approx(2 * m * (slow - forward / 2 + back) + 6 * slow));
}

TEST_CASE("overlaps make no scenario slower, and none faster than its compute")
{
    test::ScenarioSource source(11);
    for (int i = 0; i < 200; ++i)
    {
        Scenario s = source.next();
        s.parallel.overlap_tensor = s.parallel.overlap_expert = s.parallel.overlap_pipeline = false;
        const StepTime bare = step_time(s);
        const StepTime hidden = step_time(with_overlap(s));
        INFO(s.model.name);
        // A shorter backward hides less of the gradients, and what is hidden costs its share.
        CHECK(hidden.total() <= bare.total() * 1.01);
        CHECK(hidden.total() >= hidden.compute);
        CHECK(hidden.pipeline_comm <= bare.pipeline_comm * (1 + 1e-9));
        if (s.parallel.pipeline == 1) // else another rank may be the slowest
        {
            CHECK(hidden.compute == Approx(bare.compute));
            CHECK(hidden.tensor_comm <= bare.tensor_comm * (1 + 1e-9));
            CHECK(hidden.expert_comm <= bare.expert_comm * (1 + 1e-9));
        }
    }
}

TEST_CASE("selective recomputation makes attention again beside flash attention too, for its operations")
{
    Scenario s = cut(1, 450);
    const StepTime none = step_time(s);
    s.training.recompute = Recompute::selective;
    const StepTime selective = step_time(s);
    const UnitProfile unit = step_profile(s).of(Unit::dense);
    CHECK(unit.again.of(Cause::attention) == unit.forward.of(Cause::attention));
    CHECK(unit.again.of(Cause::products) == 0);
    const auto layers = static_cast<double>(s.model.layers * micro_batches(s));
    CHECK(selective.compute - none.compute ==
          Approx(layers * unit.again.total()).epsilon(0.01)); // less waiting for the host
    CHECK(selective.hardware_flops > none.hardware_flops);
    CHECK(selective.mfu() < none.mfu());
}

TEST_CASE("what overlap would bring is among what helps")
{
    const Scenario s = cut(8, 50);
    Sensitivity all(s, step_time(s));
    while (all.advance(1e9))
    {
    }
    REQUIRE(all.find(Dial::overlap_tensor, true) != nullptr);
    CHECK(all.find(Dial::overlap_tensor, true)->change < 0);
    CHECK(all.find(Dial::overlap_tensor, false) == nullptr);
    CHECK(all.find(Dial::overlap_expert, true) == nullptr);
    CHECK(all.find(Dial::overlap_pipeline, true) == nullptr);
}

TEST_CASE("every framework has the overlaps, or it is said which it has not")
{
    Scenario s = test::presets().scenario("deepseek-v3-2048")->scenario;
    s.training.schedule = schedule("1f1b");
    s.training.fp8_recipe = Fp8Recipe::bf16_weights;
    s.parallel.tensor = 2;
    s.parallel.sequence_parallel = true;
    s = with_overlap(s);
    REQUIRE(possible_overlaps(s).tensor);
    REQUIRE(possible_overlaps(s).expert);
    const std::map<std::string, std::string> switches{
        {"megatron", "--tp-comm-overlap"},
        {"torchtitan", "parallelism.enable_async_tensor_parallel"},
        {"nanotron", "parallelism.tp_linear_async_communication"},
        {"deepspeed", "tensor_parallel.tp_overlap_comm"}};
    for (const auto& [id, flag] : switches)
    {
        INFO(id);
        const Launch launch = write_launch(*test::presets().framework(id), s, "v0.2.2");
        const auto names = [&](const char* field)
        {
            return std::any_of(launch.not_expressed.begin(), launch.not_expressed.end(),
                               [field](const auto& n) { return n.field == field; });
        };
        CHECK(std::any_of(launch.flags.begin(), launch.flags.end(),
                          [&flag = flag](const LaunchFlag& f) { return f.flag == flag; }));
        CHECK_FALSE(names("parallel.overlap_tensor"));
        CHECK(names("parallel.overlap_expert")); // recomputed whole, and one chunk a stage
    }
}

TEST_CASE("software may hide a share of the tensor traffic that a layout overlaps, or none")
{
    const Scenario s = cut(8, 20);
    Scenario part = with_overlap(s);
    CHECK(layer_tensor(part) < layer_tensor(s));
    part.software.tensor_overlap = 0.5;
    CHECK(layer_tensor(part) > layer_tensor(with_overlap(s)));
    CHECK(layer_tensor(part) < layer_tensor(s));
    part.software.tensor_overlap = 0;
    CHECK(layer_tensor(part) == Approx(layer_tensor(s)));
}

TEST_CASE("keys and values that are gathered before attention hide behind nothing")
{
    Scenario s = cut(1, 450);
    s.parallel.context = 4;
    s.training.sequence_length = 65536;
    const UnitProfile ring = step_profile(s).of(Unit::dense);
    s.software.context_gather = true;
    const UnitProfile gather = step_profile(s).of(Unit::dense);
    const double bytes = 2.0 * 65536 * 2 * 4096; // keys and values of all heads
    CHECK(gather.forward.of(Cause::context) ==
          Approx(Wires(s.cluster, s.software).ring(4, 1, bytes, 1)).epsilon(1e-9));
    CHECK(gather.input.of(Cause::context) == Approx(2 * gather.forward.of(Cause::context)));
    CHECK(ring.forward.of(Cause::context) < gather.forward.of(Cause::context));
}

TEST_CASE(
    "beside its own shard a rank hides one part in t of a gather, nothing of a scatter, and gathers again")
{
    Scenario s = with_overlap(cut(8, 20));
    s.software.own_shard = true;
    const double one = layer_tensor(cut(8, 20)) / 4;
    const auto beside = [&](const char* name, KernelPass pass, double part)
    { return std::max(0.0, one - part * product(s, name, pass)); };
    const UnitProfile unit = step_profile(s).of(Unit::dense);
    CHECK(unit.forward.of(Cause::tensor) ==
          Approx(beside("query, key, value", KernelPass::forward, 1.0 / 8) +
                 beside("MLP gate and up", KernelPass::forward, 1.0 / 8) + 2 * one)
              .epsilon(1e-9));
    double backward = 0;
    for (const char* fed : {"query, key, value", "MLP gate and up"})
    {
        backward += beside(fed, KernelPass::input, 1) + beside(fed, KernelPass::weight, 1);
    }
    for (const char* last : {"attention output", "MLP down"})
    {
        backward += beside(last, KernelPass::input, 1.0 / 8);
    }
    CHECK(unit.input.of(Cause::tensor) == Approx(backward).epsilon(1e-9));
}

TEST_CASE("PyTorch's context parallelism sends every head's keys, and their gradients in 32 bits")
{
    Scenario s = cut(1, 450);
    s.model.kv_heads = 8; // of 32
    s.parallel.context = 4;
    s.training.sequence_length = 16384;
    CHECK(context_message(s).value == 2.0 * 4096 * 2 * 1024);
    const UnitProfile ring = step_profile(s).of(Unit::dense);
    s.software.context_heads = true;
    CHECK(context_message(s).value == 2.0 * 4096 * 2 * 4096);
    s.cluster.node_link_gb_per_s = 0.001; // so slow that nothing hides it
    const UnitProfile slow = step_profile(s).of(Unit::dense);
    const Wires wires(s.cluster, s.software);
    const double block = 4096.0 * 2 * 4096; // numbers of a rank's keys and values
    const double gather = wires.ring(4, 1, 2 * block * 4, 1);
    CHECK(slow.forward.of(Cause::context) == Approx(gather).epsilon(1e-3));
    CHECK(slow.input.of(Cause::context) == Approx(gather + 4 * wires.send(1, 4 * block)).epsilon(1e-3));
    // Three blocks after the first move 32.5 B an element of the outputs, backward four 50.5.
    s.cluster.node_link_gb_per_s = 450;
    const UnitProfile quick = step_profile(s).of(Unit::dense);
    const double outputs = 4096.0 * 4096;
    const double rate = s.cluster.gpu.hbm_gb_per_s * 1e9 * 0.92;
    CHECK(quick.forward.of(Cause::memory) - ring.forward.of(Cause::memory) ==
          Approx(3 * 32.5 * outputs / rate).epsilon(1e-6));
    CHECK(quick.input.of(Cause::memory) - ring.input.of(Cause::memory) ==
          Approx(4 * 50.5 * outputs / rate).epsilon(1e-6));
}

TEST_CASE("a ZeRO that blocks all-reduces gradients after the backward and copies weights shard by shard")
{
    Scenario s = cut(1, 450);
    s.cluster.gpus = 64;
    s.parallel.zero = 1;
    s.training.global_batch = 64;
    const StepTime beside = step_time(s);
    s.software.blocking_zero = true;
    s.software.parameter_overlap = 0;
    s.software.collectives = 6; // of buckets, which a blocking ZeRO has not
    const StepTime blocking = step_time(s);
    CHECK(blocking.data_exposed == blocking.data_comm);
    CHECK(blocking.data_exposed > beside.data_exposed);
    const Wires wires(s.cluster, s.software);
    const double parameters = static_cast<double>(count_parameters(s.model).total);
    // Query, key and value; output; gate and up; down; the norms as one: five of four layers for 64 ranks.
    const double copies = 9.4e-6 * 4 * 5 * 64;
    CHECK(blocking.data_comm ==
          Approx(wires.ring(64, 1, 4 * parameters, 2) + wires.ring(64, 1, 2 * parameters, 1) + copies)
              .epsilon(1e-6));
    s.parallel.zero = 0;
    CHECK(step_time(s).data_exposed < blocking.data_exposed);
}

TEST_CASE("gradients and weights that are sent one by one pay the ring's latency for every one of them")
{
    Scenario s = cut(1, 450);
    s.cluster.gpus = 64;
    s.parallel.zero = 1;
    s.training.global_batch = 64;
    const double once = step_time(s).data_comm;
    s.software.collectives = 6;
    // Gradients and weights of four layers, six each; the first of either was there before.
    const double latency = Wires(s.cluster, s.software).ring(64, 1, 0, 1);
    CHECK(step_time(s).data_comm == Approx(once + 2 * 23 * latency).epsilon(1e-6));
    s.parallel.zero = 0;
    const double reduced = step_time(s).data_comm;
    s.software.collectives = 0;
    const double all_reduce = Wires(s.cluster, s.software).ring(64, 1, 0, 2);
    CHECK(reduced == Approx(step_time(s).data_comm + 23 * all_reduce).epsilon(1e-6));
}

TEST_CASE("CUDA graphs take what the host takes of a step, and nothing else")
{
    Scenario s = cut(1, 450);
    s.cluster.gpu.calibration.host_kernel_us = 50;
    s.software.graphs = 1;
    Scenario idle = s;
    idle.software.graphs = 0;
    CHECK(step_time(idle).total() > step_time(s).total());
    idle.cluster.gpu.calibration.host_kernel_us = 0;
    CHECK(step_time(idle).total() == step_time(s).total());
}

TEST_CASE("of eight copies that go to any of eight ranks of a node 5.25 are sent")
{
    Scenario s = test::scenario(R"({"model": "qwen3-30b-a3b", "cluster": {"gpu": "h100-sxm-80gb", "gpus": 8},
        "parallel": {"expert": 8, "sequence_parallel": false}, "training": {"sequence_length": 4096, "micro_batch": 1, "global_batch": 8,
        "recompute": "none"}, "software": {"preset": "megatron-core", "dispatch": "once-per-node"}})");
    s.cluster.gpu.calibration.collective_us = 0;
    const auto sent = [](const Scenario& each)
    { return step_profile(each).of(Unit::experts).forward.of(Cause::expert); };
    Scenario plain = s;
    plain.software.dispatch = ExpertDispatch::plain;
    CHECK(sent(s) / sent(plain) == Approx(1 - std::pow(7.0 / 8, 8)).epsilon(1e-9));
}

TEST_CASE("scales for every 32 elements cost 8-bit products some of their rate, and 4-bit ones gain by more")
{
    Scenario s = cut(1, 450);
    s.cluster.gpu = test::presets().gpu("gb200")->gpu;
    const auto seconds = [&](Precision precision)
    {
        s.training.precision = precision;
        return product(s, "MLP down", KernelPass::forward);
    };
    const double eight = seconds(Precision::fp8);
    CHECK(eight < seconds(Precision::mxfp8));
    CHECK(seconds(Precision::mxfp8) < 1.15 * eight);
    CHECK(eight > 1.4 * seconds(Precision::nvfp4));
    CHECK(eight < 2 * seconds(Precision::nvfp4));
}

TEST_CASE("attention over heads of 64 runs at three quarters of the rate of heads of 128")
{
    Scenario s = cut(1, 450);
    s.training.sequence_length = 32768;
    const auto rate = [&](std::int64_t heads)
    {
        s.model.heads = s.model.kv_heads = heads;
        s.model.head_dim = 4096 / heads;
        for (const LayerKernel& k : LayerProfiler(s).layer_kernels(false))
        {
            if (k.kind == KernelKind::attention && k.pass == KernelPass::forward)
            {
                return k.flops / k.seconds;
            }
        }
        return 0.0;
    };
    CHECK(rate(64) / rate(32) == Approx(0.75).epsilon(1e-9));
    CHECK(rate(16) / rate(32) == Approx(1).epsilon(1e-9));
}

TEST_CASE("products and attention lose what they lose of the peak in slices of their own")
{
    const StepTime step = step_time(cut(1, 450));
    const double products = step.of(Slice::model) + step.of(Slice::uneven);
    CHECK(step.gemm_share == Approx(products / (products + step.of(Slice::below_peak))));
    const double attention = step.of(Slice::attention);
    CHECK(step.attention_share == Approx(attention / (attention + step.of(Slice::below_attention))));
    CHECK(step.attention_share < step.gemm_share);
}
