// Commands by key, palette, rail and tabs.
#include "tests/ui/words.h"

#include "core/scenario/choices.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <map>
#include <set>

using namespace ringside;
using test::Window;

TEST_CASE("Ctrl+K finds a view by a word of its question and Enter opens it")
{
    Window w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    REQUIRE(w.seek("###query") != nullptr);
    w.type("offload");
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(w.session().view() == "offload");
    CHECK(w.seek("###query") == nullptr);
}

TEST_CASE("arrow keys move through what Ctrl+K found")
{
    Window w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("view");
    w.key(ImGuiKey_DownArrow);
    w.key(ImGuiKey_DownArrow);
    w.key(ImGuiKey_UpArrow);
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(w.session().view() == views()[1]->id);
}

TEST_CASE("Ctrl+K loads a model, runs a command, and closes with Escape")
{
    Window w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("model llama 3.1 8b");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().scenario().model.preset == "llama-3.1-8b");
    CHECK(w.valid());
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("light or dark");
    w.key(ImGuiKey_Enter);
    CHECK(w.session().preferences().light);
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("nothing is called this");
    w.key(ImGuiKey_Enter);
    CHECK(w.seek("###query") != nullptr);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(w.seek("###query") == nullptr);
}

TEST_CASE("letters typed into the palette do not run commands")
{
    Window w;
    const Preferences before = w.session().preferences();
    const Scenario scenario = w.session().scenario();
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    for (const ImGuiKey key : {ImGuiKey_T, ImGuiKey_U, ImGuiKey_B, ImGuiKey_1, ImGuiKey_RightBracket})
    {
        w.key(key);
    }
    CHECK(w.session().preferences() == before);
    CHECK(w.session().scenario() == scenario);
    CHECK(w.session().frame(0).before == nullptr);
    CHECK(w.session().view() == views().front()->id);
}

TEST_CASE("the rail's search button opens the palette, and a row of it can be pressed")
{
    Window w;
    w.click("Find anything###find");
    w.frames(2);
    REQUIRE(w.seek("###query") != nullptr);
    w.type("ring all-reduce step");
    w.frames(2);
    w.click("row Collective algorithms");
    CHECK(w.session().view() == "ring");
}

TEST_CASE("? shows the keys, Escape and a click outside close them")
{
    Window w;
    w.settle();
    const std::size_t without = w.drawn().vertices;
    w.key(ImGuiKey_Slash, ImGuiMod_Shift);
    w.frames(2);
    const std::size_t with_help = w.drawn().vertices;
    CHECK(with_help > without + 500);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(w.drawn().vertices < with_help - 500);
    w.click("?###help");
    w.frames(2);
    CHECK(w.drawn().vertices > without + 500);
    w.press_at({300, 790});
    w.frames(2);
    CHECK(w.drawn().vertices < with_help - 500);
}

TEST_CASE("Ctrl and plus or minus change the size of the text within its limits")
{
    Window w;
    const float body = w.drawing.fonts().of(Type::body)->FontSize;
    w.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
    w.frames(2);
    CHECK(w.session().preferences().text_scale > 1.0F);
    CHECK(w.drawing.fonts().of(Type::body)->FontSize > body);
    for (int i = 0; i < 14; ++i)
    {
        w.key(ImGuiKey_Equal, ImGuiMod_Ctrl);
    }
    CHECK(w.session().preferences().text_scale == 2.5F);
    CHECK(w.drawn().fault == "");
    for (int i = 0; i < 14; ++i)
    {
        w.key(ImGuiKey_Minus, ImGuiMod_Ctrl);
    }
    CHECK(w.session().preferences().text_scale == 0.75F);
}

