// Experts in a user's hands: ways of balancing by key and button, the capacity by drag and typing, steps by
// the chart, scenarios with and without experts.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/parallelism/experts/plan.h"
#include "core/parallelism/experts/router.h"
#include "core/scenario/choices.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

constexpr std::size_t kShown = 30;

std::unique_ptr<Window> opened(const std::string& text = R"({"model": "mixtral-8x7b", "cluster": {"gpus": 64},
    "parallel": {"expert": 8, "zero": 1}, "training": {"sequence_length": 4096, "global_batch": 512}})")
{
    auto w = std::make_unique<Window>();
    w->session().apply(ChangeScenario{test::scenario(text)});
    w->open("experts");
    w->settle(2000);
    return w;
}

RouterStep step_of(Balance balance, double skew = 1, double strength = 0.01)
{
    RouterOptions o;
    o.balance = balance;
    o.skew = skew;
    o.strength = strength;
    RouterRun run(o);
    run.advance_to(kShown + 1);
    return run.steps().back();
}

std::string busiest(const RouterStep& step)
{
    return three_digits(max_violation(step.load) + 1) + "\u00d7";
}

} // namespace

TEST_CASE("the experts view says what the engine routed, for each way of balancing")
{
    const auto w = opened();
    REQUIRE(w->playback().t == static_cast<double>(kShown));
    for (std::size_t i = 0; i < kBalances; ++i)
    {
        w->key(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)));
        w->settle(2000);
        INFO(i);
        CHECK(says(*w, busiest(step_of(static_cast<Balance>(i)))));
        CHECK(w->drawn().fault == "");
    }
    CHECK(says(*w, "probabilities do not change"));
    w->click("Aux loss");
    w->settle(2000);
    CHECK(says(*w, busiest(step_of(Balance::auxiliary))));
    CHECK(says(*w, format_percent(step_of(Balance::auxiliary).drift)));
}

TEST_CASE("skew, capacity and strength are typed in the panel and change the picture")
{
    const auto w = opened();
    CHECK(says(*w, "cap 160"));
    w->type_value("Capacity factor", "2");
    w->settle(2000);
    CHECK(says(*w, "cap 256"));
    w->type_value("Skew (Zipf exponent)", "0.5");
    w->settle(2000);
    CHECK(says(*w, busiest(step_of(Balance::none, 0.5))));
    w->key(ImGuiKey_3);
    w->settle(2000);
    w->type_value("Bias step \u03b3", "0.05");
    w->settle(2000);
    CHECK(says(*w, busiest(step_of(Balance::bias, 0.5, 0.05))));
}

TEST_CASE("the capacity line is dragged on the picture, down to where half of the even share is dropped")
{
    const auto w = opened();
    const Rect line = w->find("###capacity line").rect;
    const ImVec2 at{line.centre(), line.middle()};
    w->move_to(at);
    w->frames(2);
    ImGui::GetIO().AddMouseButtonEvent(0, true);
    w->frames(2);
    w->move_to({at.x, at.y + 2000});
    w->frames(3);
    ImGui::GetIO().AddMouseButtonEvent(0, false);
    w->settle(2000);
    CHECK(says(*w, "cap 64"));
    CHECK(says(*w, "are dropped"));
}

TEST_CASE("the chart is dragged through the steps")
{
    const auto w = opened();
    w->drag("###balance over steps", 0.5F, 0.98F);
    w->settle(2000);
    CHECK(w->playback().t > 0.9 * static_cast<double>(kRouterSteps));
}

TEST_CASE("bytes in the panel are the plan's, and a dense model says that its experts are supposed")
{
    const auto w = opened();
    const ExpertPlan plan = expert_plan(w->session().scenario());
    CHECK(says(*w, format_bytes(plan.sent)));
    CHECK(says(*w, "EP = 8, 8 replicas"));
    CHECK(says(*w, "Fraction of the step"));
    w->session().apply(ChangeScenario{default_scenario(test::presets())});
    w->settle(2000);
    CHECK(says(*w, "is dense"));
    CHECK(says(*w, "As an MoE model"));
    CHECK(!says(*w, "Fraction of the step"));
}

TEST_CASE("Mixtral and DeepSeek-V3 are a key away, and fit")
{
    const auto w =
        opened(R"({"model": "llama-3.1-8b", "cluster": {"gpus": 8}, "training": {"global_batch": 8}})");
    w->key(ImGuiKey_8);
    w->settle(2000);
    CHECK(w->session().scenario().model.preset == "mixtral-8x7b");
    CHECK(w->session().now().report->memory.fits());
    w->click("DeepSeek-V3");
    w->settle(2000);
    CHECK(w->session().scenario().model.preset == "deepseek-v3");
    CHECK(w->session().now().report->memory.fits());
    CHECK(says(*w, "EP = 64 over several nodes, 2 replicas"));
    CHECK(w->drawn().fault == "");
}

TEST_CASE("between two steps tokens are on their way, there and back")
{
    const auto w = opened();
    w->session().apply(Seek{static_cast<double>(kShown) + 0.25});
    w->settle(2000);
    CHECK(says(*w, "Combine"));
    w->session().apply(Seek{static_cast<double>(kShown) + 0.75});
    w->settle(2000);
    CHECK(says(*w, "Dispatch"));
    CHECK(w->drawn().fault == "");
}

TEST_CASE("copies of a token are the engine's, and go out packet by packet")
{
    const auto w = opened();
    w->key(ImGuiKey_D);
    w->open("experts/nodes");
    w->settle(2000);
    CHECK(says(*w, "7.00 times"));
    CHECK(says(*w, "3.50"));
    const std::string sent = test::text_of(*w);
    w->session().apply(Seek{0.5});
    w->settle(2000);
    CHECK(says(*w, "0 sent"));
    w->type_value("Node limit M", "2");
    w->settle(2000);
    CHECK(says(*w, "at most 2 nodes"));
    w->key(ImGuiKey_R);
    w->settle(2000);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("replicas even out the load of GPUs, and two half batches hide the network")
{
    const auto w = opened();
    w->open("experts/replicas");
    w->settle(2000);
    CHECK(says(*w, "8 redundant experts on 8 GPUs"));
    w->type_value("Replicas per GPU", "0");
    w->settle(2000);
    CHECK(says(*w, "0 redundant experts"));
    w->open("experts/overlap");
    w->settle(2000);
    CHECK(says(*w, "1.82\u00d7 as fast"));
    w->type_value("Network / compute", "2");
    w->settle(2000);
    CHECK(says(*w, "Faster"));
}
