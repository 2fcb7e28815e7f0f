// What happens when a user does something: found by label, done with mouse and keyboard, seen in the
// session. Values, time and commands have files of their own.
#include "tests/share.h"
#include "tests/ui/harness.h"
#include "tests/ui/words.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/evaluate/levers.h"
#include "core/scenario/choices.h"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include <sstream>

using namespace ringside;
using test::Window;

namespace
{

std::string text_of(const Scenario& s)
{
    return to_json(s, test::presets()).dump();
}

} // namespace

TEST_CASE("one drag is one step of undo, and redo brings it back")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    w.drag("Model size", 0.6F, 0.3F);
    const Scenario first = w.session().scenario();
    w.drag("Model size", 0.3F, 0.5F);
    const Scenario second = w.session().scenario();
    REQUIRE(first != before);
    REQUIRE(second != first);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == first);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == second);
    w.click("Undo");
    CHECK(w.session().scenario() == first);
    w.click("Redo");
    CHECK(w.session().scenario() == second);
}

TEST_CASE("a change after an undo forgets what could be redone")
{
    Window w;
    w.open("memory");
    w.drag("Model size", 0.6F, 0.3F);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    w.drag("GPUs", 0.4F, 0.9F);
    const Scenario now = w.session().scenario();
    w.key(ImGuiKey_Y, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == now);
}

TEST_CASE("copy, change and paste bring the scenario back")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    w.key(ImGuiKey_C, ImGuiMod_Ctrl);
    CHECK(w.clipboard.find("llama-3.1-70b") != std::string::npos);
    CHECK(!w.session().frame(0).notice.empty());
    w.drag("Model size", 0.6F, 0.2F);
    REQUIRE(w.session().scenario() != before);
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("a scenario of one's own shape survives copy and paste")
{
    Window w;
    w.open("memory");
    w.drag("Model size", 0.6F, 0.25F);
    const Scenario own = w.session().scenario();
    w.key(ImGuiKey_C, ImGuiMod_Ctrl);
    w.key(ImGuiKey_0, ImGuiMod_Ctrl);
    REQUIRE(w.session().scenario() != own);
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    CHECK(text_of(w.session().scenario()) == text_of(own));
}

TEST_CASE("pasting what is no scenario says so and changes nothing")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    for (const char* text : {"", "hello", "{", "[1, 2]", R"({"parallel": {"tensr": 8}})", "\xff\xfe",
                             R"({"cluster": {"gpus": -1}})"})
    {
        INFO(text);
        w.clipboard = text;
        w.key(ImGuiKey_V, ImGuiMod_Ctrl);
        CHECK(w.session().scenario() == before);
        CHECK(to_text(w.session().frame(0).notice).starts_with("Not pasted\n"));
        w.frames(2);
        CHECK(w.drawn().fault == "");
    }
}

TEST_CASE("what went wrong stands over the picture with every word until it is closed")
{
    Window w;
    w.open("memory");
    w.clipboard = R"({"model_type": "mamba2", "num_hidden_layers": 64})"; // its message lists all families
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.frames(2);
    const std::string lines = to_text(w.session().frame(0).notice);
    const auto all_drawn = [&]
    {
        std::istringstream words(lines);
        bool all = !lines.empty();
        for (std::string word; words >> word;)
        {
            all = all && test::says(w, word);
        }
        return all;
    };
    CHECK(all_drawn());
    w.key(ImGuiKey_T); // another action leaves it there
    w.open("roofline");
    w.frames(2);
    CHECK(all_drawn());
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK_FALSE(test::says(w, "mamba2"));
    CHECK_FALSE(w.session().frame(0).preferences.presenter);
    w.session().fail("Not saved", {{"a.json", "no room", "free some"}});
    w.frames(2);
    CHECK(test::says(w, "a.json:"));
    w.click("close fault");
    w.frames(2);
    CHECK_FALSE(test::says(w, "a.json:"));
    w.session().fail("Not saved", {{"a.json", "no room", "free some"}}); // the same once more
    w.frames(2);
    CHECK(test::says(w, "a.json:"));
}

TEST_CASE("a notice that the strip has no room for wraps above it")
{
    Window w({800, 600});
    w.open("memory");
    w.session().say("Read from config.json: a model whose name and notes are far too long for the strip "
                    "below the picture, "
                    "which is all the more true in a window this small");
    w.frames(2);
    for (const char* word : {"config.json:", "small", "notes"})
    {
        CHECK(test::says(w, word));
    }
}

