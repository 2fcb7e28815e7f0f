// Experts: capacity and drops by hand, the router against Zipf's law, what balances it, the bytes of an
// all-to-all.
#include "tests/core/support.h"

#include "core/evaluate/report.h"
#include "core/network/traffic.h"
#include "core/parallelism/experts/plan.h"
#include "core/parallelism/experts/router.h"
#include "core/scenario/validate.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <numeric>

using namespace ringside;
using Catch::Approx;

namespace
{

RouterOptions options(std::int64_t experts, std::int64_t chosen, double skew, Balance balance = Balance::none,
                      double strength = 0.01)
{
    RouterOptions o;
    o.experts = experts;
    o.chosen = chosen;
    o.ranks = std::min<std::int64_t>(8, experts);
    o.skew = skew;
    o.balance = balance;
    o.strength = strength;
    return o;
}

RouterRun run_of(const RouterOptions& o)
{
    RouterRun run(o);
    run.advance_to(kRouterSteps);
    return run;
}

double late(const RouterRun& run)
{
    double sum = 0;
    for (std::size_t i = kRouterSteps - 10; i < kRouterSteps; ++i)
    {
        sum += max_violation(run.steps()[i].load) / 10;
    }
    return sum;
}

const char* kDeepSeek = R"({"model": "deepseek-v3", "cluster": {"preset": "deepseek-v3-h800", "gpus": 2048},
    "parallel": {"pipeline": 16, "expert": 64, "zero": 1,
                 "stage_layers": [4,4,4,4,4,4,4,4,4,4,4,4,4,3,3,3]},
    "training": {"global_batch": 15360, "sequence_length": 4096}})";

} // namespace

TEST_CASE("hand-worked: the capacity is the even share times the factor, rounded up")
{
    CHECK(expert_capacity(1.25, 2, 512, 8) == 160);
    CHECK(expert_capacity(1, 1, 10, 3) == 4); // 3.33
    CHECK(expert_capacity(1.1, 1, 100, 10) == 11);
    CHECK(expert_capacity(1, 8, 1024, 256) == 32);
}

TEST_CASE("published: the Switch paper's figure 3 gives 6 tokens and 3 experts room for 2, and for 3 at 1.5")
{
    // Fedus et al., arXiv 2101.03961, figure 3.
    CHECK(expert_capacity(1, 1, 6, 3) == 2);
    CHECK(expert_capacity(1.5, 1, 6, 3) == 3);
}

TEST_CASE("hand-worked: drops and violations of four loads")
{
    const std::vector<std::int64_t> load{50, 30, 15, 5};
    CHECK(dropped_pairs(load, 25) == 30); // 25 + 5
    CHECK(dropped_pairs(load, 50) == 0);
    CHECK(max_violation(load) == Approx(1.0));     // 50 / 25 - 1
    CHECK(rank_violation(load, 2) == Approx(0.6)); // 80 / 50 - 1
    CHECK(rank_violation(load, 4) == max_violation(load));
    CHECK(max_violation(std::vector<std::int64_t>{0, 0}) == 0);
}

TEST_CASE("with one expert a token, popularity follows Zipf's law")
{
    const RouterOptions o = options(8, 1, 1);
    const RouterRun run = run_of(o);
    const TokenPool pool(8);
    std::vector<double> share(8, 0);
    for (std::size_t i = 0; i < 4; ++i) // as many tokens as are independent
    {
        for (std::size_t e = 0; e < 8; ++e)
        {
            share[e] += static_cast<double>(run.steps()[i].load[e]) / static_cast<double>(4 * run.tokens());
        }
    }
    for (std::int64_t e = 0; e < 8; ++e)
    {
        // 1 + 1/2 + ... + 1/8 = 2.71786
        const double expected = 1 / static_cast<double>(pool.place(e) + 1) / 2.71786;
        CHECK(share[static_cast<std::size_t>(e)] == Approx(expected).margin(0.03));
    }
}

