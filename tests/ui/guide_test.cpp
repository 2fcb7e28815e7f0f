// The view's page of the user guide: opened and closed, beside the picture and over it, with its lessons.
#include "tests/ui/study/glossary_room.h"

#include "ui/shell/frame/lesson_frame.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

bool on(Window& w)
{
    return w.drawing.shell().guide().on();
}

} // namespace

TEST_CASE("F1 and the sign in the title open and close the guide, and it follows the view")
{
    Window w({1280, 1080});
    test::give_course(w);
    CHECK_FALSE(says(w, "Reading it."));
    w.key(ImGuiKey_F1);
    w.settle(300);
    CHECK(on(w));
    CHECK(says(w, "Reading it."));
    CHECK(says(w, "Good to know."));
    const std::string overview = test::text_of(w);
    w.open("memory");
    w.settle(300);
    CHECK(test::text_of(w) != overview);
    w.click("guide close");
    w.settle(300);
    CHECK_FALSE(on(w));
    w.click("guide");
    w.settle(300);
    CHECK(on(w));
    w.key(ImGuiKey_F1);
    w.settle(300);
    CHECK_FALSE(says(w, "Reading it."));
}

TEST_CASE("beside a wide picture the guide takes its room; in a narrow window it takes the picture's place")
{
    for (const bool wide : {true, false})
    {
        INFO(wide);
        Window w(wide ? ImVec2{1280, 800} : ImVec2{1000, 700});
        test::give_course(w);
        w.open("memory");
        w.settle(300);
        const float help = w.find("?###help").rect.x;
        w.key(ImGuiKey_F1);
        w.settle(300);
        CHECK((w.seek("?###help") != nullptr) == wide);
        CHECK((w.seek("weights of stage 0") != nullptr) == wide);
        CHECK((!wide || w.find("?###help").rect.x == help)); // the right end stays
        CHECK(w.find("Scenario menu").rect.x > w.find("guide close").rect.right());
        w.key(ImGuiKey_F1);
        w.settle(300);
        CHECK(w.seek("weights of stage 0") != nullptr);
    }
}

TEST_CASE("a lesson is begun from the guide, which makes room for it")
{
    Window w;
    test::give_course(w);
    w.open("memory");
    w.key(ImGuiKey_F1);
    w.settle(300);
    w.wheel({240, 500}, -40);
    w.settle(300);
    w.click("lesson memory");
    w.settle(300);
    REQUIRE(w.session().frame(0).lesson != nullptr);
    CHECK(w.session().frame(0).lesson->lesson().id == "memory");
    CHECK_FALSE(on(w));
}

TEST_CASE("Esc closes the guide before it leaves a lesson or the presenter's view")
{
    Window w;
    test::give_course(w);
    w.key(ImGuiKey_F5);
    w.key(ImGuiKey_F1);
    w.settle(300);
    REQUIRE(on(w));
    w.key(ImGuiKey_Escape);
    w.settle(300);
    CHECK_FALSE(on(w));
    CHECK(w.session().preferences().presenter);
    w.session().apply(StartLesson{"bubble"});
    w.key(ImGuiKey_F1);
    w.frames(3);
    CHECK(on(w));
    w.key(ImGuiKey_Escape);
    w.frames(3);
    CHECK_FALSE(on(w));
    CHECK(w.session().frame(0).lesson != nullptr);
}

TEST_CASE("without a course the guide says that it has no page")
{
    Window w;
    w.key(ImGuiKey_F1);
    w.settle(300);
    CHECK(says(w, "has no page"));
}

TEST_CASE("no words of the guide are cut off or lie on others at any size")
{
    Window w;
    test::give_course(w);
    w.open("optimizer");
    w.key(ImGuiKey_F1);
    test::check_words_at_every_size(w, "guide");
}

TEST_CASE("every page of the guide is drawn whole beside its view")
{
    Window w({1280, 800});
    test::give_course(w);
    w.key(ImGuiKey_F1);
    for (const auto& [view, page] : test::whole_course().guide)
    {
        INFO(view);
        w.open(view);
        w.settle(5000);
        test::check_words(w);
        CHECK(says(w, "Reading it."));
    }
}
