// Ring attention: who has what when, the merged softmax against the whole one, the work of causal masks by
// hand, and the bytes and times of a scenario.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/network/traffic.h"
#include "core/parallelism/context/plan.h"
#include "core/parallelism/context/ring_attention.h"
#include "core/performance/step_time.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <set>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr std::array kAll{Spread::contiguous, Spread::striped, Spread::zigzag};

RingAttentionOptions options(std::int64_t ranks, Spread spread, bool causal = true)
{
    RingAttentionOptions o;
    o.ranks = ranks;
    o.spread = spread;
    o.causal = causal;
    return o;
}

} // namespace

TEST_CASE("hand-worked: four ranks and sixteen tokens, by all three spreads")
{
    CHECK(tokens_of(options(4, Spread::contiguous), 1) == std::vector<std::int64_t>{4, 5, 6, 7});
    CHECK(tokens_of(options(4, Spread::striped), 1) == std::vector<std::int64_t>{1, 5, 9, 13});
    CHECK(tokens_of(options(4, Spread::zigzag), 1) == std::vector<std::int64_t>{2, 3, 12, 13});
    CHECK(tokens_of(options(4, Spread::zigzag), 3) == std::vector<std::int64_t>{6, 7, 8, 9});
    CHECK(visitor(4, 1, 0) == 1);
    CHECK(visitor(4, 1, 1) == 0);
    CHECK(visitor(4, 1, 2) == 3);
}

TEST_CASE("hand-worked: causal work of four ranks with four tokens each")
{
    // Contiguous: own block 10 scores, earlier blocks 16, later ones none.
    const RingAttentionOptions c = options(4, Spread::contiguous);
    CHECK(scores_in(c, 0, 0) == 10);
    CHECK(scores_in(c, 3, 1) == 16);
    CHECK(scores_in(c, 0, 1) == 0); // the last rank's, all later
    CHECK(scores_in_lockstep(c) == 10 + 3 * 16);
    // Zigzag: own block 3 + 3 + 4, every other block two quarters of 4.
    const RingAttentionOptions z = options(4, Spread::zigzag);
    for (std::int64_t rank = 0; rank < 4; ++rank)
    {
        CHECK(scores_in(z, rank, 0) == 10);
        for (std::int64_t hop = 1; hop < 4; ++hop)
        {
            CHECK(scores_in(z, rank, hop) == 8);
        }
    }
    CHECK(scores_in_lockstep(z) == 34);
    CHECK(imbalance(z) == 1); // 34 x 4 = 136 = 16 x 17 / 2
    CHECK(imbalance(c) == Approx(58.0 * 4 / 136));
    // Striped: 10 where the visitor is not later, 6 where it is.
    const RingAttentionOptions s = options(4, Spread::striped);
    CHECK(scores_in(s, 3, 1) == 10);
    CHECK(scores_in(s, 0, 1) == 6);
    CHECK(imbalance(s) == Approx(40.0 * 4 / 136));
}

TEST_CASE("in the limit contiguous blocks cost nearly twice what even ones do")
{
    RingAttentionOptions o = options(8, Spread::contiguous);
    o.tokens = 1024;
    CHECK(imbalance(o) == Approx(2 - 1.0 / 8).epsilon(0.01)); // (R - 1/2) / (R / 2)
    o.spread = Spread::zigzag;
    CHECK(imbalance(o) == 1);
    o.spread = Spread::striped;
    CHECK(imbalance(o) < 1.02);
}

TEST_CASE("every score is computed exactly once, by the rank of its query")
{
    for (const Spread spread : kAll)
    {
        for (const std::int64_t ranks : {1, 2, 4, 8})
        {
            for (const bool causal : {true, false})
            {
                const RingAttentionOptions o = options(ranks, spread, causal);
                std::int64_t sum = 0;
                for (std::int64_t rank = 0; rank < ranks; ++rank)
                {
                    REQUIRE(tokens_of(o, rank).size() == static_cast<std::size_t>(o.tokens / ranks));
                    std::set<std::int64_t> met;
                    for (std::int64_t hop = 0; hop < ranks; ++hop)
                    {
                        sum += scores_in(o, rank, hop);
                        met.insert(visitor(ranks, rank, hop));
                    }
                    REQUIRE(met.size() == static_cast<std::size_t>(ranks));
                }
                CHECK(sum == (causal ? 136 : 256));
                CHECK(imbalance(o) >= 1);
            }
        }
    }
}

TEST_CASE("hand-worked: merging two blocks of one score each is the softmax of two")
{
    RunningSoftmax a{1, 1, {10}};
    const RunningSoftmax b{3, 1, {20}};
    a.merge(b);
    const double e = std::exp(-2.0);
    CHECK(a.max == 3.0F);
    CHECK(static_cast<double>(a.sum) == Approx(1 + e));
    CHECK(static_cast<double>(a.result(0)) == Approx((10 * e + 20) / (1 + e)));
}

TEST_CASE("merged block by block, attention is the whole attention to the rounding of a float")
{
    for (const Spread spread : kAll)
    {
        for (const std::int64_t ranks : {1, 2, 4, 8})
        {
            for (std::uint64_t seed = 1; seed <= 20; ++seed)
            {
                RingAttentionOptions o = options(ranks, spread, seed % 2 == 0);
                o.seed = seed;
                const RingAttention ring(o);
                REQUIRE(ring.difference() < 2e-6);
                for (std::int64_t q = 0; q < o.tokens; ++q)
                {
                    float before = -std::numeric_limits<float>::infinity();
                    for (std::int64_t n = 0; n <= ranks; ++n)
                    {
                        const RunningSoftmax& s = ring.state(q, n);
                        REQUIRE(s.max >= before);
                        REQUIRE(std::isfinite(s.sum));
                        REQUIRE(std::isfinite(s.result(0)));
                        before = s.max;
                    }
                    REQUIRE(ring.state(q, ranks).sum >= 0.999999F);
                }
            }
        }
    }
}

