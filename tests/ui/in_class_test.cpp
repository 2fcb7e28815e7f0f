// A window that a class looks at: frozen nothing of its picture moves, a presenter's type is for the back
// row, a mouse that was put down points at nothing, the clicker's keys are the clicker's.
#include "tests/ui/study/glossary_room.h"
#include <fmt/format.h>

#include "app/files/demo_script_file.h"
#include "core/study/lessons/demo_script.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/frame/team_action.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

bool on(const Window& w, StageTool tool)
{
    return w.session().frame(0).stage->has(tool);
}

// Every corner of the window's own triangles within `area`: panel, tooltips and popups lie elsewhere.
std::vector<std::array<float, 5>> corners_in(Rect area)
{
    std::vector<std::array<float, 5>> corners;
    const ImDrawData* data = ImGui::GetDrawData();
    for (int i = 0; i < data->CmdListsCount; ++i)
    {
        const ImDrawList& list = *data->CmdLists[i];
        if (!std::string_view(list._OwnerName).starts_with("###ringside"))
        {
            continue;
        }
        for (const ImDrawCmd& command : list.CmdBuffer)
        {
            for (unsigned k = 0; k < command.ElemCount; ++k)
            {
                const auto index = static_cast<int>(list.IdxBuffer[static_cast<int>(command.IdxOffset + k)] +
                                                    command.VtxOffset);
                const ImDrawVert& v = list.VtxBuffer[index];
                if (area.contains(v.pos))
                {
                    corners.push_back(
                        {v.pos.x, v.pos.y, v.uv.x, v.uv.y, static_cast<float>(v.col & 0xFFFFFF)});
                }
            }
        }
    }
    std::ranges::sort(corners);
    return corners;
}

// The picture of a window of 1280 x 800: below the title, above caption and notices, left of the panel.
constexpr Rect kPicture{104, 66, 900, 590};

// All that the window does not keep for itself, and the clock's.
std::vector<ImGuiKey> keys_of_views()
{
    std::vector<ImGuiKey> keys{ImGuiKey_Space,      ImGuiKey_Home,    ImGuiKey_End,      ImGuiKey_LeftArrow,
                               ImGuiKey_RightArrow, ImGuiKey_UpArrow, ImGuiKey_DownArrow};
    for (int k = ImGuiKey_0; k <= ImGuiKey_9; ++k)
    {
        keys.push_back(static_cast<ImGuiKey>(k));
    }
    for (int k = ImGuiKey_A; k <= ImGuiKey_Z; ++k)
    {
        const std::string name(1, static_cast<char>('A' + k - ImGuiKey_A));
        const bool window_s = std::ranges::find(commands(), name, &CommandInfo::key) != commands().end();
        if (!window_s && name != "M")
        {
            keys.push_back(static_cast<ImGuiKey>(k));
        }
    }
    return keys;
}

Scenario another(Scenario s)
{
    s.parallel.zero = s.parallel.zero == 3 ? 1 : 3;
    s.training.global_batch *= 2;
    return s;
}

} // namespace

TEST_CASE("frozen, no view changes its picture, whatever is pressed, changed or played")
{
    Window w;
    test::give_course(w);
    const Scenario own = w.session().scenario();
    for (const std::string_view place : view_places())
    {
        INFO(place);
        w.session().apply(ChangeScenario{own});
        w.open(place);
        w.move_to({640, 300});
        w.settle(3000);
        const std::string view = w.session().view();
        w.key(ImGuiKey_F, ImGuiMod_Ctrl);
        if (!on(w, StageTool::freeze))
        {
            w.session().apply(TurnTool{StageTool::freeze}); // a field has the keyboard
        }
        w.frames(3);
        const auto before = corners_in(kPicture);
        CHECK_FALSE(before.empty());
        for (const ImGuiKey key : keys_of_views())
        {
            w.key(key);
        }
        w.move_to({500, 400});
        w.press_at({500, 400});
        if (w.session().view() == view && on(w, StageTool::freeze))
        {
            w.session().apply(ChangeScenario{another(own)});
            w.session().apply(Play{true});
            w.frames(20, 0.1);
            const bool same = corners_in(kPicture) == before;
            CHECK(same);
            w.session().apply(Play{false});
        }
        w.key(ImGuiKey_Escape);
        w.key(ImGuiKey_Escape);
        if (on(w, StageTool::freeze))
        {
            w.session().apply(TurnTool{StageTool::freeze});
        }
        w.session().apply(to_action(TeamAction(TeamCommand::clear))); // the keys started it, and it goes on
        w.frames(2);
    }
}

TEST_CASE("what was pressed while ZeRO was frozen shows when it resumes")
{
    Window w;
    w.open("zero");
    w.settle(600);
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.frames(2);
    const auto before = corners_in(kPicture);
    w.key(ImGuiKey_3);
    w.settle(600);
    CHECK((corners_in(kPicture) == before));
    CHECK(says(w, "From ZeRO-0 to ZeRO-1")); // the caption
    CHECK(w.session().scenario().parallel.zero == 3);
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.settle(600);
    CHECK_FALSE((corners_in(kPicture) == before));
    CHECK(w.playback().t == 3);
}

TEST_CASE("a window that is larger while it is frozen is drawn anew, with the frozen scenario")
{
    Window w;
    w.open("memory");
    w.settle(600);
    const std::string total =
        format_gigabytes(w.session().now().report->memory.worst().total(), ByteUnit::decimal);
    REQUIRE(says(w, total));
    w.key(ImGuiKey_F, ImGuiMod_Ctrl);
    w.session().apply(ChangeScenario{another(w.session().scenario())});
    w.resize({1600, 1000});
    w.settle(600);
    CHECK(says(w, total));
    CHECK(w.drawn().fault == "");
}

