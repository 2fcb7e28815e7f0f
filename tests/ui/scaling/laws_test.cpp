// The scaling-laws view: its four pictures, whose fit it shows, and that its point can be moved and put back.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("Y goes through valleys, trained models, serving and repeats, and comes back")
{
    test::Window w;
    w.open("laws");
    CHECK(test::says(w, "Compute-optimal size by each law"));
    CHECK(test::says(w, "Kaplan 2020"));
    w.key(ImGuiKey_Y);
    w.frame();
    CHECK(test::says(w, "training tokens"));
    CHECK(test::says(w, "Chinchilla"));
    w.key(ImGuiKey_Y);
    w.frame();
    CHECK(test::says(w, "compute-optimal"));
    CHECK(test::says(w, "Inference tokens"));
    w.key(ImGuiKey_Y);
    w.frame();
    CHECK(test::says(w, "epochs are worth"));
    w.key(ImGuiKey_Y);
    w.frame();
    CHECK(test::says(w, "Compute-optimal size by each law"));
}

TEST_CASE("F changes whose fit is shown, and with it the optimum of the same budget")
{
    test::Window w;
    w.open("laws");
    const std::string refit = test::text_of(w);
    w.key(ImGuiKey_F);
    w.settle();
    const std::string printed = test::text_of(w);
    CHECK(refit != printed);
    CHECK(test::says(w, "L = E + A/N^\u03b1 + B/D^\u03b2 = 1.69"));
    w.key(ImGuiKey_F);
    w.key(ImGuiKey_F);
    w.settle();
    CHECK(test::text_of(w) == refit);
}

TEST_CASE("the point slides along its valley by mouse, and R puts it back")
{
    test::Window w;
    w.open("laws");
    const std::string before = test::text_of(w);
    CHECK_FALSE(test::says(w, "Back to the scenario"));
    w.drag("point in the valley", 0.5F, 4.0F);
    w.settle();
    CHECK(test::says(w, "Back to the scenario"));
    CHECK(test::text_of(w) != before);
    CHECK(test::says(w, "6.35e+24")); // the compute stays
    w.key(ImGuiKey_R);
    w.move_to({-100, -100});
    w.settle();
    CHECK(test::text_of(w) == before);
}

TEST_CASE("pressing a trained model stands there")
{
    test::Window w;
    w.open("laws");
    w.key(ImGuiKey_Y);
    w.settle();
    w.click("trained GPT-3");
    w.settle();
    CHECK(test::says(w, "175 B on 300 B"));
    CHECK(test::says(w, "1.71"));
}

TEST_CASE("tokens served are typed, and move the cheapest size")
{
    test::Window w;
    w.open("laws");
    w.key(ImGuiKey_Y);
    w.key(ImGuiKey_Y);
    w.settle();
    w.type_value("Inference tokens", "1e9");
    w.settle();
    const std::string few = test::text_of(w);
    CHECK(test::says(w, "1.00 B inference tokens"));
    w.type_value("Inference tokens", "1e16");
    w.settle();
    CHECK(test::text_of(w) != few);
}

TEST_CASE("a scenario too small or too large for the pictures is said to lie beyond them")
{
    test::Window w;
    w.open("laws");
    CHECK_FALSE(test::says(w, "beyond this picture"));
    Scenario s = w.session().scenario();
    s.training.tokens = 1e17;
    w.session().apply(ChangeScenario{s});
    w.settle(300);
    CHECK(test::says(w, "The scenario itself lies beyond this picture"));
}
