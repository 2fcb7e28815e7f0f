// Lessons as a user takes them: every one is played from start to end by keyboard, its words are read, what
// should be hidden is looked for, and what was the user's own comes back.
#include "tests/share.h"
#include "tests/source_path.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "app/files/lesson_files.h"
#include "core/base/place.h"
#include "ui/shell/frame/lesson_frame.h"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace ringside;
using test::Window;

namespace
{

Course course()
{
    Issues issues;
    Course read = load_course(test::source_path("lessons"), issues);
    REQUIRE(issues.empty());
    return read;
}

const LessonFrame* lesson_of(const Window& w)
{
    return w.session().frame(0).lesson;
}

const StepRecord& record_of(const Window& w)
{
    return lesson_of(w)->state.record();
}

// The task is the last step.
void skip_to_task(Window& w)
{
    while (!lesson_of(w)->step().task)
    {
        w.session().apply(LessonInput{LessonMove::skip, 0});
        w.session().apply(LessonInput{LessonMove::next, 0});
    }
    w.frames(3);
}

// What a step points at or covers is named by the view it opens.
void check_parts(Window& w)
{
    const LessonStep& step = lesson_of(w)->step();
    const auto& named = w.drawing.shell().named();
    const auto check = [&](const std::string& name)
    {
        INFO("part: " << name);
        CHECK(std::any_of(named.begin(), named.end(), [&](const NamedPart& p) { return p.name == name; }));
    };
    if (!step.highlight.empty())
    {
        check(step.highlight);
    }
    for (const std::string& name : step.hide)
    {
        check(name);
    }
}

// The truth of this step, and of later ones on the same picture, stands nowhere on the screen until it is
// revealed: not in the picture, the caption or the strip. What the step's own words say is no secret, and
// whole numbers stand anywhere by chance.
void check_hidden(const Window& w)
{
    const LessonFrame& lesson = *lesson_of(w);
    const std::string words =
        lesson.words.text + lesson.words.question + (lesson.pending() ? "" : lesson.words.reveal);
    for (std::size_t i = lesson.state.step; i < lesson.plan.steps.size(); ++i)
    {
        const auto& predict = lesson.lesson().steps[i].predict;
        const StepPlan& planned = lesson.plan.steps[i];
        const bool asked = predict && !predict->is_choice() && !lesson.state.records[i].locked_in;
        const bool here = i == lesson.state.step ||
                          (planned.view == lesson.planned().view && predict && predict->then.get().empty() &&
                           planned.shown.scenario == w.session().scenario());
        const std::string truth = asked ? said(*predict, planned.truth) : "";
        if (!here || truth.find('.') == std::string::npos || words.find(truth) != std::string::npos ||
            (planned.now && said(*predict, *planned.now) == truth))
        {
            continue;
        }
        INFO("the truth of step " << i + 1 << ": " << truth << "\n" << test::text_of(w));
        CHECK_FALSE(test::says(w, truth));
    }
}

void predict(Window& w)
{
    check_hidden(w);
    w.key(ImGuiKey_Enter);
    REQUIRE(lesson_of(w)->pending()); // nothing is guessed yet
    CHECK(lesson_of(w)->state.nudged);
    const Prediction& p = *lesson_of(w)->step().predict;
    if (p.is_choice())
    {
        w.key(ImGuiKey_2);
        CHECK(record_of(w).guess == 1);
    }
    else
    {
        w.key(ImGuiKey_RightArrow);
        REQUIRE(record_of(w).guess);
        const double first = *record_of(w).guess;
        w.key(ImGuiKey_LeftArrow);
        CHECK(*record_of(w).guess < first);
    }
    check_hidden(w);
    w.key(ImGuiKey_Enter);
    w.settle(5000);
    REQUIRE(record_of(w).locked_in);
    check_hidden(w);
    CHECK(w.session().scenario() == lesson_of(w)->planned().after.scenario);
    test::check_words(w);
}

void repair(Window& w)
{
    const LessonStep& step = lesson_of(w)->step();
    CHECK_FALSE(record_of(w).done);
    w.key(ImGuiKey_PageDown);
    CHECK(lesson_of(w)->state.nudged);
    w.key(ImGuiKey_H);
    CHECK(record_of(w).hinted);
    w.settle(5000);
    test::check_words(w);
    const auto solved = with_sets(w.session().scenario(), step.task->solution.get(), test::presets(), "");
    REQUIRE(solved);
    w.session().apply(ChangeScenario{*solved});
    w.settle(5000);
    CHECK(record_of(w).done);
    test::check_words(w);
}

void play(Window& w)
{
    for (int guard = 0; guard < 20 && !lesson_of(w)->state.finished; ++guard)
    {
        const std::size_t step = lesson_of(w)->state.step;
        INFO("step " << step + 1 << ": " << lesson_of(w)->step().heading);
        w.session().apply(Play{false});
        w.frames(3);
        w.settle(5000);
        CHECK(w.session().view() == view_of(lesson_of(w)->planned().view));
        check_parts(w);
        check_hidden(w);
        test::check_words(w);
        if (lesson_of(w)->step().predict)
        {
            predict(w);
        }
        if (lesson_of(w)->step().task)
        {
            repair(w);
        }
        w.key(ImGuiKey_PageDown);
        CHECK((lesson_of(w)->state.finished || lesson_of(w)->state.step == step + 1));
    }
}

struct Alone
{
    Window w;