TEST_CASE("a presenter's type keeps its share of the window's height")
{
    const auto share = [](ImVec2 size)
    {
        Preferences p;
        p.presenter = true;
        Window w(size, p);
        w.open("ring");
        w.frames(4);
        return w.drawing.fonts().of(Type::body)->FontSize / size.y;
    };
    const float usual = share({1920, 1080});
    CHECK(share({3840, 2160}) == usual);
    CHECK(std::abs(share({2560, 1440}) - usual) <= 0.5F / 1440); // type is of whole pixels
    CHECK(share({1280, 800}) >= usual);
}

TEST_CASE("a mouse that lies still while the picture changes points at nothing until it moves")
{
    Window w;
    w.open("activations");
    w.key(ImGuiKey_F5);
    w.settle(600);
    w.frames(60);
    const std::size_t plain = w.drawn().vertices;
    int answers = 0; // places that say something when they are pointed at
    for (const ImVec2 at : {ImVec2{300, 300}, ImVec2{500, 400}, ImVec2{640, 500}, ImVec2{900, 600}})
    {
        INFO(at.x << ", " << at.y);
        w.move_to(at);
        w.key(ImGuiKey_PageDown);
        w.key(ImGuiKey_PageUp);
        w.settle(600);
        w.frames(60);
        CHECK(w.drawn().vertices == plain);
        w.move_to({at.x + 4, at.y});
        w.frames(60);
        answers += w.drawn().vertices != plain ? 1 : 0;
        w.move_to({-1, -1});
        w.settle(600);
    }
    CHECK(answers > 0);
}

TEST_CASE("the clicker's blank key makes the window black in presenter, any key shows it again")
{
    Window w;
    w.open("ring");
    w.key(ImGuiKey_Period);
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::black)); // a step, without a presenter
    w.key(ImGuiKey_F5);
    w.frames(2);
    const double t = w.playback().t;
    w.key(ImGuiKey_Period);
    w.type("."); // the sign comes after its key
    w.frames(2);
    CHECK(on(w, StageTool::black));
    w.key(ImGuiKey_Period);
    w.type(".");
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::black));
    CHECK(w.playback().t == t); // no step either
    w.key(ImGuiKey_B);
    w.type("b");
    w.frames(2);
    CHECK(on(w, StageTool::black));
    CHECK(w.session().frame(0).before == nullptr); // and nothing is compared
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::black));
    CHECK(w.session().preferences().presenter);
    w.key(ImGuiKey_B);
    const std::string view = w.session().view();
    w.key(ImGuiKey_PageDown);
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::black));
    CHECK(w.session().view() != view);
    w.type(">");
    w.key(ImGuiKey_B);
    w.frames(2);
    w.press_at({640, 400});
    w.frames(2);
    CHECK_FALSE(on(w, StageTool::black));
    w.type("?");
    w.frames(3);
    CHECK(says(w, "black screen"));
}

namespace
{

constexpr int kPlayed = 6000; // frames: the scenes play, some at half speed

}

TEST_CASE("a presenter of 1280 x 800 reads the scene's words, and the title has the row")
{
    Window w;
    DemoScripts scripts = read_demo_scripts(test::source_path("assets"), test::presets());
    REQUIRE(scripts.issues.empty());
    w.session().set_scripts(std::move(scripts.scripts));
    w.session().apply(StartScript{0});
    w.key(ImGuiKey_F5);
    w.settle(kPlayed);
    const auto& scenes = w.session().frame(0).stage->script->scenes;
    for (std::size_t i = 0; i < scenes.size(); ++i)
    {
        INFO(scenes[i].title);
        CHECK(says(w, scenes[i].title));
        if (scenes[i].ask.empty()) // with a question at the foot, that is what is read
        {
            CHECK(says(w, fmt::format("{} of {}", i + 1, scenes.size())));
        }
        for (const std::string_view button : {"quiz", "compare", "guide", "help"})
        {
            CHECK(w.seek(button) == nullptr);
        }
        const auto asked = std::ranges::find(class_questions(), scenes[i].ask, &ClassQuestion::metric);
        CHECK((asked == class_questions().end() || says(w, asked->asks)));
        test::check_words(w);
        w.key(ImGuiKey_PageDown);
        w.settle(kPlayed);
    }
}

TEST_CASE("what succeeds after a fault takes its card away")
{
    Window w;
    w.clipboard = "{\"schema\": \"ringside.scenario/9\"}";
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.frames(3);
    REQUIRE(w.seek("close fault") != nullptr);
    w.clipboard = R"({"schema": "ringside.scenario/1", "model": "llama-3.1-8b"})";
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.frames(3);
    CHECK(w.session().frame(0).notice == "Pasted");
    CHECK(w.seek("close fault") == nullptr);
}

TEST_CASE("while the list of issues is open, keys and the next click do what they do anywhere")
{
    Window w;
    Scenario s = w.session().scenario();
    s.parallel.tensor = 7;
    w.session().apply(ChangeScenario{s});
    w.frames(3);
    REQUIRE(w.seek("issues") != nullptr);
    w.click("issues");
    w.frames(3);
    const std::string fault = w.session().issues().front().message;
    CHECK(says(w, std::string_view(fault).substr(0, 20)));
    w.click("play");
    w.frames(2);
    CHECK(w.playback().playing);
    w.click("play");
    w.click("issues");
    w.frames(2);
    w.key(ImGuiKey_0, ImGuiMod_Ctrl);
    w.frames(2);
    CHECK(w.valid());
}
