// The sizes view and the collectives view: what their keys change in the picture.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

TEST_CASE("Y goes through time, bus bandwidth and ranks, and comes back")
{
    test::Window w;
    w.open("message");
    CHECK(test::says(w, "latency rules"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "bus bandwidth, GB/s"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "Sent by the busiest rank, in messages"));
    CHECK(test::says(w, "16384"));
    w.key(ImGuiKey_Y);
    CHECK(test::says(w, "latency rules"));
}

TEST_CASE("no figures or names of the sizes lie on each other at any size")
{
    test::Window w;
    for (const char* page : {"message/time", "message/bandwidth", "message/ranks"})
    {
        w.open(page);
        test::check_words_at_every_size(w, page);
    }
}
