// Pages of views by their names: how they are opened from outside, and what lessons, scenes and questions
// say.
#include "tests/ui/study/glossary_room.h"
#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/place.h"
#include "ui/shell/frame/lesson_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace ringside;
using test::says;
using test::Window;

namespace
{

// What the picture, its caption and the view's own panel say now.
std::string shown(Window& w)
{
    w.settle(5000);
    return test::text_of(w);
}

} // namespace

TEST_CASE("every page is named after its view, found by its name, and shows what no other page shows")
{
    std::size_t with_pages = 0;
    for (const ViewInfo* view : views())
    {
        std::set<std::string> seen;
        for (const std::string_view place : view->pages)
        {
            INFO(place);
            CHECK(view_of(place) == view->id);
            CHECK_FALSE(page_of(place).empty());
            CHECK(find_view(place) == view);
            Window w;
            w.session().apply(OpenView{std::string(place)});
            CHECK(w.session().view() == view->id);
            CHECK(seen.insert(shown(w)).second);
        }
        with_pages += view->pages.empty() ? 0U : 1U;
    }
    CHECK(with_pages == 24);
    CHECK(find_view("memory/nothing") == nullptr);
    CHECK(find_view("optimizer/nothing") == nullptr);
    CHECK(find_view("optimizer/") == nullptr);
}

TEST_CASE("a view opens at its first page, keeps the page a user turned to, and turns when a page is named")
{
    const std::string rate = []
    {
        Window first;
        first.open("optimizer/rate");
        return shown(first);
    }();
    Window w;
    w.open("optimizer");
    CHECK(shown(w) == rate);
    w.key(ImGuiKey_Y);
    const std::string clip = shown(w);
    CHECK(clip != rate);
    w.open("memory");
    w.open("optimizer");
    CHECK(shown(w) == clip);
    w.open("optimizer/rate");
    CHECK(shown(w) == rate);
    w.open("optimizer/nothing");
    CHECK(w.session().view() == "optimizer");
    CHECK(shown(w) == rate);
}

TEST_CASE("a lesson's step turns to its page, whatever page a user left, and back with the step")
{
    Window w;
    test::give_course(w);
    w.open("formats/blocks");
    w.session().apply(StartLesson{"formats"});
    const auto step_to = [&](std::size_t step)
    {
        while (w.session().frame(0).lesson->state.step != step)
        {
            const bool on = w.session().frame(0).lesson->state.step < step;
            w.session().apply(LessonInput{LessonMove::skip, 0});
            w.session().apply(LessonInput{on ? LessonMove::next : LessonMove::back, 0});
        }
        w.settle(5000);
        return w.session().frame(0).lesson->planned().view;
    };
    CHECK(step_to(0) == "formats");
    CHECK(says(w, "mantissa"));
    CHECK(step_to(3) == "formats/sums");
    w.session().apply(LessonInput{LessonMove::skip, 0}); // nothing of the picture is hidden any more
    const std::string sums = shown(w);
    w.key(ImGuiKey_Y); // looks at another page meanwhile
    CHECK(shown(w) != sums);
    CHECK(step_to(5) == "formats/scale");
    CHECK(step_to(3) == "formats/sums");
    CHECK(shown(w) == sums);
    w.session().apply(LeaveLesson{});
    w.settle(5000);
    CHECK(w.session().view() == "formats");
}

TEST_CASE("a scene opens the page it names, and its words stay with the view")
{
    const auto read = demo_script_from_json(nlohmann::json::parse(
                                                R"json({"schema": "ringside.demo/1", "title": "T", "scenes": [
                {"title": "One", "text": "Words of the first.", "view": "laws/models"},
                {"title": "Two", "view": "laws"}, {"title": "Three"}]})json"),
                                            test::presets(), view_places(), {});
    REQUIRE(read);
    const auto formula_of = [](Window& w) { return w.drawing.shell().caption(w.session().frame(0)).formula; };
    const std::string models = [&]
    {
        Window other;
        other.open("laws/models");
        return formula_of(other);
    }();
    Window w;
    w.session().set_script(*read);
    w.settle(5000);
    CHECK(w.session().view() == "laws");
    CHECK(says(w, "Words of the first."));
    CHECK(formula_of(w) == models);
    w.session().apply(StageStep{1});
    w.settle(5000);
    CHECK(formula_of(w) != models);
}

TEST_CASE("a page nobody has is refused by lessons and scenes, with the name")
{
    const auto script = demo_script_from_json(
        nlohmann::json::parse(R"json({"schema": "ringside.demo/1", "title": "T", "scenes": [
            {"title": "One", "view": "laws/nothing"}]})json"),
        test::presets(), view_places(), {});
    REQUIRE_FALSE(script);
    CHECK(to_line(script.issues().front()).find("laws/nothing") != std::string::npos);
    Lesson lesson = *test::whole_course().lesson("formats");
    lesson.steps[3].view = "formats/nothing";
    const auto plan = plan_lesson(lesson, test::presets(), view_places());
    REQUIRE_FALSE(plan);
    CHECK(to_line(plan.issues().front()).find("formats/nothing") != std::string::npos);
}

TEST_CASE("a page that became part of another opens by its former name, and the title is the page's")
{
    Window w;
    w.open("growth/gpu");
    CHECK(w.session().view() == "growth");
    CHECK(says(w, "tokens/s/GPU"));
    CHECK(std::ranges::count(view_places(), "growth/gpu") == 1);
    for (const ViewInfo* view : views())
    {
        const std::unique_ptr<View> made = view->make();
        for (const std::string_view place : view->pages)
        {
            INFO(place);
            made->show(place.substr(place.find('/') + 1)); // the page's own name
            const bool own = !made->title(w.session().frame(0)).empty();
            CHECK((own || place == view->pages.front()));
        }
    }
}

TEST_CASE("at 1280 x 800 the views of every group stand side by side")
{
    Window w({1280, 800});
    std::set<ViewGroup> seen;
    for (const ViewInfo* view : views())
    {
        if (seen.insert(view->group).second)
        {
            w.open(view->id);
            w.frames(2);
            INFO(view->id);
            CHECK(w.seek("views of the group") == nullptr);
        }
    }
}