TEST_CASE("comparing keeps A while B changes, X swaps the two, B again ends it")
{
    Window w;
    w.open("memory");
    const Scenario a = w.session().scenario();
    w.key(ImGuiKey_B);
    REQUIRE(w.session().frame(0).before != nullptr);
    w.drag("Model size", 0.6F, 0.4F);
    const Scenario b = w.session().scenario();
    REQUIRE(a != b);
    CHECK(w.session().frame(0).before->scenario == a);
    w.key(ImGuiKey_X);
    CHECK(w.session().scenario() == a);
    CHECK(w.session().frame(0).before->scenario == b);
    w.key(ImGuiKey_B);
    CHECK(w.session().frame(0).before == nullptr);
    CHECK(w.session().scenario() == a);
    w.click("A | B###compare");
    CHECK(w.session().frame(0).before != nullptr);
}

TEST_CASE("X without a comparison does nothing")
{
    Window w;
    const Scenario before = w.session().scenario();
    w.key(ImGuiKey_X);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("key 1 applies the first lever, and the memory falls by what it promised")
{
    Window w;
    w.open("memory");
    const Evaluated before = w.session().now();
    REQUIRE(!before.levers().empty());
    const Lever lever = before.levers().front();
    const std::size_t stage = before.report->memory.fullest;
    w.key(ImGuiKey_1);
    CHECK(w.session().scenario() == lever.after);
    const MemoryReport& after = w.session().now().report->memory;
    REQUIRE(after.stages.size() == before.report->memory.stages.size());
    CHECK(before.report->memory.stages[stage].total().value - after.stages[stage].total().value ==
          Catch::Approx(lever.saving.value));
}

TEST_CASE("pressing a lever's card applies it, and Ctrl+Z takes it back")
{
    Window w;
    w.open("memory");
    const Scenario before = w.session().scenario();
    const Lever lever = w.session().now().levers().at(1);
    w.click(lever.name);
    CHECK(w.session().scenario() == lever.after);
    CHECK(w.memory() == lever.memory.worst().total().value);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("keys 0 to 3 and the cards choose the ZeRO stage")
{
    Window w;
    w.open("zero");
    for (const int stage : {3, 0, 2, 1})
    {
        w.key(static_cast<ImGuiKey>(ImGuiKey_0 + stage));
        CHECK(w.session().scenario().parallel.zero == stage);
        w.settle();
        CHECK(w.playback().t == stage);
        CHECK(!w.playback().playing);
    }
    w.click("ZeRO 3");
    CHECK(w.session().scenario().parallel.zero == 3);
    CHECK(w.playback().t == 3);
}

TEST_CASE("at rest every view asks for no further frame, so that the window sleeps")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        INFO(view->id);
        w.settle();
        for (int i = 0; i < 20; ++i)
        {
            CHECK(!w.frame());
        }
        w.move_to({600, 400});
        w.frames(20); // what lies there has been read out
        w.settle();
        for (int i = 0; i < 20; ++i)
        {
            CHECK(!w.frame());
        }
        w.move_to({-100, -100});
    }
}

TEST_CASE("with motion switched off a change stands at once")
{
    Preferences still;
    still.reduced_motion = true;
    Window w({1280, 800}, still);
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        w.settle();
        INFO(view->id);
        w.session().apply(ChangeScenario{with(w.session().scenario(), Knob::pipeline, 8)});
        // These work out what they show a part a frame, experts for DeepSeek-V3's 256; nothing eases there
        // either.
        const int parts = view->id == "planner"       ? 60
                          : view->id == "experts"     ? 40
                          : view->id == "compression" ? 6
                                                      : 2;
        CHECK(w.settle() <= parts);
        w.session().apply(Command::undo);
    }
}

TEST_CASE("a change eases: frames follow each other until it has arrived")
{
    Window w;
    w.open("memory");
    w.settle();
    w.session().apply(ChangeScenario{w.session().now().levers().front().after});
    const int frames = w.settle();
    CHECK(frames > 5);
    CHECK(frames < 60);
}

TEST_CASE("the wheel zooms the pipeline about the cursor, a double click shows all of it again")
{
    Window w;
    w.open("pipelines");
    w.double_click({500, 200}); // chooses the stage whose stash is shown, as the second one will
    w.move_to({-100, -100});
    w.settle();
    const std::size_t all = w.drawn().vertices;
    w.wheel({500, 200}, 8);
    w.move_to({-100, -100});
    w.settle();
    CHECK(w.drawn().vertices != all);
    w.double_click({500, 200});
    w.move_to({-100, -100});
    w.settle();
    CHECK(w.drawn().vertices == all);
}

