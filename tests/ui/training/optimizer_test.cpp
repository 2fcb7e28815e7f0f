// The optimizer's dials in a user's hands: the shape of the rate, clipping, paths down a valley, the batch.
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/scenario/choices.h"
#include "core/training/critical_batch.h"
#include "core/training/descent.h"

#include <catch2/catch_test_macros.hpp>

#include <cstdio>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::unique_ptr<Window> opened(int page = 0)
{
    auto w = std::make_unique<Window>();
    w->open("optimizer");
    w->settle(300);
    for (int i = 0; i < page; ++i)
    {
        w->key(ImGuiKey_Y);
        w->settle(300);
    }
    return w;
}

} // namespace

TEST_CASE("the run's steps are the scenario's, and the decay is chosen by digit or by its name")
{
    const auto w = opened();
    CHECK(says(*w, "14.3 M")); // 15e12 tokens over 128 x 8192
    CHECK(says(*w, "cos(pi"));
    w->key(ImGuiKey_1);
    w->settle(300);
    CHECK(says(*w, "100% of its peak"));
    w->click("decay linear");
    w->settle(300);
    CHECK(says(*w, "(peak \u2212 min) (1 \u2212 0.4"));
    w->click("decay inverse sqrt");
    w->settle(300);
    CHECK(says(*w, "peak sqrt(warmup / (t + 1))"));
    w->key(ImGuiKey_5);
    w->settle(300);
    CHECK(says(*w, "then linear decay"));
}

TEST_CASE("peak, floor and the start of the decay are dragged, the clock too, and values are typed")
{
    const auto w = opened();
    w->type_value("Peak LR", "6e-4");
    w->settle(300);
    w->session().apply(Seek{100});
    w->settle(300);
    CHECK(says(*w, "6e-5, 10.0% of its peak"));
    w->type_value("Minimum LR, of peak", "0");
    w->settle(300);
    CHECK(says(*w, "0, 0% of its peak"));
    w->drag("floor of the rate", 0.5F, 0.6F);
    w->key(ImGuiKey_5);
    w->settle(300);
    w->drag("start of the decay", 0.5F, -8);
    w->settle(300);
    w->drag("peak of the rate", 0.5F, 6);
    w->settle(300);
    CHECK(w->drawn().fault == "");
    w->drag("rate over steps", 0.8F, 0.2F);
    w->settle(300);
    CHECK(w->playback().t < 50);
    CHECK(w->playback().t > 5);
}

TEST_CASE("a gradient inside the circle is left alone, one outside comes down to it")
{
    const auto w = opened(1);
    CHECK(says(*w, "norm of 3.00 is clipped to 1.00"));
    CHECK(says(*w, "0.333"));
    w->type_value("max_grad_norm", "3.2");
    w->settle(300);
    CHECK(says(*w, "not clipped"));
    w->drag("tip of the gradient", 0.5F, 6);
    w->settle(300);
    CHECK(!says(*w, "not clipped"));
    w->drag("largest norm", 0.5F, 1.5F);
    w->settle(300);
    CHECK(w->drawn().fault == "");
}

TEST_CASE("clipping is the exception: of the run on show a few percent of the steps are clipped")
{
    const auto w = opened(1);
    int steps = 0;
    int clipped = 0;
    for (const test::Words& words : test::words_of(*w))
    {
        if (int some = 0, all = 0;
            std::sscanf(words.text.c_str(), "%d of %d steps clipped", &some, &all) == 2)
        {
            clipped = some;
            steps = all;
        }
    }
    REQUIRE(steps == 300);
    CHECK(clipped >= 0.02 * steps);
    CHECK(clipped <= 0.08 * steps);
}

TEST_CASE("each optimizer has the rate that serves it best until one is chosen, and AdamW is ahead of SGD")
{
    const auto w = opened(2);
    w->key(ImGuiKey_1);
    w->settle(300);
    const Valley valley{.across = 300, .angle = 0.1};
    const auto loss = [&](Stepper stepper, double rate)
    {
        DescentOptions o;
        o.stepper = stepper;
        o.rate = rate;
        return descend(valley, o).back().loss;
    };
    CHECK(loss(Stepper::sgd, 0.003) > 10 * loss(Stepper::adamw, 0.3));
    CHECK(says(*w, "at a loss of " + figure(loss(Stepper::sgd, 0.003), 3)));
    CHECK(says(*w, figure(loss(Stepper::adamw, 0.3), 3)));
}

TEST_CASE("every optimizer has its path and formula; SGD diverges where its rate is too large")
{
    const auto w = opened(2);
    for (std::size_t i = 0; i < kSteppers; ++i)
    {
        const auto stepper = static_cast<Stepper>(i);
        w->click("optimizer " + std::string(name_of(stepper)));
        w->settle(300);
        INFO(std::string(name_of(stepper)));
        CHECK(says(*w, "After 100 steps, " + std::string(name_of(stepper))));
    }
    w->key(ImGuiKey_1);
    w->type_value("Learning rate", "0.1");
    w->settle(300);
    CHECK(says(*w, "SGD diverges"));
    w->type_value("Learning rate", "0.003");
    w->settle(300);
    const Valley valley{.across = 300, .angle = 0.1};
    DescentOptions o;
    o.stepper = Stepper::sgd;
    o.rate = 0.003;
    CHECK(says(*w, "at a loss of " + figure(descend(valley, o).back().loss, 3)));
    CHECK(says(*w, "w \u2212= 0.003 g"));
    CHECK(says(*w, figure(descend(valley, o).back().update, 3)));
    w->key(ImGuiKey_4);
    w->settle(300);
    w->type_value("Weight decay", "0.1");
    w->settle(300);
    CHECK(says(*w, "+ 0.1 w)"));
    w->key(ImGuiKey_I);
    w->key(ImGuiKey_R);
    w->drag("start of the paths", 0.5F, 4);
    w->settle(300);
    CHECK(w->drawn().fault == "");
    w->session().apply(Seek{0});
    w->settle(300);
    CHECK(says(*w, "After 0 steps"));
}

TEST_CASE("the batch page starts from the scenario's batch, and dragging it changes the scenario")
{
    const auto w = opened(3);
    CHECK(says(*w, "1.05 M tokens per step"));
    CHECK(says(*w, three_digits(steps_over_least(128 * 8192, critical_batch_tokens(2.2)))));
    const auto before = w->session().scenario().training.global_batch;
    w->drag("batch of the scenario", 0.5F, 8);
    w->settle(300);
    CHECK(w->session().scenario().training.global_batch > before);
    CHECK(w->valid());
    w->click("square root");
    w->settle(300);
    CHECK(w->drawn().fault == "");
    w->session().apply(Command::undo);
    w->settle(300);
    CHECK(w->session().scenario().training.global_batch == before);
}
