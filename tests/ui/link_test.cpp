// Links as people use them: copied with a key, pasted with another, opened at the start, and wrong ones.
#include "tests/ui/study/glossary_room.h"
#include "tests/ui/study/study_room.h"

#include "ui/shell/frame/lesson_frame.h"

using namespace ringside;
using test::Window;

namespace
{

std::string copied(Window& w)
{
    w.clipboard.clear();
    w.key(ImGuiKey_L, ImGuiMod_Ctrl);
    w.frames(2);
    return w.clipboard;
}

void paste(Window& w, std::string_view text)
{
    w.clipboard = text;
    w.key(ImGuiKey_V, ImGuiMod_Ctrl);
    w.frames(4);
}

} // namespace

TEST_CASE("a copied link brings back view, page and scenario, and undo goes back")
{
    Scenario own;
    std::string link;
    {
        Window w;
        w.open("step/compare");
        w.frames(2);
        own = w.session().scenario();
        own.parallel.zero = 3;
        w.session().apply(ChangeScenario{own});
        w.frames(2);
        link = copied(w);
    }
    CHECK(link == "ringside:#v=step/compare&s=default;parallel.zero=3");
    Window other;
    other.open("memory");
    const Scenario before = other.session().scenario();
    REQUIRE(before != own);
    paste(other, link);
    CHECK(other.session().view() == "step");
    CHECK(other.session().scenario() == own);
    CHECK(copied(other) == link);
    other.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(other.session().scenario() == before);
}

TEST_CASE("the link of a lesson opens it at its step, and what was the user's own comes back")
{
    Window w;
    test::give_course(w);
    w.open("memory");
    const Scenario own = w.session().scenario();
    paste(w, "https://course.example/ringside/#l=zero/3");
    REQUIRE(w.session().frame(0).lesson != nullptr);
    CHECK(w.session().frame(0).lesson->lesson().id == "zero");
    CHECK(w.session().frame(0).lesson->state.step == 2);
    CHECK(copied(w) == "ringside:#l=zero/3");
    w.key(ImGuiKey_Escape);
    w.frames(2);
    CHECK(w.session().frame(0).lesson == nullptr);
    CHECK(w.session().scenario() == own);
    CHECK(w.session().view() == "memory");
}

TEST_CASE("the link of a question asks it with the same numbers")
{
    std::string stem;
    std::string link;
    {
        test::Room room;
        room.ask("3d-degrees/gpus", 7);
        stem = room.question().stem;
        link = room.w.session().link_text();
    }
    CHECK(link == "ringside:#q=3d-degrees/gpus.7");
    test::Room other;
    other.w.session().open_link(link);
    other.w.frames(4);
    CHECK(other.w.session().view() == "drill");
    CHECK(other.question().stem == stem);
}

TEST_CASE("what of a link is wrong is said, each part once, and the rest opens")
{
    Window w;
    test::give_course(w);
    w.open("memory");
    paste(w, "#v=zeroo&s=default;parallel.zero=3;parallel.tensor=many&l=zero/99&q=x.1&colour=red");
    const std::string notice = to_text(w.session().frame(0).notice);
    for (const char* part : {"\nv: ", "\ns: parallel.tensor: ", "\nl: ", "\ncolour: "})
    {
        INFO(notice);
        CHECK(notice.find(part) != std::string::npos);
    }
    CHECK(w.session().view() == "memory");
    CHECK(w.session().frame(0).lesson == nullptr);
    CHECK(w.session().scenario().parallel.zero == 3);
    CHECK(w.drawn().fault == "");
}

TEST_CASE(
    "a link that was opened is a visit: the own scenario is kept until something of the link's is changed")
{
    Window w;
    Scenario own = w.session().scenario();
    own.parallel.zero = 3;
    w.session().apply(ChangeScenario{own});
    w.frames(2);
    w.session().open_link("#v=memory&s=gpt-3-175b-1024");
    w.frames(2);
    REQUIRE(w.session().own_good_scenario() != own);
    CHECK(w.session().kept_scenario() == own);
    w.session().open_link("#v=memory&s=gpt-13b-8");
    w.frames(2);
    CHECK(w.session().kept_scenario() == own);
    Scenario changed = w.session().scenario();
    changed.parallel.zero = changed.parallel.zero == 1 ? 2 : 1;
    w.session().apply(ChangeScenario{changed});
    w.frames(2);
    CHECK(w.session().kept_scenario() == changed);
    paste(w, "#v=memory&s=gpt-3-175b-1024");
    CHECK(w.session().kept_scenario() == w.session().scenario());
}
