// Experts over many GPUs: what a GPU holds and sends by hand, and all-to-alls and engines that others
// measured.
#include "tests/core/support.h"

#include "core/parallelism/experts/overlap.h"
#include "core/serving/load_options.h"
#include "core/serving/wide_experts.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace ringside;
using Catch::Approx;

namespace
{

// Replicas on one GPU each, FP8.
ServingSetup wide(std::int64_t ranks, std::int64_t redundant = 0)
{
    ServingSetup setup;
    setup.ranks = ranks;
    setup.redundant = redundant;
    setup.weight_bits = 8;
    setup.eight_bit = true;
    return setup;
}

Scenario deepseek(const char* gpu = "h800-sxm-80gb")
{
    return test::on_gpus("deepseek-v3", gpu, 256);
}

Scenario nvl72() // one NVLink domain
{
    Scenario rack = test::on_gpus("deepseek-v3", "gb200", 72);
    rack.cluster.gpus_per_node = 72;
    return rack;
}

// Tokens/s of a node of 8 GPUs for one pass of so many tokens a GPU, over 60% of the peak and 95% of the
// bandwidth, as serving under load has it.
double per_node(double tokens, const ServingTime& time)
{
    return 8 * tokens / time.total(0.6, 0.95);
}

Iteration prefill(double tokens, double length)
{
    Iteration all;
    for (double done = 0; done < tokens; done += length)
    {
        all.prompts.push_back({0, length, true});
    }
    return all;
}

} // namespace

TEST_CASE("a GPU of a wide engine holds its experts, all attention and its own requests")
{
    const Scenario s = deepseek();
    // open-infra-index, day 6: 9 routed experts on a GPU with EP32, 2 with EP144, 32 being redundant.
    CHECK(expert_slots(s.model, wide(32, 32)) == 9);
    CHECK(expert_slots(s.model, wide(144, 32)) == 2);
    CHECK(expert_slots(s.model, wide(72)) == 4); // of SGLang: 288 slots
    CHECK(expert_slots(s.model, wide(320)) == 1);

    // 58 layers of experts of 3 x 7168 x 2048 parameters, one byte each; the rest of 671,026,419,200 but the
    // embedding is on every GPU.
    const double expert = 3.0 * 7168 * 2048;
    const double rest = 671026419200.0 - 58 * 256 * expert;
    const ServingReport r = serving_report(s, wide(144, 32));
    CHECK(r.weights.value == Approx(rest + 58 * 2 * expert).epsilon(1e-6));
    CHECK(r.weights.value == Approx(22.2e9).epsilon(0.005));
    CHECK(r.sequence == serving_report(s, wide(8)).sequence); // a replica's own
    // One tensor group of 16 holds the latent of every token 16 times, so that fewer sequences fit on as many
    // GPUs.
    ServingSetup tensor = wide(1);
    tensor.gpus = 16;
    CHECK(16 * serving_report(s, wide(16)).most > 4 * serving_report(s, tensor).most);
}

TEST_CASE("a model without experts, or one replica, has no exchange")
{
    const Scenario dense = test::on_gpus("llama-3.1-8b", "h100-sxm-80gb", 8);
    ServingSetup asked = wide(8);
    asked.two_batch = true;
    asked.imbalance = 3;
    const ServingReport r = serving_report(dense, asked);
    CHECK(r.setup.ranks == 1);
    CHECK_FALSE(r.setup.two_batch);
    CHECK(r.setup.imbalance == 1);
    CHECK(r.decode.exchange == 0);
    CHECK(serving_report(deepseek(), wide(1)).decode.exchange == 0);
}

TEST_CASE("what two half batches take is what the overlap of experts says")
{
    const Scenario s = deepseek();
    ServingSetup setup = wide(32);
    const Iteration step{128, 2000, 1, {}};
    const ServingTime apart = iteration_clock(s, setup)(step);
    setup.two_batch = true;
    const ServingTime both = iteration_clock(s, setup)(step);
    CHECK(both.compute == apart.compute);
    CHECK(both.memory > apart.memory); // weights twice
    CHECK(both.exchange > kOverlappedTransfer * apart.exchange);
    CHECK(apart.total() == Approx(std::max(apart.memory, apart.compute) + apart.small + apart.exchange));
    const double kernels = std::max(both.memory, both.compute) + both.small;
    const MoeRun run = moe_run({both.exchange / kernels, 0.5}, 40, 2);
    CHECK(both.total() == Approx(run.each * kernels));
    // A batch of one cannot be halved.
    CHECK_FALSE(iteration_clock(s, setup)({1, 2000, 1, {}}).overlapped);
}