TEST_CASE("published: block sizes that hide a transfer, Ring Attention, table 2")
{
    // Liu et al. 2023, arXiv 2310.01889, Table 2: A100 NVLink 312 TFLOP/s, 300 GB/s: 1.0e3 tokens;
    // InfiniBand 12.5 GB/s: 24.5e3. As many key/value heads as queries: 4 h bytes, 4 h FLOPs.
    CHECK(least_block(4 * 4096, 4 * 4096, 312e12, 300e9) == Approx(1.0e3).epsilon(0.05));
    CHECK(least_block(4 * 4096, 4 * 4096, 312e12, 12.5e9) == Approx(24.5e3).epsilon(0.03));
    CHECK(least_block(1, 1, 1, 0) == 0);
}

TEST_CASE("hand-worked: Llama 3.1 8B, 131,072 tokens over 8 GPUs")
{
    const ContextPlan plan = context_plan(test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"preset": "dgx-h100", "gpus": 64}, "parallel": {"context": 8, "zero": 1},
            "training": {"sequence_length": 131072, "global_batch": 8}})"));
    CHECK(!plan.supposed);
    CHECK(plan.ranks == 8);
    CHECK(plan.tokens == 16384);
    CHECK(!plan.leaves);
    CHECK(plan.message.value == 4.0 * 16384 * 1024); // 8 heads of 128
    CHECK(plan.ring.value == 7 * 4.0 * 16384 * 1024);
    CHECK(plan.exchange.value == 7.0 / 8 * 2 * 16384 * (2 * 4096 + 2 * 1024));
    CHECK(plan.most == 8);
    CHECK(plan.tile_flops == 4.0 * 16384 * 16384 * 4096);
    // A quarter of F / B, as four query heads share a key.
    CHECK(plan.least_tokens == Approx(plan.flops_per_s / plan.bytes_per_s / 4));
    CHECK(plan.tile_s() / plan.hop_s() == Approx(plan.tokens / plan.least_tokens));
    CHECK(explain_hop(plan).value == plan.message.value);
    CHECK(explain_hop(plan).working == "2 \u00d7 2 \u00d7 1 \u00d7 16384 \u00d7 1024");
    CHECK(explain_least_block(plan).value == plan.least_tokens);
    CHECK(explain_exchange(plan).value == plan.exchange.value);
}

TEST_CASE("a scenario without a context cut is supposed to have one, where it can")
{
    const ContextPlan plan = context_plan(test::scenario("{}"));
    CHECK(plan.supposed);
    CHECK(plan.ranks > 1);
    CHECK(!has_errors(validate(plan.scenario)));
    const ContextPlan alone = context_plan(test::scenario(
        R"({"model": "gpt-2-124m", "cluster": {"gpus": 1}, "training": {"global_batch": 1, "sequence_length": 1024}})"));
    CHECK(alone.ranks == 1);
    CHECK(alone.ring.value == 0);
    CHECK(alone.exchange.value == 0);
    CHECK(std::isfinite(alone.least_tokens));
}

TEST_CASE("keys and values that time is paid for are keys and values that are counted")
{
    std::map<Recompute, std::pair<double, double>>
        found; // bytes, and seconds of a network that hides nothing
    for (const Recompute recompute : every<Recompute>())
    {
        Scenario s = test::scenario(
            R"({"model": "llama-3.1-70b", "parallel": {"context": 4, "tensor": 8, "pipeline": 4, "zero": 1},
                "cluster": {"gpus": 256, "network_gb_per_s": 0.1},
                "training": {"sequence_length": 32768, "global_batch": 64}})");
        s.training.recompute = recompute;
        found[recompute] = {context_traffic(s).value, step_time(s).context_comm};
    }
    const auto [bytes, seconds] = found.at(Recompute::none);
    for (const auto& [recompute, at] : found)
    {
        INFO(name_of(recompute));
        CHECK(at.first == (rings_again(recompute) ? 4 : 3) * bytes / 3);
        CHECK(at.second / seconds == Approx(at.first / bytes).epsilon(0.05));
    }
}

TEST_CASE("metrics of the context cut are the plan's, and nothing goes round without one")
{
    const Scenario s = test::scenario(
        R"({"model": "llama-3.1-8b", "cluster": {"gpus": 64}, "parallel": {"context": 8, "zero": 1},
            "training": {"sequence_length": 131072, "global_batch": 8}})");
    const auto report = evaluate(s);
    REQUIRE(report);
    const ContextPlan plan = context_plan(s);
    const auto value = [&](std::string_view name, const Scenario& of)
    {
        const Metric* metric = find_metric(name);
        REQUIRE(metric != nullptr);
        return metric->value(of, *report);
    };
    CHECK(value("context.hop_bytes", s) == plan.message.value);
    CHECK(value("context.ring_bytes", s) == plan.ring.value);
    CHECK(value("context.exchange_bytes", s) == plan.exchange.value);
    CHECK(value("context.least_tokens", s) == plan.least_tokens);
    CHECK(value("context.hop_s", s) == plan.hop_s());
    CHECK(value("context.tile_s", s) == plan.tile_s());
    CHECK(value("traffic.context_bytes", s) == context_traffic(s).value);
    Scenario none = s;
    none.parallel.context = 1;
    CHECK(value("context.ring_bytes", none) == 0);
    CHECK(value("traffic.context_bytes", none) == 0);
}
