// Alignment: copies and losses worked by hand, published figures, and limits.
#include "tests/core/random_scenarios.h"

#include "core/serving/alignment.h"
#include "core/serving/cache.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <numeric>

using namespace ringside;
using Catch::Approx;

namespace
{

constexpr double kParameters = 8'030'261'248;

Scenario eight_billion()
{
    Scenario s = test::scenario("{}");
    s.model = test::scenario(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 1},
                                 "training": {"sequence_length": 512, "global_batch": 1}})")
                  .model;
    return s;
}

AlignmentReport report(AlignmentRecipe recipe, const AlignmentSetup& setup = {})
{
    return alignment_report(eight_billion(), recipe, setup);
}

double models(const AlignmentReport& r)
{
    return (r.total() - r.cache).value;
}

} // namespace

TEST_CASE(
    "hand-worked: PPO keeps 36 bytes per parameter in four models, DPO 18 in two, GRPO 20 in three, ORPO 16")
{
    CHECK(models(report(AlignmentRecipe::sft)) == 16 * kParameters);
    CHECK(models(report(AlignmentRecipe::reward)) == 16 * kParameters);
    CHECK(models(report(AlignmentRecipe::ppo)) == 36 * kParameters);
    CHECK(report(AlignmentRecipe::ppo).copies.size() == 4);
    CHECK(models(report(AlignmentRecipe::dpo)) == 18 * kParameters);
    CHECK(report(AlignmentRecipe::dpo).copies.size() == 2);
    CHECK(models(report(AlignmentRecipe::kto)) == 18 * kParameters);
    CHECK(models(report(AlignmentRecipe::grpo)) == 20 * kParameters);
    CHECK(models(report(AlignmentRecipe::orpo)) == 16 * kParameters);
    AlignmentSetup rules;
    rules.rules = true;
    CHECK(models(report(AlignmentRecipe::grpo, rules)) == 18 * kParameters);
    CHECK(models(report(AlignmentRecipe::ppo, rules)) == 36 * kParameters);
}

