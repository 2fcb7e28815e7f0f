// In front of a class: figures hidden until they were guessed, the picture frozen, a pen, a spotlight, scenes
// walked through with a clicker.
#include "tests/ui/study/glossary_room.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/study/lessons/class_guesses.h"
#include "core/study/lessons/demo_script.h"
#include "ui/shell/frame/stage_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

bool on(const Window& w, StageTool tool)
{
    return w.session().frame(0).stage->has(tool);
}

DemoScript script(const char* scenes)
{
    constexpr std::array<std::string_view, 2> kAsked{"step.mfu", "memory.total_bytes"};
    const auto read = demo_script_from_json(
        nlohmann::json::parse(std::string(R"({"schema": "ringside.demo/1", "title": "T", "scenes": )") +
                              scenes + "}"),
        test::presets(), view_places(), kAsked);
    REQUIRE(read);
    return *read;
}

} // namespace

TEST_CASE("hidden figures are hidden in picture, caption, status and tips, and stay on the controls")
{
    Window w;
    w.open("memory");
    w.settle(300);
    const Report& r = *w.session().now().report;
    const std::string total = format_gigabytes(r.memory.worst().total(), ByteUnit::decimal);
    REQUIRE(says(w, total));
    w.key(ImGuiKey_H, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(on(w, StageTool::numbers));
    CHECK_FALSE(says(w, total));
    CHECK(says(w, "of \u2022\u2022 GB"));
    CHECK(says(w, "256")); // GPUs, on the slider
    CHECK(w.drawn().missing_glyphs == 0);
    w.key(ImGuiKey_H, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(says(w, total));
}

TEST_CASE("a frozen picture keeps the scenario it shows while the next one is prepared")
{
    Window w;
    w.open("memory");
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(says(w, "Frozen"));
    const Bytes before = w.session().frame(0).now.report->memory.worst().total();
    Scenario next = w.session().scenario();
    next.parallel.zero = next.parallel.zero == 3 ? 1 : 3;
    w.session().apply(ChangeScenario{next});
    w.settle(300);
    CHECK(w.session().frame(0).now.report->memory.worst().total().value == before.value);
    CHECK(w.session().now().report->memory.worst().total().value != before.value);
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.settle(300);
    CHECK(w.session().frame(0).now.report->memory.worst().total().value ==
          w.session().now().report->memory.worst().total().value);
    CHECK_FALSE(says(w, "Frozen"));
}

TEST_CASE("a question or a lesson that takes the picture's place is not frozen with it")
{
    Window w;
    test::give_course(w);
    w.open("memory");
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.frames(2);
    REQUIRE(on(w, StageTool::freeze));
    w.session().apply(StartLesson{"memory"});
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::freeze));
    CHECK(w.session().frame(0).now.scenario == w.session().scenario());
}

TEST_CASE("a class is asked: guesses are typed, figures wait, the truth stands among them")
{
    Window w;
    w.open("memory");
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.frames(4);
    CHECK(says(w, "How much memory does the peak-memory GPU need?"));
    const double truth = w.session().now().report->memory.worst().total().value / 1e9;
    CHECK_FALSE(says(w, "Fits " + three_digits(truth)));
    w.type("20 40 60");
    w.key(ImGuiKey_Enter);
    w.frames(3);
    CHECK(says(w, "3 guesses, last 60.0 GB, median 40.0 GB"));
    w.type("many");
    w.key(ImGuiKey_Enter);
    w.frames(3);
    CHECK(says(w, "is not a number"));
    w.key(ImGuiKey_Backspace); // what was refused is selected
    w.key(ImGuiKey_Backspace); // the last guess
    w.frames(3);
    CHECK(says(w, "2 guesses, last 40.0 GB, median 30.0 GB"));
    w.click("reveal");
    w.frames(3);
    CHECK(says(w, three_digits(truth)));
    CHECK(says(w, "within 10%"));
    w.click("next question");
    w.frames(3);
    CHECK(says(w, "How much model state"));
    CHECK(says(w, "No guesses yet"));
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.frames(3);
    CHECK_FALSE(on(w, StageTool::guesses));
    w.key(ImGuiKey_G, ImGuiMod_Ctrl);
    w.key(ImGuiKey_Escape);
    w.frames(3);
    CHECK_FALSE(on(w, StageTool::guesses));
}

TEST_CASE(
    "every question to a class is a metric, and its number is finite and not nothing in a shipped scenario")
{
    for (const ClassQuestion& q : class_questions())
    {
        INFO(q.metric);
        const Metric* metric = find_metric(q.metric);
        REQUIRE(metric != nullptr);
        const auto said = [&](const ScenarioPreset& preset)
        {
            const auto report = evaluate(preset.scenario);
            REQUIRE(report);
            return metric->value(preset.scenario, *report) * q.scale;
        };
        const auto& all = test::presets().scenarios;
        CHECK(std::ranges::any_of(all, [&](const ScenarioPreset& preset)
                                  { return said(preset) > 0.01 && said(preset) < 1e6; }));
    }
}

