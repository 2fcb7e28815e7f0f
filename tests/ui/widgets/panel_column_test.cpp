// Controls of a panel as a user uses them, on a view that has them.
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("a slider takes a typed percentage, holds it within its ends, and leaves what is no number")
{
    test::Window w;
    w.open("stragglers");
    w.settle();
    w.type_value("Slower by", "35");
    w.settle();
    CHECK(test::says(w, "35.0%"));
    w.type_value("Slower by", "250%");
    w.settle();
    CHECK(test::says(w, "Slower by 100%"));
    w.type_value("Slower by", "much");
    w.settle();
    CHECK(test::says(w, "Slower by 100%"));
}

TEST_CASE("keys that a row of the help names do what it says, one after the other")
{
    test::Window w;
    w.open("data/feed");
    w.settle();
    w.key(ImGuiKey_3); // the third of "1 to 4"
    w.key(ImGuiKey_W); // the first of "W E": a worker more
    w.settle();
    const std::string more = test::text_of(w);
    w.key(ImGuiKey_E); // and one less
    w.settle();
    CHECK(test::text_of(w) != more);
    w.key(ImGuiKey_W);
    w.settle();
    CHECK(test::text_of(w) == more);
}