    explicit Alone(const std::string& id, ImVec2 size = {1280, 800}, Preferences preferences = {})
        : w(size, preferences)
    {
        w.session().set_course(course(), {});
        w.session().apply(StartLesson{id});
        w.frames(3);
        REQUIRE(lesson_of(w) != nullptr);
    }
};

} // namespace

TEST_CASE("each lesson is played from start to end by keyboard")
{
    for (const Lesson& lesson : course().lessons)
    {
        INFO("lesson " << lesson.id);
        Window w;
        const Scenario own = w.session().scenario();
        w.session().set_course(course(), {});
        w.open("lessons");
        w.session().apply(StartLesson{lesson.id});
        w.frames(3);
        REQUIRE(lesson_of(w) != nullptr);
        play(w);
        REQUIRE(lesson_of(w)->state.finished);
        w.settle(5000);
        test::check_words(w);
        CHECK(w.session().lessons()->done().contains(lesson.id));
        w.key(ImGuiKey_Escape);
        CHECK(lesson_of(w) == nullptr);
        CHECK(w.session().scenario() == own);
        CHECK(w.session().view() == "lessons");
    }
}

TEST_CASE("no words of a lesson are cut off or lie on others, before and after each reveal, at any size")
{
    struct Size
    {
        ImVec2 window;
        float text;
        bool presenter;
        bool light;
    };
    std::size_t turn = 0;
    for (const Size& size : {Size{{1920, 1080}, 1, false, false}, Size{{1280, 720}, 1, false, true},
                             Size{{1280, 720}, 1, true, false}, Size{{1920, 1080}, 1, true, true}})
    {
        for (const Lesson& lesson : course().lessons)
        {
            if (!test::is_in_share(turn++))
            {
                continue;
            }
            Preferences p;
            p.presenter = size.presenter;
            p.light = size.light;
            p.reduced_motion = true;
            Alone one(lesson.id, size.window, p);
            for (std::size_t i = 0; i < lesson.steps.size(); ++i)
            {
                INFO(lesson.id << ", step " << i + 1 << ", " << size.window.x << " x " << size.window.y
                               << (size.presenter ? ", presenter" : ""));
                one.w.settle(5000);
                test::check_words(one.w);
                one.w.session().apply(LessonInput{LessonMove::skip, 0});
                one.w.frames(2);
                one.w.settle(5000);
                test::check_words(one.w);
                one.w.session().apply(LessonInput{LessonMove::next, 0});
                one.w.frames(2);
            }
            CHECK(lesson_of(one.w)->state.finished);
        }
    }
}

TEST_CASE("the list begins a lesson from the keyboard, and marks what is done")
{
    Window w;
    w.session().set_course(course(), {"memory"});
    w.open("lessons");
    CHECK(test::says(w, fmt::format("1 of {} lessons done", course().lessons.size())));
    w.key(ImGuiKey_DownArrow); // from the first that is not done
    w.key(ImGuiKey_Enter);
    REQUIRE(lesson_of(w) != nullptr);
    CHECK(lesson_of(w)->lesson().id == "activations");
    w.key(ImGuiKey_Escape);
    CHECK(lesson_of(w) == nullptr);
    test::check_words(w);
}

TEST_CASE("an arrow in a step without a guess does not go to a button, so Enter still goes on")
{
    Alone a("memory");
    REQUIRE_FALSE(lesson_of(a.w)->pending());
    for (const ImGuiKey key : {ImGuiKey_RightArrow, ImGuiKey_LeftArrow, ImGuiKey_DownArrow, ImGuiKey_UpArrow})
    {
        a.w.key(key);
    }
    a.w.key(ImGuiKey_Enter);
    REQUIRE(lesson_of(a.w) != nullptr);
    CHECK(lesson_of(a.w)->state.step == 1);
}