TEST_CASE("hand-worked: answers being written keep 131 072 bytes a token, only where something is written")
{
    AlignmentSetup setup;
    setup.answers = 64;
    setup.tokens = 1024;
    CHECK(report(AlignmentRecipe::ppo, setup).cache.value == 131'072.0 * 64 * 1024);
    CHECK(report(AlignmentRecipe::grpo, setup).cache.value == 131'072.0 * 64 * 1024);
    CHECK(report(AlignmentRecipe::dpo, setup).cache.value == 0);
}

TEST_CASE("InstructGPT: a critic of 6 B beside 175 B takes a thirtieth of the policy's state")
{
    // Ouyang et al., section 3.5: reward and value model of 6 B.
    AlignmentSetup setup;
    setup.critic = 6.0 / 175;
    const AlignmentReport r = report(AlignmentRecipe::ppo, setup);
    CHECK(models(r) == Approx(18 * kParameters * (1 + setup.critic)));
    CHECK(r.copies.back().role == ModelRole::value);
    CHECK(r.copies.back().total().value == Approx(16 * setup.critic * kParameters));
}

TEST_CASE("with adapters the base is its own reference: 2 P + 16 A for DPO, twice that for PPO")
{
    AlignmentSetup setup;
    setup.adapters = true;
    const double adapters = 32.0 * 16 * (2 * 8192 + 2 * 5120 + 3 * (4096 + 14336));
    CHECK(models(report(AlignmentRecipe::dpo, setup)) == 2 * kParameters + 16 * adapters);
    CHECK(models(report(AlignmentRecipe::ppo, setup)) == 2 * (2 * kParameters + 16 * adapters));
    CHECK(models(report(AlignmentRecipe::grpo, setup)) == 4 * kParameters + 16 * adapters);
}

TEST_CASE("DPO begins at ln 2 with half the weight, and a pair that is won counts little")
{
    CHECK(dpo_loss(0.1, 3, 3) == Approx(std::log(2)));
    CHECK(dpo_weight(0.1, 0, 0) == 0.5);
    // beta 0.1, 4 up and 6 down: sigmoid(1).
    CHECK(dpo_loss(0.1, 4, -6) == Approx(0.31326));
    CHECK(dpo_weight(0.1, 4, -6) == Approx(0.26894).epsilon(1e-4));
    CHECK(dpo_weight(0.5, 20, -20) < 1e-8);
    CHECK(std::isfinite(dpo_loss(1, -1e6, 1e6)));
    CHECK(dpo_loss(1, 1e6, -1e6) == 0);
    // The weight is what the loss falls by, over beta.
    const double step = 1e-6;
    CHECK((dpo_loss(0.3, 1, 2) - dpo_loss(0.3, 1 + step, 2)) / step == Approx(0.3 * dpo_weight(0.3, 1, 2)));
}

TEST_CASE("rewards 3 apart are preferred in 95.3% of the cases, equal ones in half")
{
    CHECK(preference(3) == Approx(0.95257).epsilon(1e-4));
    CHECK(preference(0) == 0.5);
    CHECK(preference(-3) == Approx(1 - preference(3)));
}

TEST_CASE("hand-worked: two of eight right have an advantage of 1.73, the others of -0.577")
{
    const std::array<double, 8> rewards{1, 1, 0, 0, 0, 0, 0, 0};
    const auto a = group_advantages(rewards);
    CHECK(a[0] == Approx(std::sqrt(3)));
    CHECK(a[7] == Approx(-1 / std::sqrt(3)));
    CHECK(std::accumulate(a.begin(), a.end(), 0.0) == Approx(0).margin(1e-12));
    for (const double all : {0.0, 1.0})
    {
        const std::array<double, 4> alike{all, all, all, all};
        for (const double advantage : group_advantages(alike))
        {
            CHECK(advantage == 0);
        }
    }
    CHECK(group_advantages({}).empty());
}

TEST_CASE(
    "hand-worked: without the deviation two of eight right have an advantage of 0.75, the others of -0.25")
{
    const std::array<double, 8> rewards{1, 1, 0, 0, 0, 0, 0, 0};
    const auto a = group_advantages(rewards, GroupBaseline::mean);
    CHECK(a[0] == 0.75);
    CHECK(a[7] == -0.25);
    // The mean of |a| is the formula's: (2 x 0.75 + 6 x 0.25) / 8 = 2 x 0.25 x 0.75.
    CHECK(mean_advantage(0.25, GroupBaseline::mean) == 0.375);
    CHECK(mean_advantage(0.25, GroupBaseline::deviations) ==
          Approx((2 * std::sqrt(3) + 6 / std::sqrt(3)) / 8));
    CHECK(mean_advantage(0.5, GroupBaseline::deviations) == 1);
    CHECK(mean_advantage(1, GroupBaseline::deviations) == 0);
}

TEST_CASE("hand-worked: a group of eight with one in four right is all wrong one time in ten")
{
    CHECK(alike_share(0.25, 8) == Approx(std::pow(0.75, 8) + std::pow(0.25, 8))); // 10.0%
    CHECK(alike_share(0.5, 2) == 0.5);
    CHECK(alike_share(0, 8) == 1);
    CHECK(alike_share(1, 8) == 1);
    CHECK(alike_share(0.1, 64) < alike_share(0.1, 8)); // larger groups find a right one
}

TEST_CASE("the gold reward has its peak where its slope is zero, best of n and reinforcement")
{
    CHECK(gold_peak(Optimizing::best_of_n, 1, 0.1) == 5);
    CHECK(gold_peak(Optimizing::reinforcement, 1, 0.4) == Approx(std::exp(1.5)));
    for (const Optimizing how : {Optimizing::best_of_n, Optimizing::reinforcement})
    {
        const double peak = gold_peak(how, 1, 0.25);
        const double best = gold_reward(how, 1, 0.25, peak);
        CHECK(gold_reward(how, 1, 0.25, peak * 1.01) < best);
        CHECK(gold_reward(how, 1, 0.25, peak * 0.99) < best);
        CHECK(gold_reward(how, 1, 0.25, 0) == 0);
        CHECK(std::isinf(gold_peak(how, 1, 0)));
    }
    CHECK(penalized_distance(1, 0.1) == 5);
    CHECK(std::isinf(penalized_distance(1, 0)));
}

TEST_CASE("any model: PPO keeps the most, adapters never more, parts add up")
{
    test::ScenarioSource random(31);
    for (int i = 0; i < 60; ++i)
    {
        const Scenario s = random.next();
        AlignmentSetup setup;
        const double ppo = alignment_report(s, AlignmentRecipe::ppo, setup).total().value;
        for (const AlignmentInfo& info : alignment_recipes())
        {
            setup.adapters = false;
            const AlignmentReport whole = alignment_report(s, info.recipe, setup);
            CHECK(whole.total().value <= ppo);
            Bytes sum = whole.cache;
            for (const ModelCopy& c : whole.copies)
            {
                sum += c.weights + c.gradients + c.optimizer;
            }
            CHECK(sum == whole.total());
            CHECK(explain_alignment(s, whole, setup).value == whole.total().value);
            setup.adapters = true;
            CHECK(std::isfinite(alignment_report(s, info.recipe, setup).total().value));
        }
    }
}
