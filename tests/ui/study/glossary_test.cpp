// The glossary in a user's hands: typed, found, gone through, opened where the word is at home.
#include "tests/ui/study/glossary_room.h"
#include <fmt/format.h>

#include "ui/shell/frame/lesson_frame.h"

#include <algorithm>

using namespace ringside;
using test::explains;
using test::says;
using test::Window;

namespace
{

void open_glossary(Window& w)
{
    test::give_course(w);
    w.open("glossary");
    w.settle();
}

const Lesson& find_lesson(std::string_view id)
{
    const auto& all = test::whole_course().lessons;
    const auto found = std::ranges::find(all, id, &Lesson::id);
    REQUIRE(found != all.end());
    return *found;
}

} // namespace

TEST_CASE("what is typed is searched at once, the closest word first and large")
{
    Window w;
    open_glossary(w);
    const auto& terms = test::whole_course().glossary;
    const auto begins = std::ranges::find(terms, "all-reduce", &GlossaryTerm::id);
    CHECK(says(w, fmt::format("{} of {}", begins - terms.begin() + 1, terms.size())));
    CHECK(explains(w, "all-reduce"));
    w.type("mfu");
    w.frames(2);
    CHECK(says(w, "model FLOPs utilization"));
    CHECK(says(w, "6 N \u00d7 tokens/s / (n \u00d7 peak)"));
    CHECK(says(w, "See it: Step time"));
    CHECK(says(w, "Lesson: " + find_lesson("mfu").title));
    CHECK(w.session().preferences() == Preferences()); // its letters are no commands
    test::check_words(w);
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(says(w, fmt::format("{} words", test::whole_course().glossary.size())));
    CHECK(says(w, "model FLOPs utilization")); // still the word on show
    w.type("ring all");
    w.frames(2);
    CHECK(explains(w, "ring-all-reduce"));
}

TEST_CASE("arrows go through what was found, Enter opens the view where the word is at home")
{
    Window w;
    open_glossary(w);
    w.type("zero");
    w.frames(2);
    CHECK(explains(w, "zero"));
    w.key(ImGuiKey_DownArrow);
    w.frames(2);
    CHECK(says(w, "2 of "));
    w.key(ImGuiKey_UpArrow);
    w.frames(2);
    CHECK(explains(w, "zero"));
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(w.session().view() == "zero");
}

TEST_CASE("See it, the lesson and related words are pressed, or reached with Alt")
{
    Window w;
    open_glossary(w);
    w.type("bubble");
    w.frames(2);
    w.click("see it");
    CHECK(w.session().view() == "pipelines");
    w.open("glossary");
    w.settle();
    w.click("related 1f1b");
    w.frames(2);
    CHECK(explains(w, "1f1b"));
    CHECK(says(w, "Looked at before"));
    w.key(ImGuiKey_1, ImGuiMod_Alt);
    w.frames(3);
    CHECK(explains(w, "gpipe"));
    w.click("lately bubble");
    w.frames(2);
    CHECK(explains(w, "bubble"));
    w.click("its lesson");
    w.frames(3);
    REQUIRE(w.session().frame(0).lesson != nullptr);
    CHECK(w.session().frame(0).lesson->lesson().id == "bubble");
}

TEST_CASE("rows and letters are pressed, and typing goes on from there")
{
    Window w;
    open_glossary(w);
    w.click("letter S");
    w.frames(3);
    CHECK(says(w, "Scaling efficiency"));
    w.click("word scaling-law");
    w.frames(3);
    CHECK(explains(w, "scaling-law"));
    w.type("nvlink");
    w.frames(2);
    CHECK(explains(w, "nvlink"));
}

TEST_CASE("where nothing fits, the nearest words are offered")
{
    Window w;
    open_glossary(w);
    w.type("gxxdput");
    w.frames(2);
    CHECK(says(w, "No word fits"));
    test::check_words(w);
    w.click("near goodput");
    w.frames(3);
    CHECK(explains(w, "goodput"));
    CHECK(says(w, "of 3"));
}

TEST_CASE("brackets turn to the neighbouring views also while the field has the keyboard")
{
    Window w;
    open_glossary(w);
    w.key(ImGuiKey_RightBracket);
    w.frames(2);
    CHECK(w.session().view() != "glossary");
    w.key(ImGuiKey_LeftBracket);
    w.settle();
    CHECK(w.session().view() == "glossary");
    CHECK_FALSE(says(w, "No word fits"));
}

TEST_CASE("every word is drawn whole, in a wide window and where there is room for one pane")
{
    struct Mode
    {
        ImVec2 size;
        float text;
    };
    for (const Mode mode : {Mode{{1280, 800}, 1}, Mode{{640, 480}, 1}, Mode{{1280, 800}, 2.5F}})
    {
        Preferences p;
        p.text_scale = mode.text;
        p.reduced_motion = true;
        Window w(mode.size, p);
        open_glossary(w);
        for (std::size_t i = 0; i < test::whole_course().glossary.size(); ++i)
        {
            INFO(test::whole_course().glossary[i].id << ", " << mode.size.x << " x " << mode.size.y
                                                     << ", text " << mode.text);
            test::check_words(w);
            w.key(ImGuiKey_DownArrow);
        }
    }
}

TEST_CASE("without a glossary the view says where it was looked for")
{
    Window w;
    w.open("glossary");
    CHECK(says(w, "No glossary found in study/glossary.json"));
    test::check_words(w);
}