TEST_CASE("a track has its own order, practice between its parts, and says what comes after a lesson")
{
    Window w;
    Course all = course();
    std::ifstream in(test::source_path("assets/study/tracks.json"));
    all.tracks = *read_tracks(nlohmann::json::parse(in));
    w.session().set_course(all, {});
    w.open("lessons");
    w.key(ImGuiKey_3);
    w.frames(2);
    CHECK(test::says(w, "Day 1: memory"));
    CHECK(test::says(w, "Questions: Memory, Activations, ZeRO"));
    for (int i = 0; i < 5; ++i) // from the first lesson of the day to its last
    {
        w.key(ImGuiKey_DownArrow);
    }
    w.key(ImGuiKey_Enter);
    w.frames(2);
    REQUIRE(lesson_of(w) != nullptr);
    CHECK(lesson_of(w)->lesson().id == "doctor");
    CHECK(lesson_of(w)->next == "ring"); // of the second day
    CHECK(lesson_of(w)->place == 5);
    CHECK(test::says(w, "Interview in a week, 6 of"));
    w.session().apply(LeaveLesson{});
    w.frames(2);
    w.key(ImGuiKey_DownArrow); // the practice at the end of the day
    w.key(ImGuiKey_Enter);
    w.frames(2);
    CHECK(lesson_of(w) == nullptr);
    w.open("lessons");
    w.key(ImGuiKey_1);
    w.frames(2);
    CHECK(!test::says(w, "Day 1: memory"));
    CHECK(test::says(w, fmt::format("0 of {} lessons done", all.lessons.size())));
}

TEST_CASE("without lessons the list says where they are read from")
{
    Window w;
    w.open("lessons");
    CHECK(test::says(w, "There are no lessons here."));
    w.session().apply(StartLesson{"memory"});
    CHECK(lesson_of(w) == nullptr);
    test::check_words(w);
}

TEST_CASE("a guess is dragged and typed, and stays when one goes back and forth")
{
    Alone one("bubble");
    Window& w = one.w;
    w.key(ImGuiKey_PageDown);
    REQUIRE(lesson_of(w)->pending());
    w.drag("guess", 0.2F, 0.5F);
    REQUIRE(record_of(w).guess);
    CHECK(std::abs(*record_of(w).guess - 40) <= 2); // half of 0 to 80
    w.type("37");
    CHECK(record_of(w).guess == 37);
    w.key(ImGuiKey_Enter);
    CHECK(record_of(w).locked_in);
    CHECK(test::says(w, "You said 37%"));
    w.key(ImGuiKey_PageDown);
    CHECK(lesson_of(w)->state.step == 2);
    w.key(ImGuiKey_PageUp);
    CHECK((record_of(w).guess == 37 && record_of(w).locked_in));
    w.key(ImGuiKey_R);
    CHECK(lesson_of(w)->pending());
    CHECK(record_of(w).earlier == std::vector<double>{37});
    CHECK(test::says(w, "Before: 37%"));
}

TEST_CASE("while a truth is hidden nothing else may be changed or opened, and the mouse finds no tips")
{
    Alone one("bubble");
    Window& w = one.w;
    w.key(ImGuiKey_PageDown);
    const Scenario before = w.session().scenario();
    w.session().apply(OpenView{"memory"});
    CHECK(w.session().view() == "pipelines");
    Scenario other = before;
    other.training.global_batch = 64;
    w.session().apply(ChangeScenario{other});
    w.session().apply(Command::reset);
    w.session().apply(LoadScenario{"default"});
    w.key(ImGuiKey_L, ImGuiMod_None); // the view's own key is not heard
    CHECK(w.session().scenario() == before);
    w.frame();
    CHECK(test::says(w, "hidden until you predict"));
    CHECK_FALSE(test::says(w, "stage 0"));
    w.move_to({500, 250});
    w.frames(3);
    w.frame(1);
    CHECK_FALSE(test::says(w, "micro-batch 0"));
    w.key(ImGuiKey_S, ImGuiMod_Alt);
    CHECK(test::says(w, "stage 0"));
    w.session().apply(OpenView{"memory"});
    CHECK(w.session().view() == "memory");
    w.key(ImGuiKey_PageDown);
    CHECK(w.session().view() == "pipelines"); // the next step brings its own
}