TEST_CASE("the pen draws over the view it is used on, takes a stroke back and lets the mouse go")
{
    Window w;
    w.open("memory");
    w.settle(300);
    const std::size_t plain = w.drawn().vertices;
    w.key(ImGuiKey_D, ImGuiMod_Ctrl);
    w.frames(2);
    REQUIRE(on(w, StageTool::pen));
    w.drag("###paper", 0.3F, 0.6F);
    w.key(ImGuiKey_2);
    w.drag("###paper", 0.4F, 0.5F);
    w.frames(2);
    CHECK(w.session().view() == "memory"); // "2" was the ink's
    w.key(ImGuiKey_Escape);
    w.move_to({-1, -1}); // or what the mouse points at is drawn pointed at
    w.settle(300);
    CHECK_FALSE(on(w, StageTool::pen));
    const std::size_t drawn = w.drawn().vertices;
    CHECK(drawn > plain);
    CHECK(w.drawn().fault == "");
    w.open("zero");
    w.open("memory");
    w.settle(300);
    CHECK(w.drawn().vertices == drawn);
    w.key(ImGuiKey_D, ImGuiMod_Ctrl);
    w.frames(2);
    w.key(ImGuiKey_Backspace);
    w.key(ImGuiKey_Delete);
    w.key(ImGuiKey_Escape);
    w.settle(300);
    CHECK(w.drawn().vertices == plain);
}

TEST_CASE("the spotlight follows the mouse, the wheel sizes it, Esc ends it")
{
    Window w;
    w.open("memory");
    w.settle(300);
    w.key(ImGuiKey_E, ImGuiMod_Ctrl);
    w.move_to({500, 400});
    w.frames(2);
    CHECK(on(w, StageTool::spotlight));
    w.wheel({500, 400}, 3);
    w.frames(2);
    CHECK(w.drawn().fault == "");
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::spotlight));
}

TEST_CASE("a clicker walks the scenes of a demonstration, each with its view, scenario and figures")
{
    Window w;
    w.session().set_script(script(R"([
        {"title": "Everything everywhere", "text": "Nothing is **shared**.", "view": "memory", "set": {"parallel.zero": 0}},
        {"title": "Guess", "set": {"parallel.zero": 3}, "ask": "memory.total_bytes"},
        {"title": "Round the ring", "view": "ring", "hide_numbers": true}])"));
    w.settle(300);
    CHECK(w.session().view() == "memory");
    CHECK(says(w, "Everything everywhere"));
    CHECK(says(w, "1 of 3"));
    CHECK(says(w, "Nothing is shared."));
    w.key(ImGuiKey_PageDown);
    w.frames(4);
    CHECK(says(w, "Guess"));
    CHECK(w.session().scenario().parallel.zero == 3);
    CHECK(on(w, StageTool::guesses));
    w.type("12");
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(says(w, "1 guess,"));
    w.key(ImGuiKey_PageDown); // also while the entry has the keyboard
    w.frames(4);
    CHECK(w.session().view() == "ring");
    CHECK(on(w, StageTool::numbers));
    CHECK_FALSE(on(w, StageTool::guesses));
    w.key(ImGuiKey_PageDown);
    w.settle(300);
    CHECK(says(w, "This was the last scene"));
    w.key(ImGuiKey_PageUp);
    w.key(ImGuiKey_PageUp);
    w.settle(300);
    CHECK(w.session().view() == "memory");
    CHECK(w.session().scenario().parallel.zero == 0);
    CHECK_FALSE(on(w, StageTool::numbers));
    w.open("zero"); // its title is its own view's
    w.settle(300);
    CHECK_FALSE(says(w, "Everything everywhere"));
    w.session().apply(Command::undo);
    CHECK(w.session().scenario().parallel.zero == 3);
}

TEST_CASE("with the presenter on and no scenes, the clicker turns from view to view")
{
    Window w;
    w.open("memory");
    w.key(ImGuiKey_PageDown);
    CHECK(w.session().view() == "memory"); // not without a presenter
    w.key(ImGuiKey_F5);
    w.key(ImGuiKey_PageDown);
    w.frames(2);
    CHECK(w.session().view() != "memory");
    w.key(ImGuiKey_PageUp);
    w.frames(2);
    CHECK(w.session().view() == "memory");
}

TEST_CASE("no words of scenes and guesses are cut off or lie on others at any size")
{
    Window w;
    w.session().set_script(script(R"([
        {"title": "How much memory does it need?", "text": "Sixteen bytes per parameter, and then the activations. Guess before you look.",
         "view": "batch"}])"));
    w.settle(300);
    test::check_words_at_every_size(w, "scene");
}
