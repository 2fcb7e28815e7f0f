// Ctrl+K over everything there is: words, questions, fields of the scenario, ranked, with a typing error.
#include "tests/ui/study/glossary_room.h"
#include "tests/ui/study/study_room.h"

#include "app/files/demo_script_file.h"
#include "core/study/lessons/demo_script.h"
#include "ui/shell/palette/entries.h"
#include "ui/shell/palette/synonyms.h"

#include <algorithm>

using namespace ringside;
using test::explains;
using test::says;
using test::Window;

namespace
{

void find(Window& w, std::string_view words)
{
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type(words);
    w.frames(2);
}

} // namespace

TEST_CASE("the palette opens a word of the glossary")
{
    Window w;
    test::give_course(w);
    find(w, "expert capac");
    w.key(ImGuiKey_Enter);
    w.frames(4);
    CHECK(w.session().view() == "glossary");
    CHECK(explains(w, "expert-capacity"));
    find(w, "term watchdog");
    w.key(ImGuiKey_Enter);
    w.frames(4);
    CHECK(explains(w, "watchdog"));
}

TEST_CASE("the palette finds a question and asks just that")
{
    test::Room room;
    test::give_course(room.w);
    const QuestionFamily& family = test::all_questions().families.front();
    find(room.w, "question " + family.title);
    room.w.key(ImGuiKey_Enter);
    room.w.frames(4);
    CHECK(room.w.session().view() == "drill");
    CHECK(room.item().card.family == family.id);
}

TEST_CASE("the palette finds a field of the scenario: its control gets the keyboard, its range is said")
{
    Window w;
    find(w, "parallel.zero");
    CHECK(says(w, "0 to 3"));
    w.key(ImGuiKey_Enter);
    w.frames(4);
    CHECK(w.session().view() == "overview"); // which has it
    CHECK(w.focused().find("ZeRO") != std::string::npos);
    find(w, "fragmentation");
    w.key(ImGuiKey_Enter);
    w.frames(6);
    CHECK(says(w, "Less")); // it is under More
    CHECK(w.focused().find("fragmentation") != std::string::npos);
    find(w, "nvme_gb_per_s");
    w.key(ImGuiKey_Enter);
    w.frames(4);
    CHECK(w.session().view() == "offload");
    test::check_words(w);
}

TEST_CASE("names come before what is said of them, views before others, and one slip is forgiven")
{
    Window w;
    test::give_course(w);
    const Frame frame = w.session().frame(0);
    const auto entries = palette_entries(frame);
    const auto first = [&](std::string_view query) -> const PaletteEntry&
    {
        const auto found = matching_entries(entries, query);
        REQUIRE_FALSE(found.empty());
        return entries[found.front()];
    };
    CHECK(first("errata").kind == "View");
    CHECK(first("roofline").kind == "View");       // a term is called that too
    CHECK(first("mfu").kind == "View");            // people call it that; the term comes next
    CHECK(first("fill and drain").kind == "Term"); // the bubble is called that
    CHECK(first("llama 3.1 8b").kind == "Model");
    CHECK(first("ligth or dark").label == "Light or dark");
    CHECK(first("planning for failures").kind == "Lesson");
    CHECK(first("tour").label == "Show the tour again");
    CHECK(matching_entries(entries, "").size() == entries.size());
    CHECK(matching_entries(entries, "view").size() >= views().size());
    CHECK(matching_entries(entries, "qqqqq").empty());
}

TEST_CASE("what people ask for comes first, in their words")
{
    test::Room room;
    test::give_course(room.w);
    DemoScripts scripts = read_demo_scripts(test::source_path("assets"), test::presets());
    REQUIRE(scripts.issues.empty());
    room.w.session().set_scripts(std::move(scripts.scripts));
    const auto entries = palette_entries(room.w.session().frame(0));
    const auto queries = test::read("tests/data/palette_queries.json").at("queries");
    CHECK(queries.size() >= 150);
    for (const auto& row : queries)
    {
        const auto query = row.at("query").get<std::string>();
        const auto found = matching_entries(entries, query);
        INFO(query << " should find " << row.at("which").get<std::string>() << ", not "
                   << (found.empty() ? "nothing" : entries[found.front()].label));
        CHECK_FALSE(found.empty());
        if (!found.empty())
        {
            CHECK(entries[found.front()].kind == row.at("kind").get<std::string>());
            CHECK(entries[found.front()].which == row.at("which").get<std::string>());
        }
    }
}

TEST_CASE("every synonym is of a view, a field or a command that there is")
{
    Window w;
    const auto entries = palette_entries(w.session().frame(0));
    for (const std::string_view what : with_synonyms())
    {
        INFO(what);
        CHECK(std::ranges::find(entries, what, &PaletteEntry::which) != entries.end());
        CHECK_FALSE(synonyms_of(what).empty());
    }
}

TEST_CASE("the scenes for a class start from the window, are walked through, and end")
{
    Window w;
    DemoScripts scripts = read_demo_scripts(test::source_path("assets"), test::presets());
    w.session().set_scripts(std::move(scripts.scripts));
    find(w, "first class");
    w.key(ImGuiKey_Enter);
    w.frames(4);
    const StageFrame& stage = *w.session().frame(0).stage;
    REQUIRE(stage.script != nullptr);
    w.key(ImGuiKey_PageDown);
    w.frames(2);
    CHECK(w.session().frame(0).stage->scene == 1);
    w.session().apply(StartScript{0});
    CHECK(w.session().frame(0).stage->script == nullptr);
}

TEST_CASE("with a course everything is in the palette")
{
    test::Room room;
    test::give_course(room.w);
    const auto entries = palette_entries(room.w.session().frame(0));
    CHECK(entries.size() > 900);
    CHECK_FALSE(matching_entries(entries, "parallel").empty());
}

TEST_CASE("the palette with everything in it is sound, also small and large")
{
    for (const ImVec2 size : {ImVec2{1280, 800}, ImVec2{640, 480}})
    {
        Preferences p;
        p.text_scale = size.x < 700 ? 2 : 1;
        Window w(size, p);
        test::give_course(w);
        for (const char* query : {"", "ring", "qqqqq"})
        {
            find(w, query);
            CHECK(w.drawn().fault == "");
            CHECK(w.drawn().missing_glyphs == 0);
            for (int i = 0; i < 40; ++i)
            {
                w.key(ImGuiKey_DownArrow);
            }
            CHECK(w.drawn().fault == "");
            w.key(ImGuiKey_Escape);
        }
    }
}

TEST_CASE("numbers of the status strip say formula, source and convention when they are pointed at")
{
    Window w;
    w.open("memory"); // whose strip has room for all of them
    w.settle();
    const auto point_at = [&](std::string_view start)
    {
        const auto words = test::words_of(w);
        const test::Words* found = test::seek_words(words, start);
        REQUIRE(found != nullptr);
        w.move_to({found->rect.centre(), found->rect.middle()});
        w.frames(3);
    };
    point_at("Fits 44.3 of 84.9 GB");
    CHECK(says(w, "in decimal GB against the nameplate"));
    point_at("256 GPUs");
    CHECK(says(w, "8 \u00d7 1 \u00d7 4 \u00d7 8 = 256"));
    point_at("step 5.44 s");
    CHECK(says(w, "against the dense peak"));
    point_at("bubble 15.0%");
    CHECK(says(w, "bubble / step time"));
    CHECK(says(w, "15.8%")); // of the schedule, which the pipeline view draws
    CHECK(w.drawn().missing_glyphs == 0);
}