TEST_CASE("a step lets go only of what it names, and L locks and hides that")
{
    Alone one("memory");
    Window& w = one.w;
    skip_to_task(w);
    REQUIRE(lesson_of(w)->step().task);
    const Scenario start = w.session().scenario();
    Scenario other = start;
    other.cluster.gpus = 8;
    w.session().apply(ChangeScenario{other});
    CHECK(w.session().scenario() == start);
    other = start;
    other.training.optimizer = Optimizer::adamw_8bit;
    w.key(ImGuiKey_L);
    CHECK(test::says(w, "controls locked"));
    w.session().apply(ChangeScenario{other});
    CHECK(w.session().scenario() == start);
    w.key(ImGuiKey_L);
    CHECK(test::says(w, "controls hidden"));
    CHECK(w.seek("Optimizer") == nullptr);
    w.key(ImGuiKey_L);
    w.session().apply(ChangeScenario{other});
    CHECK(w.session().scenario() == other);
    w.session().apply(Command::undo);
    CHECK(w.session().scenario() == start);
}

TEST_CASE("an attempt at a task is kept when one goes back, and R starts it again")
{
    Alone one("zero");
    Window& w = one.w;
    skip_to_task(w);
    REQUIRE(lesson_of(w)->open());
    const Scenario start = w.session().scenario();
    w.key(ImGuiKey_1); // the view's own key for stage 1
    Scenario tried = start;
    tried.parallel.zero = 1;
    CHECK(w.session().scenario() == tried);
    CHECK(lesson_of(w)->open()); // stage 1 is not enough
    w.key(ImGuiKey_PageUp);
    CHECK(w.session().scenario() != tried);
    w.key(ImGuiKey_PageDown);
    CHECK(w.session().scenario() == tried);
    w.key(ImGuiKey_2);
    CHECK(record_of(w).done);
    w.key(ImGuiKey_R);
    CHECK(w.session().scenario() == start);
    CHECK(lesson_of(w)->open());
    w.key(ImGuiKey_S);
    CHECK(record_of(w).skipped);
    CHECK(w.session().scenario().parallel.zero == 2);
}

TEST_CASE("frozen, the picture stays while the lesson goes on, and catches up afterwards")
{
    Alone one("bubble");
    Window& w = one.w;
    w.key(ImGuiKey_PageDown);
    w.key(ImGuiKey_S, ImGuiMod_Alt);
    const Scenario four = w.session().scenario();
    w.key(ImGuiKey_F);
    CHECK(test::says(w, "frozen"));
    const double t = w.playback().t;
    w.session().apply(Play{true});
    w.key(ImGuiKey_PageDown);
    w.key(ImGuiKey_S, ImGuiMod_Alt);
    w.frames(10);
    CHECK(lesson_of(w)->state.step == 2);
    CHECK(w.session().scenario() == four);
    CHECK(w.playback().t == t);
    w.key(ImGuiKey_F);
    CHECK(w.session().scenario().training.global_batch == 8);
}

TEST_CASE("a clicker needs one key: in presenter it reveals and goes on")
{
    Preferences p;
    p.presenter = true;
    Alone one("bubble", {1280, 720}, p);
    Window& w = one.w;
    int keys = 0;
    while (!lesson_of(w)->open() && keys < 30)
    {
        w.key(ImGuiKey_PageDown);
        ++keys;
    }
    // A key for each step before the task, and one more for each prediction.
    const auto& steps = lesson_of(w)->lesson().steps;
    const auto guesses =
        std::ranges::count_if(steps, [](const LessonStep& step) { return step.predict.has_value(); });
    CHECK(keys == std::ssize(steps) - 1 + guesses);
    w.key(ImGuiKey_Escape); // leaves the lesson, and only that
    CHECK(lesson_of(w) == nullptr);
    CHECK(w.session().preferences().presenter);
}

TEST_CASE("a lesson gives back scenario, undo, comparison and view of the user")
{
    Window w;
    w.session().set_course(course(), {});
    w.open("zero");
    Scenario own = w.session().scenario();
    own.parallel.zero = 3;
    w.session().apply(Command::compare);
    w.session().apply(ChangeScenario{own});
    w.session().apply(StartLesson{"ring"});
    CHECK(w.session().own_scenario() == own);
    CHECK(w.session().own_view() == "zero");
    CHECK(w.session().frame(0).before == nullptr);
    w.session().apply(StartLesson{"bubble"}); // from one lesson into another
    w.session().apply(LeaveLesson{});
    CHECK(w.session().scenario() == own);
    CHECK(w.session().view() == "zero");
    CHECK(w.session().frame(0).before != nullptr);
    w.session().apply(Command::undo);
    CHECK(w.session().scenario().parallel.zero == 1);
    w.session().apply(StartLesson{"nonsense"});
    CHECK(lesson_of(w) == nullptr);
    CHECK(w.session().frame(0).notice.text.find("nonsense") != std::string::npos);
}

