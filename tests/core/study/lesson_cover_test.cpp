// What a lesson keeps from sight: its own prediction's parts, and those of predictions still to come.
#include "tests/core/support.h"

#include "core/base/json/json.h"
#include "core/study/lessons/lesson_cover.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;

namespace
{

LessonPlan plan_of(const char* steps)
{
    auto document = nlohmann::json::parse(R"({"schema": "ringside.lesson/1", "id": "a", "title": "A",
        "about": "B.", "minutes": 2, "concepts": ["model-state"], "prerequisites": []})");
    document["steps"] = nlohmann::json::parse(steps);
    document["steps"].push_back(nlohmann::json::parse(
        R"({"heading": "Repair", "text": "Repair.", "free": ["parallel.zero"], "set": {"parallel.zero": 0},
            "task": {"goal": "Shard it.", "condition": "parallel.zero == 3", "hint": "Shard.",
                     "solution": {"parallel.zero": 3}, "done": "Done."}})"));
    const auto lesson = lesson_from_json(document, "memory/a.json");
    INFO((lesson ? "" : to_line(lesson.issues().front())));
    REQUIRE(lesson);
    auto plan = plan_lesson(*lesson, test::presets());
    INFO((plan ? "" : to_line(plan.issues().front())));
    REQUIRE(plan);
    return *plan;
}

// Asked of the present scenario.
std::string asks(const char* hide, const char* then = "{}")
{
    return std::string(R"({"heading": "Guess", "text": "Guess.", "hide": )") + hide +
           R"(, "predict": {"question": "How many?", "truth": "cluster.gpus", "unit": "GPUs", "from": 0,
              "to": 1000, "step": 1, "reveal": "So many.", "then": )" +
           then + "}}";
}

LessonCover cover_at(const LessonPlan& plan, LessonState& state)
{
    return cover_of(plan, state, plan.steps[state.step].shown.scenario);
}

void go_on(const LessonPlan& plan, LessonState& state)
{
    state = apply(plan.lesson, state, {LessonMove::skip, 0}, false);
}

void next(const LessonPlan& plan, LessonState& state)
{
    state = apply(plan.lesson, state, {LessonMove::next, 0}, false);
}

using Parts = std::vector<std::string>;

} // namespace

TEST_CASE("hand-worked: what a later prediction hides stays covered when an earlier one is revealed")
{
    const LessonPlan plan =
        plan_of((std::string(R"([{"heading": "One", "text": "One.", "view": "memory",
        "hide": ["gradients", "momentum"]}, )") +
                 asks(R"(["gradients", "momentum"])") + ", " + asks(R"(["momentum"])") + "]")
                    .c_str());
    LessonState state = begin(plan.lesson);
    CHECK(cover_at(plan, state).parts == Parts{"gradients", "momentum"});
    next(plan, state);
    CHECK(cover_at(plan, state).parts == Parts{"gradients", "momentum"});
    go_on(plan, state);
    CHECK(cover_at(plan, state).parts == Parts{"momentum"});
    CHECK_FALSE(cover_at(plan, state).figures);
    next(plan, state);
    CHECK(cover_at(plan, state).parts == Parts{"momentum"});
    go_on(plan, state);
    CHECK_FALSE(cover_at(plan, state).any());
}

TEST_CASE("hand-worked: before a later question about the whole picture, its shapes show without figures")
{
    const LessonPlan plan =
        plan_of((std::string(R"([{"heading": "One", "text": "One.", "view": "memory"}, )") +
                 asks(R"(["picture"])") + ", " + asks(R"(["picture"])") + "]")
                    .c_str());
    LessonState state = begin(plan.lesson);
    CHECK(cover_at(plan, state).parts.empty());
    CHECK(cover_at(plan, state).figures);
    next(plan, state);
    CHECK(cover_at(plan, state).parts == Parts{"picture"});
    go_on(plan, state);
    CHECK(cover_at(plan, state).parts.empty());
    CHECK(cover_at(plan, state).figures);
    next(plan, state);
    go_on(plan, state);
    CHECK_FALSE(cover_at(plan, state).any());
    state = apply(plan.lesson, state, {LessonMove::back, 0}, false);
    CHECK_FALSE(cover_at(plan, state).any()); // both are known by now
}

TEST_CASE("a truth about another scenario, and a picture of another scenario, hide nothing")
{
    const LessonPlan then =
        plan_of((std::string(R"([{"heading": "One", "text": "One.", "view": "memory"}, )") +
                 asks(R"(["picture"])", R"({"parallel.zero": 2})") + "]")
                    .c_str());
    LessonState first = begin(then.lesson);
    CHECK_FALSE(cover_at(then, first).any());
    const LessonPlan plan = plan_of((std::string(R"([{"heading": "One", "text": "One.", "view": "memory",
        "free": ["parallel.zero"]}, )") +
                                     asks(R"(["picture"])") + "]")
                                        .c_str());
    Scenario moved = plan.steps[0].shown.scenario;
    moved.parallel.zero = 3;
    CHECK(cover_of(plan, begin(plan.lesson), plan.steps[0].shown.scenario).figures);
    CHECK_FALSE(cover_of(plan, begin(plan.lesson), moved).any());
}

TEST_CASE("hand-worked: a part that would show a later change is covered, and figures stay")
{
    const LessonPlan plan =
        plan_of((std::string(R"([{"heading": "One", "text": "One.", "view": "memory"}, )") + asks("[]") +
                 R"(, {"heading": "Two", "text": "Two.", "highlight": "levers"}, )" +
                 asks(R"(["levers"])", R"({"parallel.zero": 2})") + "]")
                    .c_str());
    LessonState state = begin(plan.lesson);
    CHECK(cover_at(plan, state).parts == Parts{"levers"});
    CHECK_FALSE(cover_at(plan, state).figures);
    CHECK(cover_at(plan, state).caption); // the next question covers nothing, and the caption may answer it
    next(plan, state);
    CHECK(cover_at(plan, state).parts == Parts{"levers"});
    go_on(plan, state);
    CHECK(cover_at(plan, state).parts == Parts{"levers"});
    CHECK_FALSE(cover_at(plan, state).caption);
    next(plan, state);
    CHECK(cover_at(plan, state).parts.empty()); // the step points at it
    CHECK(cover_at(plan, state).figures);
}

TEST_CASE("hand-worked: the reveal of a change has the change to show, so what is asked next stays covered")
{
    const LessonPlan plan =
        plan_of((std::string(R"([{"heading": "One", "text": "One.", "view": "memory"}, )") +
                 asks(R"(["levers"])", R"({"parallel.zero": 2})") + ", " + asks(R"(["levers"])") + "]")
                    .c_str());
    LessonState state = begin(plan.lesson);
    next(plan, state);
    go_on(plan, state);
    const LessonCover cover = cover_of(plan, state, plan.steps[1].after.scenario);
    CHECK(cover.parts == Parts{"levers"});
    CHECK_FALSE(cover.figures);
}