TEST_CASE("every token is routed k times, whatever balances, and the matrix has the same sums")
{
    for (const Balance balance : {Balance::none, Balance::auxiliary, Balance::bias})
    {
        for (const std::int64_t experts : {1, 6, 8, 64, 256})
        {
            const std::int64_t k = std::min<std::int64_t>(experts, experts > 100 ? 8 : 2);
            RouterOptions o = options(experts, k, 1.5, balance, 0.05);
            o.ranks = std::gcd(experts, std::int64_t{8});
            RouterRun run(o);
            run.advance_to(5);
            REQUIRE(run.steps().size() == 5);
            REQUIRE(run.tokens() % o.ranks == 0);
            for (const RouterStep& step : run.steps())
            {
                const auto sum = [](const auto& v)
                { return std::accumulate(v.begin(), v.end(), std::int64_t{0}); };
                REQUIRE(sum(step.load) == k * run.tokens());
                REQUIRE(sum(step.sent) == k * run.tokens());
                const std::int64_t each = experts / o.ranks;
                for (std::int64_t to = 0; to < o.ranks; ++to)
                {
                    std::int64_t arrived = 0;
                    std::int64_t load = 0;
                    for (std::int64_t from = 0; from < o.ranks; ++from)
                    {
                        arrived += step.sent[static_cast<std::size_t>(from * o.ranks + to)];
                    }
                    for (std::int64_t e = to * each; e < (to + 1) * each; ++e)
                    {
                        load += step.load[static_cast<std::size_t>(e)];
                    }
                    REQUIRE(arrived == load);
                }
                REQUIRE(step.seen.size() == static_cast<std::size_t>(o.ranks * kSeen * k));
                REQUIRE(std::isfinite(step.loss));
                REQUIRE(step.drift >= 0);
                REQUIRE(step.drift <= 1);
            }
        }
    }
}

TEST_CASE("more skew is less balance; none is even but for chance")
{
    double before = -1;
    for (const double skew : {0.0, 0.5, 1.0, 2.0})
    {
        const double now = late(run_of(options(8, 2, skew)));
        CHECK(now > before);
        before = now;
    }
    CHECK(late(run_of(options(8, 2, 0))) < 0.2);
    CHECK(run_of(options(8, 2, 0)).steps().back().loss == Approx(1).margin(0.01));
}

TEST_CASE("both methods balance what is left alone uneven; only the loss moves the router's probabilities")
{
    const double alone = late(run_of(options(8, 2, 1)));
    const RouterRun loss = run_of(options(8, 2, 1, Balance::auxiliary));
    const RouterRun bias = run_of(options(8, 2, 1, Balance::bias));
    CHECK(alone > 0.8);
    CHECK(late(loss) < 0.35 * alone);
    CHECK(late(bias) < 0.35 * alone);
    CHECK(loss.steps().back().drift > 0.1);
    CHECK(bias.steps().back().drift == 0);
    CHECK(loss.steps().back().loss < loss.steps().front().loss);
}

TEST_CASE("a larger coefficient balances better and moves the router further")
{
    const RouterRun weak = run_of(options(8, 2, 1, Balance::auxiliary, 0.001));
    const RouterRun strong = run_of(options(8, 2, 1, Balance::auxiliary, 0.03));
    CHECK(late(strong) < late(weak));
    CHECK(strong.steps().back().drift > weak.steps().back().drift);
    CHECK(weak.steps().front().load == strong.steps().front().load);
}

TEST_CASE("a bias that steps too far swings: gamma 0.1 ends less even than 0.01")
{
    CHECK(late(run_of(options(8, 2, 1, Balance::bias, 0.1))) >
          late(run_of(options(8, 2, 1, Balance::bias, 0.01))));
}

TEST_CASE("a run is the same run, in one go or in pieces")
{
    const RouterOptions o = options(16, 2, 1, Balance::bias);
    const RouterRun whole = run_of(o);
    RouterRun pieces(o, std::make_shared<const TokenPool>(16));
    while (!pieces.done())
    {
        pieces.advance(1);
    }
    REQUIRE(pieces.steps().size() == kRouterSteps);
    CHECK(pieces.steps().back().load == whole.steps().back().load);
    CHECK(pieces.steps().back().seen == whole.steps().back().seen);
}