TEST_CASE("by hand: kernels of a layer that are too small for a roofline, twice with two half batches")
{
    const Scenario s = deepseek();
    // 61 layers, 32 gaps of 1.5 us and 20 kernels of 3 us in each.
    CHECK(small_kernels_seconds(s, false) == Approx(61 * (32 * 1.5e-6 + 20 * 3e-6)));
    ServingSetup setup = wide(32);
    CHECK(iteration_clock(s, setup)({32, 2000, 1, {}}).small == Approx(6.588e-3));
    setup.two_batch = true;
    CHECK(iteration_clock(s, setup)({32, 2000, 1, {}}).small == Approx(2 * 6.588e-3));
    CHECK(iteration_clock(s, wide(1))({32, 2000, 1, {}}).small ==
          0); // a bound, as everywhere without replicas
}

TEST_CASE("by hand: routed experts in NVFP4, the rest in FP8")
{
    const Scenario rack = nvl72();
    ServingSetup eight = wide(48, 32);
    ServingSetup four = eight;
    four.four_bit = true;
    const ServingReport r8 = serving_report(rack, eight);
    const ServingReport r4 = serving_report(rack, four);
    // 6 of 288 slots of 58 layers on a GPU; 4 bits and an 8-bit scale for 16 values.
    const double held = 58 * 6 * 3.0 * 7168 * 2048;
    CHECK(r8.experts.value == Approx(held));
    CHECK(r4.experts.value == Approx(held * 9 / 16));
    CHECK((r8.weights - r4.weights).value == Approx(held * 7 / 16).epsilon(1e-6));
    CHECK(r4.setup.cache_bits == 8);
    // SGLang's log (shifangx/Scripts-SGLang, 2025-11-22): 102.18 GiB for 3,122,368 tokens.
    CHECK(r4.token.value == Approx(102.18 * 1024 * 1024 * 1024 / 3122368).epsilon(1e-3));
    // A token's products in 8 of 256 experts at 10 instead of 5 PFLOP/s; a token it looks at costs 2 x 61 x
    // 128 x (2 x 512 + 64) FLOPs, at 5 instead of 2.5.
    const auto compute = [&](const ServingSetup& setup, double context) {
        return iteration_clock(rack, setup)({100, context, 1, {}}).compute;
    };
    const double routed = 100 * 58 * 8 * 2 * 3.0 * 7168 * 2048;
    CHECK(compute(eight, 0) - compute(four, 0) == Approx(routed * (1 / 5e15 - 1 / 10e15)).epsilon(1e-6));
    const double seen = 100 * 2000 * 2.0 * 61 * 128 * (2 * 512 + 64);
    CHECK(compute(four, 2000) - compute(four, 0) == Approx(seen / 5e15).epsilon(1e-6));
    CHECK(compute(eight, 2000) - compute(eight, 0) == Approx(seen / 2.5e15).epsilon(1e-6));
    CHECK(copy_bytes(serving_dispatch(rack, four, 1)) == Approx(7168 * (9.0 / 16 + 2)));
    // No such products on an H800.
    CHECK_FALSE(serving_report(deepseek(), four).setup.four_bit);
}

TEST_CASE("busier experts make the exchange and the products longer")
{
    const Scenario s = deepseek();
    ServingSetup setup = wide(32);
    const Iteration step{256, 100, 1, {}};
    const ServingTime even = iteration_clock(s, setup)(step);
    setup.imbalance = 1.5;
    const ServingTime busy = iteration_clock(s, setup)(step);
    // 8 of 256 experts of 58 layers in FP8, twice 3 x 7168 x 2048 FLOPs each: half of it more.
    const double routed = 256 * 58 * 8 * 2 * 3.0 * 7168 * 2048;
    CHECK(busy.compute - even.compute == Approx(0.5 * routed / 1979e12).epsilon(1e-6));
    CHECK(busy.exchange > 1.45 * even.exchange);
    CHECK(busy.exchange < 1.5 * even.exchange); // starts are not longer
}