TEST_CASE("T changes the theme, U the unit, F5 the presenter's view, Escape leaves it")
{
    Window w;
    w.key(ImGuiKey_T);
    CHECK(w.session().preferences().light);
    w.key(ImGuiKey_T);
    CHECK(!w.session().preferences().light);
    w.key(ImGuiKey_U);
    CHECK(w.session().preferences().unit == ByteUnit::binary);
    w.open("memory");
    w.click("GB");
    CHECK(w.session().preferences().unit == ByteUnit::decimal);
    w.key(ImGuiKey_F5);
    CHECK(w.session().preferences().presenter);
    w.frames(2);
    CHECK(w.seek("GPUs") == nullptr);
    w.key(ImGuiKey_Escape);
    CHECK(!w.session().preferences().presenter);
}

TEST_CASE("brackets go round all views in both directions")
{
    Window w;
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < views().size(); ++i)
    {
        w.key(ImGuiKey_RightBracket);
        seen.push_back(w.session().view());
    }
    CHECK(std::set<std::string>(seen.begin(), seen.end()).size() == views().size());
    CHECK(w.session().view() == views().front()->id);
    w.key(ImGuiKey_LeftBracket);
    CHECK(w.session().view() == views().back()->id);
}

namespace
{

// Through its tab, or through the list that tabs become where there is little room.
void choose_in_group(Window& w, const ViewInfo& view)
{
    if (w.seek("views of the group") == nullptr)
    {
        w.click(view.tab);
        return;
    }
    w.click("views of the group");
    w.frames(2);
    w.click("choose a view of the group " + std::string(view.id));
}

} // namespace

TEST_CASE("the rail opens every group and tabs open every view in it")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        w.open(views().front()->id == view->id ? views().back()->id : views().front()->id);
        INFO(view->id);
        w.click("rail " + std::string(name_of(view->group)));
        const ViewInfo* opened = find_view(w.session().view());
        CHECK(opened->group == view->group);
        if (opened != view)
        {
            choose_in_group(w, *view);
        }
        // One that shares a tab is a mode of what the tab opens.
        CHECK(find_view(w.session().view())->tab == view->tab);
    }
}

TEST_CASE("from every view another of its group is in reach, for a class and in large type")
{
    for (const bool presenter : {true, false})
    {
        Preferences preferences;
        preferences.presenter = presenter;
        preferences.text_scale = presenter ? 1.0F : 2.5F;
        Window w({1280, 720}, preferences);
        for (const ViewInfo* view : views())
        {
            const auto sister =
                std::find_if(views().begin(), views().end(),
                             [&](const ViewInfo* v) { return v != view && v->group == view->group; });
            if (sister == views().end())
            {
                continue;
            }
            w.open(view->id);
            INFO(view->id << (presenter ? ", presenter" : ", large type"));
            choose_in_group(w, **sister);
            CHECK(w.session().view() == (*sister)->id);
        }
    }
}

TEST_CASE("the parts of the overview open as views of their own")
{
    Window w;
    for (const auto& [part, view] : std::vector<std::pair<const char*, const char*>>{
             {"open pipeline", "pipelines"}, {"open shards", "zero"}, {"open ring", "ring"}})
    {
        w.open("overview");
        w.click(part);
        CHECK(w.session().view() == view);
    }
}

TEST_CASE("every command has a name, a key of its own and a key that is written as it works")
{
    std::set<ImGuiKeyChord> chords;
    std::set<char> signs;
    std::set<std::string_view> names;
    std::set<std::string_view> keys;
    for (const CommandInfo& command : commands())
    {
        INFO(command.name);
        CHECK(names.insert(command.name).second);
        if (command.chord == ImGuiKey_None && command.typed == 0)
        {
            CHECK(command.key.empty());
            continue;
        }
        CHECK((command.chord == ImGuiKey_None) != (command.typed == 0));
        CHECK((command.chord == ImGuiKey_None || chords.insert(command.chord).second));
        CHECK((command.typed == 0 || signs.insert(command.typed).second));
        CHECK(keys.insert(command.key).second);
        CHECK(command.key.starts_with("Ctrl") == ((command.chord & ImGuiMod_Ctrl) != 0));
    }
}

