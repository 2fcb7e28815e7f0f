// Hangs: a rank is accused and a cause is named, and the verdict is the engine's.
#include "tests/ui/words.h"

#include "core/reliability/hang.h"

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace ringside;

namespace
{

void accuse(test::Window& w, std::size_t rank, HangFault fault)
{
    w.click("###rank " + std::to_string(rank) + " diverged first");
    w.key(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(fault)));
    w.settle();
}

} // namespace

TEST_CASE("the right rank and the right cause are told the reason, the wrong ones are not")
{
    const HangCase hang = draw_hang(1);
    test::Window w;
    w.open("hangs");
    w.settle();
    CHECK(test::says(w, "Click the lane"));
    const std::string reason = explain_hang(hang).substr(0, 20);
    accuse(w, (hang.culprit + 1) % kHangRanks, hang.fault);
    CHECK(test::says(w, "the rank is not"));
    CHECK(!test::says(w, reason));
    accuse(w, hang.culprit, static_cast<HangFault>((static_cast<std::size_t>(hang.fault) + 1) % kHangFaults));
    CHECK(test::says(w, "The rank is right"));
    accuse(w, hang.culprit, hang.fault);
    CHECK(test::says(w, reason));
}

TEST_CASE("N brings another case from its start, R tells")
{
    test::Window w;
    w.open("hangs");
    w.key(ImGuiKey_N);
    w.frames(3);
    CHECK(test::says(w, "case 2"));
    CHECK(w.playback().playing);
    w.session().apply(Play{false});
    w.session().apply(Seek{10});
    w.key(ImGuiKey_R);
    w.settle();
    CHECK(test::says(w, explain_hang(draw_hang(2)).substr(0, 20)));
}

TEST_CASE("the watchdog fires at the end of the clock when the job is stuck")
{
    test::Window w;
    w.open("hangs");
    const HangCase hang = draw_hang(1);
    w.session().apply(Seek{w.motion().duration});
    w.settle();
    CHECK(test::says(w, hang.stuck ? "timed out after 10 minutes" : "nothing hangs"));
}