TEST_CASE(
    "hand-worked: DeepSeek-V3 sends 463 MB in one all-to-all, four a layer, with two copies of an expert")
{
    const ExpertPlan plan = expert_plan(test::scenario(kDeepSeek));
    CHECK(!plan.supposed);
    CHECK(plan.experts == 256);
    CHECK(plan.chosen == 8);
    CHECK(plan.ranks == 64);
    CHECK(plan.held == 4);
    CHECK(plan.copies == 2); // 2048 / 16 stages / 64
    CHECK(plan.leaves);
    CHECK(plan.tokens == 4096);
    CHECK(plan.message.value == 8.0 * 4096 * 7168 * 2);
    CHECK(plan.sent.value == 8.0 * 4096 * 7168 * 2 * 63 / 64);
    CHECK(plan.passes == 4);
    // 58 layers x 256 experts x 3 x 7168 x 2048; a stage of four such layers holds 4 x 4 of them.
    CHECK(plan.whole == 58.0 * 256 * 3 * 7168 * 2048);
    CHECK(plan.parameters == 16.0 * 3 * 7168 * 2048);
    const Term term = explain_expert_sent(plan);
    CHECK(term.value == plan.sent.value);
    CHECK(term.working == "8 \u00d7 4096 \u00d7 7168 \u00d7 2 \u00d7 (64 \u2212 1) / 64");
    CHECK(explain_expert_copies(plan).value == 2);
}

TEST_CASE("a step's expert traffic is its layers, micro-batches and all-to-alls times what one sends")
{
    const Scenario s = test::scenario(kDeepSeek);
    const ExpertPlan plan = expert_plan(s);
    const double layers = 58.0 / 16; // of one stage, on average
    CHECK(expert_traffic(s).value == Approx(plan.sent.value * static_cast<double>(plan.passes) * layers *
                                            static_cast<double>(micro_batches(s))));
}

TEST_CASE("a dense model is supposed to have experts, and its layout stays legal")
{
    const Scenario dense = test::scenario("{}");
    const ExpertPlan plan = expert_plan(dense);
    CHECK(plan.supposed);
    CHECK(plan.experts == 8);
    CHECK(plan.ranks == 8);
    CHECK(plan.scenario.model.hidden == dense.model.hidden);
    CHECK(!has_errors(validate(plan.scenario)));
    const ExpertPlan alone = expert_plan(test::scenario(
        R"({"model": "gpt-2-124m", "cluster": {"gpus": 1}, "training": {"global_batch": 1, "sequence_length": 1024}})"));
    CHECK(alone.ranks == 1);
    CHECK(alone.sent.value == 0);
    CHECK(alone.held == 8);
}

TEST_CASE("metrics of experts are those of the plan, and nothing for a dense model")
{
    const Scenario s = test::scenario(kDeepSeek);
    const auto report = evaluate(s);
    REQUIRE(report);
    const auto value = [](std::string_view name, const Scenario& of, const Report& r)
    {
        const Metric* metric = find_metric(name);
        REQUIRE(metric != nullptr);
        return metric->value(of, r);
    };
    const ExpertPlan plan = expert_plan(s);
    CHECK(value("expert.message_bytes", s, *report) == plan.message.value);
    CHECK(value("expert.sent_bytes", s, *report) == plan.sent.value);
    CHECK(value("expert.all_to_alls", s, *report) == 4);
    CHECK(value("expert.copies", s, *report) == 2);
    CHECK(value("expert.parameters", s, *report) == plan.parameters);
    const Scenario dense = test::scenario("{}");
    const auto other = evaluate(dense);
    REQUIRE(other);
    for (const char* name : {"expert.message_bytes", "expert.sent_bytes", "expert.all_to_alls",
                             "expert.copies", "expert.parameters"})
    {
        CHECK(value(name, dense, *other) == 0);
    }
}
