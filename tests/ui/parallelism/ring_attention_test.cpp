// Ring attention in a user's hands: how tokens are dealt, the mask, ranks, the clock by key and by drag,
// and scenarios with and without a cut sequence.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/parallelism/context/plan.h"
#include "core/parallelism/context/ring_attention.h"

#include <catch2/catch_test_macros.hpp>

#include <cmath>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

const char* kLong =
    R"({"model": "llama-3.1-8b", "cluster": {"gpus": 64}, "parallel": {"context": 8, "zero": 1},
    "training": {"sequence_length": 131072, "global_batch": 8}})";

std::unique_ptr<Window> opened(const std::string& text = kLong, const char* page = "ring-attention/softmax")
{
    auto w = std::make_unique<Window>();
    w->session().apply(ChangeScenario{test::scenario(text)});
    w->open(page);
    w->settle(500);
    return w;
}

std::string cost(Spread spread, bool causal = true)
{
    RingAttentionOptions o;
    o.spread = spread;
    o.causal = causal;
    return "imbalance " + three_digits(imbalance(o)) + "\u00d7";
}

} // namespace

TEST_CASE("each way to deal tokens has its cost on show, by digit and by button")
{
    const auto w = opened(kLong, "ring-attention/balance");
    CHECK(says(*w, cost(Spread::contiguous)));
    w->key(ImGuiKey_2);
    w->settle(500);
    CHECK(says(*w, cost(Spread::striped)));
    w->click("Zigzag");
    w->settle(500);
    CHECK(says(*w, cost(Spread::zigzag)));
    w->key(ImGuiKey_C);
    w->settle(500);
    RingAttentionOptions full;
    full.causal = false;
    CHECK(imbalance(full) == 1);
    CHECK(says(*w, "imbalance 1.00\u00d7"));
    CHECK(w->drawn().fault == "");
}

TEST_CASE("the running softmax of a rank is read off, and at the end it is the uncut one")
{
    const auto w = opened();
    w->session().apply(Seek{4});
    w->settle(500);
    CHECK(says(*w, "Rank 1, 4 blocks merged"));
    CHECK(says(*w, "differs by"));
    const RingAttention ring{RingAttentionOptions{}};
    const std::string sum = fmt::format("{:.2f}", ring.state(7, 4).sum);
    CHECK(says(*w, sum));
    w->session().apply(Seek{0});
    w->settle(500);
    CHECK(says(*w, "0 blocks merged"));
    CHECK(says(*w, "\u2212\u221e")); // no maximum of nothing
    CHECK(w->drawn().missing_glyphs == 0);
}

TEST_CASE("a rank is chosen by key and by pressing it")
{
    const auto w = opened();
    CHECK(says(*w, "Rank 1,"));
    w->key(ImGuiKey_R);
    w->settle(500);
    CHECK(says(*w, "Rank 2,"));
    w->click("rank 0");
    w->settle(500);
    CHECK(says(*w, "Rank 0,"));
}

TEST_CASE("N and the panel change how many ranks there are, and the clock follows")
{
    const auto w = opened();
    CHECK(w->motion().duration == 4.0);
    w->key(ImGuiKey_N);
    w->settle(500);
    CHECK(w->motion().duration == 8.0);
    w->click("2 ranks");
    w->settle(500);
    CHECK(w->motion().duration == 2.0);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("dragging through the work moves the clock")
{
    const auto w = opened(kLong, "ring-attention/balance");
    w->drag("###work of the ranks", 0.1F, 0.9F);
    w->settle(500);
    CHECK(w->playback().t > 3);
    w->key(ImGuiKey_Comma);
    w->settle(500);
    CHECK(w->playback().t == std::floor(w->playback().t));
}

TEST_CASE("bytes and times are the plan's, and a scenario without a cut is told what one would cost")
{
    const auto w = opened();
    const ContextPlan plan = context_plan(w->session().scenario());
    CHECK(says(*w, format_bytes(plan.message)));
    CHECK(says(*w, format_seconds(Seconds(plan.hop_s()))));
    CHECK(says(*w, format_count(plan.least_causal()) + " tokens"));
    w->key(ImGuiKey_Y);
    w->settle(500);
    CHECK(says(*w, format_bytes(plan.ring)));
    CHECK(says(*w, format_bytes(plan.exchange)));
    w->key(ImGuiKey_Y);
    w->session().apply(ChangeScenario{default_scenario(test::presets())});
    w->settle(500);
    CHECK(says(*w, format_bytes(context_plan(w->session().scenario()).message)));
    w->session().apply(ChangeScenario{test::scenario(
        R"({"model": "gpt-2-124m", "cluster": {"gpus": 1}, "training": {"global_batch": 1, "sequence_length": 1024}})")});
    w->settle(500);
    CHECK(says(*w, "nothing is sent"));
    CHECK(w->drawn().fault == "");
}