TEST_CASE("the palette finds lessons, and escape closes it before it leaves the lesson")
{
    Alone one("ring");
    Window& w = one.w;
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.key(ImGuiKey_Escape);
    REQUIRE(lesson_of(w) != nullptr);
    w.key(ImGuiKey_K, ImGuiMod_Ctrl);
    w.frames(2);
    w.type("fill and drain");
    w.key(ImGuiKey_Enter);
    REQUIRE(lesson_of(w) != nullptr);
    CHECK(lesson_of(w)->lesson().id == "bubble");
}

TEST_CASE("a lesson at every text size and on a small window draws what a renderer can take")
{
    for (const float text : {0.75F, 1.75F, 2.5F})
    {
        for (const ImVec2 size : {ImVec2{1280, 800}, ImVec2{640, 480}})
        {
            Preferences p;
            p.text_scale = text;
            Alone one("bubble", size, p);
            const std::size_t steps = lesson_of(one.w)->lesson().steps.size();
            for (std::size_t i = 0; i < steps; ++i)
            {
                INFO("text " << text << ", " << size.x << " x " << size.y << ", step " << i + 1);
                one.w.frames(3);
                CHECK(one.w.drawn().fault == "");
                one.w.session().apply(LessonInput{LessonMove::skip, 0});
                one.w.frames(3);
                CHECK(one.w.drawn().fault == "");
                one.w.session().apply(LessonInput{LessonMove::next, 0});
            }
        }
    }
}

TEST_CASE("the first lesson gives nothing away: caption without figures, later parts covered after a reveal")
{
    Alone one("memory");
    Window& w = one.w;
    w.settle(600);
    INFO(test::text_of(w));
    CHECK(test::says(w, "needs \u2022\u2022"));
    CHECK_FALSE(test::says(w, "140 of"));
    CHECK(test::heard_in(w).find("140 of") == std::string::npos);
    CHECK(test::says(w, "16.1 GB"));           // the weights, of which the step speaks
    CHECK_FALSE(test::says(w, "8-bit AdamW")); // what that would leave tells the sum
    const auto show = [&]
    {
        w.key(ImGuiKey_S, ImGuiMod_Alt);
        w.settle(600);
        REQUIRE_FALSE(lesson_of(w)->pending());
    };
    w.key(ImGuiKey_PageDown);
    w.settle(600);
    CHECK_FALSE(test::says(w, "bytes per gradient"));
    show();
    CHECK(test::says(w, "11.1%")); // of the whole, as the weights
    // Momentum, variance and master weights are asked for next, each 22.2% of the whole.
    CHECK_FALSE(test::says(w, "bytes per first moment"));
    CHECK_FALSE(test::says(w, "22.2%"));
    CHECK(test::heard_in(w).find("bytes per first moment") == std::string::npos);
    CHECK(test::heard_in(w).find("22.2%") == std::string::npos);
    CHECK(test::heard_in(w).find("You said") == std::string::npos); // it was only shown
    CHECK_FALSE(test::says(w, "8-bit AdamW"));
    w.key(ImGuiKey_PageDown);
    w.settle(600);
    CHECK_FALSE(test::says(w, "22.2%"));
    show();
    CHECK(test::says(w, "22.2%"));
    CHECK(test::says(w, "8-bit AdamW"));
}

TEST_CASE("what a later step asks about a change is covered, and the picture keeps its figures")
{
    Alone one("schedules"); // its third step asks what 1F1B would change
    Window& w = one.w;
    w.settle(600);
    CHECK(test::says(w, "33.0 units"));
    CHECK(test::text_of(w).find("33.0 units") == test::text_of(w).rfind("33.0 units")); // GPipe's alone
    CHECK_FALSE(test::says(w, "filled: 1F1B"));
    CHECK_FALSE(test::says(w, "the same bubble")); // a word of the choice in the third step
}

TEST_CASE("a caption has no figures before a question about the picture that covers none of it")
{
    Alone one("ddp");
    Window& w = one.w;
    for (int step = 0; step < 2; ++step)
    {
        w.session().apply(LessonInput{LessonMove::skip, 0});
        w.session().apply(LessonInput{LessonMove::next, 0});
    }
    w.settle(5000);
    CHECK(test::says(w, "DDP sends \u2022\u2022 GB per rank"));
    CHECK(test::says(w, "8.95 ms exposed")); // above the picture
}