TEST_CASE("a view's own keys are those it lists: W zooms, F fits the pipeline again")
{
    Window w;
    w.open("pipelines");
    w.settle();
    const std::size_t all = w.drawn().vertices;
    w.key(ImGuiKey_W);
    w.settle();
    CHECK(w.drawn().vertices != all);
    w.key(ImGuiKey_D);
    w.key(ImGuiKey_A);
    w.key(ImGuiKey_F);
    w.settle();
    CHECK(w.drawn().vertices == all);
}

TEST_CASE("the list of issues opens from the status strip")
{
    Window w;
    w.open("memory");
    w.type_value("GPUs", "7");
    w.frames(2);
    const std::size_t before = w.drawn().vertices;
    w.click("issues###issues");
    w.frames(2);
    CHECK(w.drawn().vertices > before + 100);
    w.key(ImGuiKey_Escape);
}

TEST_CASE("where there is no room for the panel a button shows it over the picture")
{
    Window w({800, 600});
    w.open("memory");
    CHECK(w.seek("GPUs") == nullptr);
    w.click("Scenario###panel button");
    w.frames(2);
    REQUIRE(w.seek("GPUs") != nullptr);
    const Scenario before = w.session().scenario();
    w.drag("GPUs", 0.4F, 1);
    CHECK(w.session().scenario() != before);
    w.key(ImGuiKey_Backslash);
    w.frames(2);
    CHECK(w.seek("GPUs") == nullptr);
}

TEST_CASE("the menu of the scenario loads every example")
{
    for (const ScenarioPreset& preset : test::presets().scenarios)
    {
        Window w;
        INFO(preset.name);
        w.click("Scenario menu");
        w.frames(2);
        w.click(preset.name);
        CHECK(w.session().scenario() == preset.scenario);
    }
}

TEST_CASE("the keyboard alone changes a value: Tab to a slider, arrows move it, Enter types")
{
    Window w;
    w.open("memory");
    std::vector<std::string> visited;
    while (w.focused() != "GPUs" && visited.size() < 100)
    {
        w.key(ImGuiKey_Tab);
        visited.push_back(w.focused());
    }
    INFO("went over " << fmt::format("{}", fmt::join(visited, ", ")));
    REQUIRE(w.focused() == "GPUs");
    const std::int64_t before = w.session().scenario().cluster.gpus;
    w.key(ImGuiKey_RightArrow);
    CHECK(w.session().scenario().cluster.gpus > before);
    CHECK(w.valid());
    w.key(ImGuiKey_LeftArrow);
    CHECK(w.session().scenario().cluster.gpus == before);
    CHECK(w.focused() == "GPUs");
    w.key(ImGuiKey_Enter);
    w.frames(2);
    REQUIRE(w.seek("type GPUs") != nullptr);
    w.type("128");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().cluster.gpus == 128);
}

TEST_CASE("hovering anything that can be pressed never breaks a frame")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        const std::vector<test::Item> all = w.items();
        for (const test::Item& item : all)
        {
            if (item.label.empty() || item.visible.w <= 0 || item.visible.h <= 0)
            {
                continue;
            }
            INFO(view->id << ": " << item.label);
            w.move_to({item.visible.centre(), item.visible.middle()});
            w.frame();
            w.frame(0.7);
            w.frame();
            REQUIRE(w.drawn().fault == "");
            REQUIRE(w.drawn().missing_glyphs == 0);
        }
    }
}

TEST_CASE("pressing everything that can be pressed, twice, leaves a window that still draws")
{
    Window w;
    std::size_t turn = 0;
    for (const ViewInfo* view : views())
    {
        if (!test::is_in_share(turn++))
        {
            continue;
        }
        w.open(view->id);
        for (const std::string& label : w.labels())
        {
            if (w.session().view() != view->id)
            {
                w.open(view->id);
            }
            for (int i = 0; i < 2; ++i)
            {
                const test::Item* item = w.seek(label);
                if (item != nullptr && item->visible.w > 0 && item->visible.h > 0)
                {
                    INFO(view->id << ": " << label);
                    w.press_at({item->visible.centre(), item->visible.middle()});
                    REQUIRE(w.drawn().fault == "");
                }
            }
            w.key(ImGuiKey_Escape);
            w.frame();
        }
    }
}
