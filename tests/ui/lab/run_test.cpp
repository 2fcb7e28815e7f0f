// A real run in the window: dropped, pasted, its difference pressed, kept beside another, and what cannot be
// read refused with the reason.
#include "tests/source_path.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "app/files/files.h"
#include "app/session/dropped.h"
#include "app/session/set_up.h"
#include "core/runs/predicted/predicted_trace.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

std::string data(const char* name)
{
    return test::source_path(std::string("tests/data/runs/") + name);
}

void drop(Window& w, const std::vector<std::string>& paths)
{
    take_dropped(w.session(), paths);
    w.settle(300);
}

void open_example(Window& w)
{
    set_up_measured(w.session(), test::source_path("assets"), test::presets());
    w.session().apply(RunCommand::example);
    w.settle(300);
}

const RunFrame* run_of(const Window& w)
{
    return w.session().frame(0).run;
}

} // namespace

TEST_CASE("without a run the view says what can be dropped, beside the engine's own step")
{
    Window w;
    w.open("run");
    w.settle(300);
    CHECK(says(w, "Drop a real run here"));
    CHECK(says(w, "engine, computing"));
    CHECK(run_of(w) == nullptr);
}

TEST_CASE("the example opens with its scenario, lanes, difference, and a sentence about all of it")
{
    Window w;
    open_example(w);
    CHECK(w.session().view() == "run");
    REQUIRE(run_of(w) != nullptr);
    CHECK(run_of(w)->example);
    CHECK(run_of(w)->stated);
    CHECK(w.session().scenario().cluster.gpus == 8);
    CHECK(w.session().scenario().model.layers == 16);
    CHECK(says(w, "run, computing"));
    CHECK(says(w, "engine, computing"));
    CHECK(says(w, "exposed data traffic"));
    CHECK(says(w, "measured step"));
    CHECK(says(w, "A step takes"));
}

TEST_CASE("a part of the difference opens the view that explains it")
{
    Window w;
    open_example(w);
    w.click("part exposed data traffic");
    w.settle(300);
    CHECK(w.session().view() == "step");
}

TEST_CASE("a log tells no parts apart, and none is shown as measured")
{
    Window w;
    drop(w, {data("megatron.log")});
    CHECK(w.session().view() == "run");
    REQUIRE(run_of(w) != nullptr);
    const Report& report = *w.session().now().report;
    const RunComparison compared = compare_run(run_of(w)->run, w.session().scenario(), report);
    for (const ComparedPart& part : compared.parts)
    {
        INFO(part.name);
        CHECK(part.measured.has_value() == (part.name == kUnexplained));
    }
    CHECK(says(w, "Step time"));
    CHECK(says(w, "not counted"));
    CHECK(says(w, "unexplained"));
}

TEST_CASE("a pasted log opens the view, too")
{
    Window w;
    w.clipboard = *read_text(data("torchtitan.log"), {1U << 20U});
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(w.session().view() == "run");
    REQUIRE(run_of(w) != nullptr);
    CHECK(run_of(w)->run.software == "torchtitan");
}

TEST_CASE("a snapshot's memory stands beside the ledger, block by block")
{
    Window w;
    drop(w, {data("snapshot.pickle")});
    w.open("run/memory");
    w.settle(300);
    CHECK(says(w, "run, at its peak"));
    CHECK(says(w, "Blocks at the peak"));
}

TEST_CASE("dumps open the hangs view with the rank that hung, and its cases are a press away")
{
    Window w;
    drop(w, {data("hang")});
    CHECK(w.session().view() == "hangs");
    CHECK(says(w, "Rank 2 hung"));
}

TEST_CASE("a table of nccl-tests lies on the message view's curves")
{
    Window w;
    drop(w, {data("nccl-tests.txt")});
    CHECK(w.session().view() == "message");
    CHECK(says(w, "dots: your nccl-tests"));
}

TEST_CASE("a kept run is what the next one is compared with, until it is forgotten")
{
    Window w;
    open_example(w);
    w.session().apply(RunCommand::keep);
    drop(w, {data("trace-rank0.json.gz")});
    REQUIRE(run_of(w) != nullptr);
    REQUIRE(run_of(w)->other != nullptr);
    w.settle(300);
    w.click("From the kept run");
    w.settle(300);
    CHECK(says(w, "this run"));
    w.session().apply(RunCommand::forget);
    CHECK(run_of(w)->other == nullptr);
    w.session().apply(RunCommand::close);
    CHECK(run_of(w) == nullptr);
}

TEST_CASE("a run becomes a software of one's own")
{
    Window w;
    std::string kept;
    w.session().keep_software = [&](const SoftwarePreset& preset)
    {
        kept = preset.software.id;
        return Issues();
    };
    open_example(w);
    w.session().apply(RunCommand::software);
    CHECK(kept == "own-run-h100");
    CHECK(w.session().scenario().software.id == kept);
}

TEST_CASE("a file that breaks off is refused with its name, and the run before it stays")
{
    Window w;
    open_example(w);
    const std::int64_t number = run_of(w)->number;
    w.session().take_run({run_file("cut.pickle", std::string("\x80\x04\x95", 3))});
    w.settle(300);
    CHECK(w.session().frame(0).notice.is_fault());
    CHECK(run_of(w)->number == number);
}

TEST_CASE("words of a run are whole at every size")
{
    Window w;
    w.open("run");
    test::check_words_at_every_size(w, "no run");
    open_example(w);
    for (const char* page : {"run/step", "run/next"})
    {
        w.open(page);
        test::check_words_at_every_size(w, page);
    }
    w.key(ImGuiKey_L);
    w.open("run/step");
    test::check_words_at_every_size(w, "the example's log");
    drop(w, {data("snapshot.pickle")});
    w.open("run/memory");
    test::check_words_at_every_size(w, "memory");
    drop(w, {data("hang")});
    test::check_words_at_every_size(w, "dumps");
}

TEST_CASE("files larger than a frame can read are read beside the window, and reading can be stopped")
{
    Window w;
    constexpr std::string_view kLine =
        " [2024-04-06 02:59:36] iteration  {}/ 90000 | consumed samples: 128 | elapsed time per "
        "iteration (ms): 500.0 | global batch size: 128 | lm loss: 2.0E+00 |\n";
    std::string log;
    for (int step = 1; log.size() <= static_cast<std::size_t>(kReadAtOnce); ++step)
    {
        log += fmt::format(kLine, step);
    }
    w.session().take_run({run_file("folder/long.log", log)});
    w.frame(0);
    REQUIRE(says(w, "Reading long.log"));
    CHECK(w.session().frame(0).opening->name == "long.log");
    CHECK(run_of(w) == nullptr);
    w.session().apply(RunCommand::stop);
    CHECK(w.session().frame(0).opening == nullptr);
    w.frames(3);
    CHECK(run_of(w) == nullptr);

    w.session().take_run({run_file("long.log", log)});
    w.settle(300);
    REQUIRE(run_of(w) != nullptr);
    CHECK(w.session().frame(0).opening == nullptr);
    CHECK(measured_step_seconds(run_of(w)->run) == Catch::Approx(0.5));
}
