// The budget view: what its keys solve for, and that moving one quantity moves the solved one.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include "core/base/text/text.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("keys and cards choose what the budget is solved for")
{
    test::Window w;
    w.open("budget");
    CHECK(test::says(w, "solved"));
    CHECK_FALSE(test::says(w, "Days of training")); // solved, so there is nothing to move
    w.key(ImGuiKey_3);
    CHECK(test::says(w, "Days of training"));
    w.click("solve for MFU");
    w.frame();
    CHECK(test::says(w, "Days of training"));
}

TEST_CASE("the budget's days are the run's, in every precision")
{
    test::Window w;
    for (const Precision precision : {Precision::bf16, Precision::fp8})
    {
        Scenario s = w.session().scenario();
        s.training.precision = precision;
        w.session().apply(ChangeScenario{s});
        w.open("budget");
        const Report& r = *w.session().now().report;
        const double days = s.training.tokens / r.step.tokens_per_second() / 86400;
        CHECK(test::says(w, three_digits(days)));
    }
}

TEST_CASE("asking for more than the peak is said")
{
    test::Window w;
    w.open("budget");
    w.key(ImGuiKey_5);
    w.type_value("Days of training", "1");
    w.frame();
    CHECK(test::says(w, "no GPU does more than 100%"));
}
