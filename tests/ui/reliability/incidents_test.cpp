// The incidents view: the fault is hidden until it is answered, remedies redraw the run, the lab is one key
// away.
#include "tests/ui/harness.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "core/reliability/incidents/run.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

ImGuiKey digit(std::size_t index)
{
    return static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(index));
}

// The view as it opens, on incident 1, standing at the end of what is shown.
Incident first_incident(test::Window& w)
{
    w.open("incidents");
    w.settle();
    return make_incident(1);
}

} // namespace

TEST_CASE("what happened stays hidden until it is answered, and nothing behind the stop is shown")
{
    test::Window w;
    const Incident i = first_incident(w);
    CHECK(test::says(w, "What happened?"));
    CHECK_FALSE(test::says(w, info_of(i.fault).tells.substr(0, 20)));
    CHECK_FALSE(test::says(w, "What to do?"));
    CHECK(test::says(w, fmt::format("step {}", i.noticed)));
    w.key(digit(static_cast<std::size_t>(i.fault)));
    w.settle();
    CHECK(test::says(w, "What to do?"));
    CHECK(test::says(w, "1 of 1 diagnosed"));
    CHECK(test::says(w, info_of(i.fault).tells.substr(0, 20)));
}

TEST_CASE("a wrong answer is told the fault and does not count")
{
    test::Window w;
    const Incident i = first_incident(w);
    const std::size_t wrong = i.fault == Fault::bad_batch ? 1 : 0;
    w.click(std::string(info_of(static_cast<Fault>(wrong)).id));
    w.settle();
    CHECK(test::says(w, "0 of 1 diagnosed"));
    CHECK(test::says(w, info_of(i.fault).name));
}

TEST_CASE("going back far enough and doing the right thing cures; the verdict is the simulator's")
{
    test::Window w;
    const Incident i = first_incident(w);
    w.key(digit(static_cast<std::size_t>(i.fault)));
    w.settle();
    for (std::size_t r = 0; r < kRemedies; ++r)
    {
        w.key(digit(r));
        w.settle();
        const std::int64_t latest = i.noticed / kCheckpointEvery * kCheckpointEvery;
        CHECK(test::says(w, name_of(treat(i, static_cast<Remedy>(r), latest).outcome)));
    }
}

TEST_CASE("the checkpoint is dragged, and stands at hundreds")
{
    test::Window w;
    const Incident i = first_incident(w);
    w.key(digit(static_cast<std::size_t>(i.fault)));
    w.settle();
    CHECK(test::says(w, fmt::format("rewind to {}", i.noticed / 100 * 100)));
    w.drag("checkpoint to go back to", 0.5F, -4.5F);
    w.settle();
    CHECK_FALSE(test::says(w, fmt::format("rewind to {}", i.noticed / 100 * 100)));
    CHECK(test::says(w, "00: "));
}

TEST_CASE("N brings the next incident, hidden again, and E opens the lab where it has a demonstration")
{
    test::Window w;
    first_incident(w);
    w.key(ImGuiKey_N); // it plays
    w.frames(3);
    CHECK(w.playback().playing);
    CHECK(test::says(w, "incident 2"));
    CHECK(test::says(w, "What happened?"));
    for (std::uint64_t seed = 2; info_of(make_incident(seed).fault).demo.empty(); ++seed)
    {
        w.key(ImGuiKey_N);
    }
    w.key(ImGuiKey_E); // not before it is answered
    w.frames(2);
    CHECK(w.session().frame(0).view == "incidents");
    w.key(ImGuiKey_1);
    w.frames(2);
    w.key(ImGuiKey_E);
    w.frames(3);
    CHECK(w.session().frame(0).view == "lab");
}