TEST_CASE("dispatch and combine take as long as DeepEP measured")
{
    // deepseek-ai/DeepEP (docs/legacy.md): H800, 128 tokens, low-latency kernels, dispatch + combine [us].
    struct Row
    {
        std::int64_t gpus;
        double measured;
    };
    const Scenario s = deepseek();
    for (const Row& row : {Row{16, 118 + 195}, Row{32, 155 + 273}, Row{64, 173 + 314}, Row{128, 192 + 369},
                           Row{256, 194 + 360}})
    {
        INFO(row.gpus);
        CHECK(1e6 * exchange_seconds(s, wide(row.gpus), 128, false, false) ==
              Approx(row.measured).epsilon(0.05));
    }
    // Inside one node it comes out 22% too quick.
    CHECK(1e6 * exchange_seconds(s, wide(8), 128, false, false) == Approx(77 + 114).epsilon(0.23));
    // Normal kernels, 4,096 tokens. DeepEP counts a copy for each of a token's nodes, its own included: of 8
    // experts on 4 nodes 4 (1 - (3/4)^8) = 3.6, at 58 and 57 GB/s with EP32; on 2 nodes 1.99 at 43 with EP16.
    const double copy = 4096 * 7168 * (1 + 4.0 / 128);
    const double back = 4096 * 7168 * 2.0;
    const double four = 4 * (1 - std::pow(0.75, 8));
    const double two = 2 * (1 - std::pow(0.5, 8));
    CHECK(exchange_seconds(s, wide(32), 4096, true, false) ==
          Approx(four * (copy / 58e9 + back / 57e9)).epsilon(0.03));
    CHECK(exchange_seconds(s, wide(16), 4096, true, false) ==
          Approx(two * (copy + back) / 43e9).epsilon(0.05));
}

TEST_CASE("inside one NVLink domain normal kernels send a copy to each GPU that has a token's experts")
{
    const Scenario rack = nvl72();
    // By hand: with 2 GPUs the other one gets a copy unless all 8 experts are here.
    const double copy = 7168 * (3 + 4.0 / 128);
    CHECK(exchange_seconds(rack, wide(2), 1000, true, false) ==
          Approx(2 * 8.4e-6 + 1000 * (1 - std::pow(0.5, 8)) * copy / (0.733 * 900e9)));
    // deepseek-ai/DeepEP, README of V2: 8,192 tokens on 8 GPUs of Blackwell, 726 and 740 GB/s with 64
    // multiprocessors, 643 and 675 with 24; of the 5.3 copies of a token one eighth stays on its GPU.
    const double copies = 8192 * 8 * (1 - std::pow(7.0 / 8, 8));
    const auto measured = [copies](double there, double back)
    { return copies * 7168 * ((1 + 4.0 / 128) / there + 2 / back); };
    const double here = exchange_seconds(rack, wide(8), 8192, true, false);
    CHECK(here / measured(726e9, 740e9) == Approx(1).margin(0.02));
    CHECK(here / measured(643e9, 675e9) == Approx(0.9).margin(0.02));
    // Kernels before those (ai-dynamo/aiconfigurator, 095f58a5): 671 + 1,120 us, on H100s 970 + 1,840.
    CHECK(here / (671e-6 + 1120e-6) == Approx(0.71).margin(0.02));
    CHECK(exchange_seconds(deepseek("h100-sxm-80gb"), wide(8), 8192, true, false) / (970e-6 + 1840e-6) ==
          Approx(0.89).margin(0.02));
}

TEST_CASE("by hand: what a GPU sends of a decoding step")
{
    const Scenario s = deepseek();
    ServingSetup setup = wide(144);
    setup.batch = 128;
    // 18 nodes; 8 x 17/18 copies of 7168 x (1 + 4/128 + 2) bytes for each of 128 tokens.
    const Term term = explain_exchange(s, serving_report(s, setup));
    CHECK(term.value == Approx(128 * 8 * 17.0 / 18 * 7168 * (3 + 4.0 / 128)));
    CHECK(term.value == Approx(21.0e6).epsilon(0.01));
    // Inside one NVLink domain nothing crosses the network.
    const Scenario rack = nvl72();
    const DispatchSetup inside = serving_dispatch(rack, wide(48), 32);
    CHECK(network_copies(inside, DispatchWay::experts) == 0);
    CHECK(explain_exchange(rack, serving_report(rack, wide(48))).value ==
          Approx(32 * 8 * 47.0 / 48 * 7168 * (3 + 4.0 / 128)));
    CHECK(exchange_seconds(rack, wide(48), 128, false, false) < 100e-6);
}