TEST_CASE(
    "no key of a view is also a key of the window, but where the view says so and is not about the scenario")
{
    Window w;
    for (const ViewInfo* view : views())
    {
        const std::unique_ptr<View> made = view->make();
        const bool about_scenario = made->about_scenario();
        for (const ViewKey& own : made->keys())
        {
            for (const CommandInfo& command : commands())
            {
                if (!about_scenario && (command.of_scenario || own.key == command.key))
                {
                    continue; // its key is free there, or the view's goes before it
                }
                INFO(view->id << ": " << own.key << " and " << command.key);
                std::string padded = " " + std::string(own.key) + " ";
                CHECK((command.key.empty() ||
                       padded.find(" " + std::string(command.key) + " ") == std::string::npos));
            }
        }
    }
}

TEST_CASE("Ctrl+Q asks to quit")
{
    Window w;
    CHECK(!w.session().quit());
    w.key(ImGuiKey_Q, ImGuiMod_Ctrl);
    CHECK(w.session().quit());
}

TEST_CASE("Escape closes only the innermost of what is open")
{
    Preferences p;
    p.presenter = true;
    Window w({1280, 800}, p);
    w.open("pipelines");
    w.key(ImGuiKey_Slash, ImGuiMod_Shift);
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    REQUIRE(w.seek("###query") != nullptr);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(w.seek("###query") == nullptr);
    CHECK(test::says(w, "Close the innermost of what is open")); // the keys are still shown
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK_FALSE(test::says(w, "Close the innermost of what is open"));
    w.key(ImGuiKey_N); // a menu of the view
    w.frames(3);
    w.key(ImGuiKey_Escape);
    w.frames(3);
    CHECK(w.session().preferences().presenter);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK_FALSE(w.session().preferences().presenter);
}

TEST_CASE("F11 asks for the whole screen and back")
{
    Window w;
    w.key(ImGuiKey_F11);
    CHECK(w.session().full_screen());
    w.key(ImGuiKey_F11);
    CHECK_FALSE(w.session().full_screen());
}

TEST_CASE("every key is in the list of keys with all its words, the view's own first")
{
    for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1920, 1080}})
    {
        for (const std::string_view view : {"pipelines", "lab", "drill"})
        {
            Window w(size);
            w.open(view);
            w.key(ImGuiKey_Slash, ImGuiMod_Shift);
            w.frames(4);
            INFO(view << " " << size.x);
            const std::unique_ptr<View> made = find_view(view)->make();
            for (const ViewKey& key : made->keys())
            {
                INFO(key.key);
                CHECK(test::says(w, std::string(key.does.substr(0, key.does.find(' ')))));
            }
            CHECK(test::says(w, "Everywhere"));
        }
    }
}

TEST_CASE("tabs stay where they are from view to view of a group")
{
    Window w({1280, 720});
    std::map<std::string, float> places;
    for (const ViewInfo* view : views())
    {
        w.open(view->id);
        w.frames(2);
        for (const ViewInfo* other : views())
        {
            const test::Item* tab = other->group == view->group ? w.seek(std::string(other->tab)) : nullptr;
            if (tab == nullptr)
            {
                continue;
            }
            INFO(view->id << " shows " << other->tab);
            const auto [at, fresh] = places.emplace(other->id, tab->rect.x);
            CHECK(at->second == tab->rect.x);
        }
    }
}

TEST_CASE("the banner of a fault leads to its field, also under More, and a button mends it")
{
    for (const bool more : {false, true})
    {
        Window w;
        w.open("memory");
        Scenario next = w.session().scenario();
        (more ? next.parallel.expert : next.parallel.tensor) = more ? 64 : 3;
        w.session().apply(ChangeScenario{next});
        w.frames(3);
        REQUIRE_FALSE(w.valid());
        CHECK(test::says(w, "\u2013 does not compute"));
        CHECK_FALSE(test::says(w, "Fits "));
        w.click("fault banner");
        w.frames(4);
        CHECK(w.focused().starts_with(more ? "Expert" : "Tensor"));
        w.click("mend");
        w.frames(3);
        CHECK(w.valid());
        w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
        CHECK(w.session().scenario() == next);
    }
}