TEST_CASE("published engines of DeepSeek-V3 with wide experts come out 14 to 20% too quick")
{
    const Scenario h800 = deepseek();
    const Scenario h100 = deepseek("h100-sxm-80gb");
    ServingSetup four_nodes = wide(32, 32);
    four_nodes.two_batch = true;
    // Prefill, EP32, 16,384 tokens of a GPU in prompts of 4,096: DeepSeek's profile
    // (deepseek-ai/profile-data) 62,713 tokens/s of a node of H800, SGLang with even experts 59,337 on H100
    // (lmsys.org, 2025-05-05).
    const Iteration prompts = prefill(16384, 4096);
    CHECK(per_node(16384, iteration_clock(h800, four_nodes)(prompts)) / 62713 == Approx(1.14).margin(0.01));
    CHECK(per_node(16384, iteration_clock(h100, four_nodes)(prompts)) / 59337 == Approx(1.20).margin(0.01));
    // Decoding, EP72: 256 sequences of 2,000 tokens 22,282; 128 of 4,000 with a second token each that is
    // kept 60% of the time 17,373.
    ServingSetup nine_nodes = wide(72, 32);
    nine_nodes.two_batch = true;
    const auto clock = iteration_clock(h100, nine_nodes);
    CHECK(per_node(256, clock({256, 2000, 1, {}})) / 22282 == Approx(1.14).margin(0.01));
    CHECK(per_node(128 * 1.6, clock({128, 4000, 2, {}})) / 17373 == Approx(1.17).margin(0.01));

    // Two half batches: SGLang's prefill was 27% to 35% quicker with as many tokens, decoding 25.5% with 256
    // sequences and 27% slower with 32.
    ServingSetup plain = four_nodes;
    plain.two_batch = false;
    const auto gain = [](const ServingTime& with, const ServingTime& without)
    { return without.total(0.6, 0.95) / with.total(0.6, 0.95); };
    CHECK(gain(iteration_clock(h100, four_nodes)(prompts), iteration_clock(h100, plain)(prompts)) ==
          Approx(1.40).margin(0.02));
    plain = nine_nodes;
    plain.two_batch = false;
    const auto one = iteration_clock(h100, plain);
    CHECK(gain(clock({256, 2000, 1, {}}), one({256, 2000, 1, {}})) == Approx(1.16).margin(0.01));
    CHECK(gain(clock({32, 2000, 1, {}}), one({32, 2000, 1, {}})) == Approx(0.82).margin(0.01));
    // It gained from between 64 and 128 sequences upward.
    LoadSetup load;
    load.engine = nine_nodes;
    load.engine.prompt = 2000;
    const auto engines = wide_engines(h100, load);
    const auto ep72 =
        std::ranges::find_if(engines, [](const WideEngine& e) { return e.report.setup.engine_gpus() == 72; });
    REQUIRE(ep72 != engines.end());
    CHECK(ep72->overlap_from > 16);
    CHECK(ep72->overlap_from <= 256);
}

TEST_CASE("published engines of DeepSeek-V3 on GB200 NVL72 come out 22 to 46% too quick")
{
    const Scenario rack = nvl72();
    const double peak = 0.6 * 0.511 / 0.703; // products on Blackwell reach less of it in training, too
    struct Row
    {
        std::int64_t gpus;
        bool four_bit;
        bool prompts;
        double tokens;   // of a GPU and pass
        double measured; // tokens/s of a GPU
        double ratio;
    };
    const std::vector<Row> rows{
        // SGLang, lmsys.org, 2025-09-25, with the commands of sgl-project/sglang issue 10903: prompts and
        // contexts of 2,000; FP8 with BF16 attention, then NVFP4 experts with FP8 attention.
        {48, false, false, 768, 9087, 1.22},
        {48, true, false, 1408, 13386, 1.28},
        {4, false, true, 16384, 18471, 1.26},
        {2, true, true, 16384, 26156, 1.38},
        // Measured again with it (shifangx/Scripts-SGLang, log of 2025-11-22), and the software of June
        // (lmsys.org, 2025-06-16; its batch is not said and taken as September's).
        {48, true, false, 1024, 12150, 1.37},
        {48, false, false, 768, 7583, 1.46},
        // vLLM, vllm.ai/blog, 2026-02-03; of its decoding the batch is not said.
        {2, true, true, 65536, 26200, 1.39},
    };
    for (const Row& row : rows)
    {
        ServingSetup setup = wide(row.gpus, row.prompts ? 0 : 32);
        setup.four_bit = row.four_bit;
        const Iteration pass = row.prompts ? prefill(row.tokens, 2048) : Iteration{row.tokens, 2050, 1, {}};
        const double seconds = iteration_clock(rack, setup)(pass).total(peak, 0.95);
        INFO(row.gpus << " GPUs, " << row.tokens << " tokens");
        CHECK(row.tokens / seconds / row.measured == Approx(row.ratio).margin(0.02));
    }
}

TEST_CASE("more GPUs for the experts leave more room and a larger batch within the objective")
{
    const Scenario s = deepseek();
    LoadSetup load;
    load.engine = wide(1);
    load.engine.prompt = 2048;
    load.engine.output = 512;
    load.each_token = 0.05;
    const auto engines = wide_engines(s, load);
    REQUIRE(engines.size() > 5);
    double weights = 1e300;
    for (const WideEngine& e : engines)
    {
        INFO(e.report.setup.ranks);
        if (e.report.setup.ranks > 1)
        {
            CHECK(e.report.weights.value <= weights);
            weights = e.report.weights.value;
        }
        CHECK(e.step.total() <= load.each_token);
        CHECK(e.batch <= e.report.most);
    }
    CHECK(engines[0].report.setup.ranks == 1);
    CHECK(engines[0].report.setup.gpus == 16);
    // 256 experts of 58 layers on 8 GPUs of 80 GB leave no room for a sequence.
    CHECK(engines[1].report.setup.ranks == 8);
    CHECK(engines[1].batch == 0);
    CHECK(engines[4].report.setup.ranks == 32);
    CHECK(engines[4].batch > 64);
    CHECK(wide_engines(test::on_gpus("llama-3.1-8b", "h100-sxm-80gb", 8), load).size() == 1);
}

TEST_CASE("engines with wide experts serve under load, and are among the ways to serve")
{
    const Scenario s = deepseek();
    LoadSetup setup;
    setup.engine = wide(144);
    setup.engine.prompt = 1024;
    setup.engine.output = 64;
    setup.engine.longest = 2048;
    setup.prefill_ranks = 32;
    setup.system = ServingSystem::disaggregated;
    setup.requests = 200;
    setup.first_token = 2;
    setup.each_token = 0.1;
    setup.rate = 1e-3;
    const LoadReport alone = serve(s, setup);
    REQUIRE(alone.fits());
    CHECK(alone.gpus == 144 + 32);
    CHECK(alone.setup.prefill_ranks == 32);
    // A request alone: one prompt and 63 steps of one sequence on each replica.
    setup.spread = 0;
    const LoadReport quiet = serve(s, setup);
    const Serving serving = serving_of(s, quiet.setup);
    const EngineTime step = EngineClock(s, serving, serving.layout)
                                .time({.decoding = 1, .context = 1024 + 32, .everywhere = 144});
    CHECK(quiet.tpot_50 == Approx(step.total()).epsilon(0.01));
    // As much again on twice as many engines of both kinds.
    const double most = goodput(s, setup);
    REQUIRE(most > 100);
    setup.engines = setup.prefill = 2;
    CHECK(goodput(s, setup) == Approx(2 * most).epsilon(0.1));

    LoadSetup traffic;
    traffic.engine = wide(1);
    traffic.engine.prompt = 1024;
    traffic.engine.output = 256;
    const auto options = serving_options(s, traffic);
    std::size_t many = 0;
    for (const LoadSetup& option : options)
    {
        many += option.engine.ranks > 1 ? 1 : 0;
        CHECK(serving_report(s, option.engine).most > 0);
    }
    CHECK(many >= 6);
    const Scenario dense = test::on_gpus("llama-3.1-8b", "h100-sxm-80gb", 8);
    for (const LoadSetup& option : serving_options(dense, traffic_of(LoadSetup{})))
    {
        CHECK(option.engine.ranks == 1);
    }
}
