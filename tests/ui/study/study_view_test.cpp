// The study view in a user's hands: what it says, what its keys and tiles start, and that words keep their
// place at every size.
#include "tests/core/study/study_clock.h"
#include "tests/source_path.h"
#include "tests/ui/words.h"
#include <fmt/format.h>

#include "ui/shell/frame/study_frame.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::kMonday;
using test::kMorning;
using test::says;
using test::Window;

namespace
{

// A controller with families on every topic, `each` of them, and whatever was done.
std::unique_ptr<StudyController> controller_of(int each, Progress progress = {}, std::int64_t now = kMorning)
{
    Issues issues;
    StudyController::Setup s = study_setup(test::source_path("assets"), test::presets(), issues);
    s.asking = nullptr; // families of the test's own
    s.families.clear();
    for (const StudyTopic& topic : study_topics())
    {
        constexpr std::array kKinds{"recall", "numeric", "design"};
        for (int i = 0; i < each; ++i)
        {
            const std::string id = fmt::format("{}-{}", topic.id, i);
            s.families.push_back(
                test::family(id, std::string(topic.id), kKinds[static_cast<std::size_t>(i) % 3]));
        }
    }
    s.questions = "/usr/share/ringside/questions";
    s.clock = [now] { return StudyTime{now, 0}; };
    s.progress = std::move(progress);
    return std::make_unique<StudyController>(std::move(s));
}

// Learnt on the days before, topic by topic: the later in the list, the longer ago.
Progress learnt()
{
    Progress p;
    std::int64_t days = 1;
    for (const StudyTopic& topic : study_topics())
    {
        for (const std::int64_t at : {std::int64_t{0}, 10 * kMinuteMs})
        {
            apply(p, AddReview{test::review(fmt::format("{}-0", topic.id), kMorning - days * kDayMs + at,
                                            Grade::good)});
        }
        ++days;
    }
    std::stable_sort(p.reviews.begin(), p.reviews.end(),
                     [](const Review& a, const Review& b) { return a.time_ms < b.time_ms; });
    p.interview = kMonday + 14;
    p.plan_start = kMonday - 7;
    return p;
}

Progress leech()
{
    Progress p = learnt();
    for (std::int64_t i = 0; i < 7; ++i)
    {
        apply(p, AddReview{test::review("zero-0", kMorning - kDayMs + i * 30 * kMinuteMs, Grade::good)});
        apply(p, AddReview{test::review("zero-0", kMorning - kDayMs + i * 30 * kMinuteMs + 1, Grade::again)});
    }
    return p;
}

const StudyFrame& study(Window& w)
{
    return *w.session().frame(0).study;
}

const DrillSession& drill(Window& w)
{
    REQUIRE(std::holds_alternative<DrillSession>(*study(w).session));
    return std::get<DrillSession>(*study(w).session);
}

void seat(Window& w, std::unique_ptr<StudyController> controller)
{
    w.session().set_study(std::move(controller));
    w.open("study");
    w.frames(3);
}

} // namespace

TEST_CASE("the view asks its question with the interview's date, and says what is weakest")
{
    Window w;
    seat(w, controller_of(3, learnt()));
    CHECK(says(w, "Study plan until 16 Nov"));
    CHECK(says(w, "Weakest: Long context, Serving, Alignment."));
    CHECK(says(w, "Day 7 of the plan: "));
    CHECK(says(w, "interview in 14 d"));
    CHECK(says(w, "72 questions"));
    CHECK(says(w, "16 Nov"));
    CHECK(says(w, "Next 14 days"));
    CHECK_FALSE(says(w, "MFU 4")); // no costs of a scenario
    CHECK(w.seek("compare") == nullptr);
}

TEST_CASE("with nothing studied yet it offers new questions and no dates")
{
    Window w;
    seat(w, controller_of(2));
    CHECK(says(w, "Study plan"));
    CHECK(says(w, "Nothing was asked yet: 48 new questions, the easy ones first."));
    CHECK(says(w, "7 to go"));
    CHECK(says(w, "Your first 10 minutes"));
    CHECK(w.seek("topic zero") == nullptr); // nothing to say yet
    w.key(ImGuiKey_W);
    w.frames(2);
    CHECK(w.seek("topic zero") != nullptr);
    CHECK(says(w, "new"));
    w.key(ImGuiKey_D);
    CHECK(drill(w).items.size() == 8); // nothing seen: new ones
}

TEST_CASE("tiles too low for two lines say their topics")
{
    Preferences p;
    p.text_scale = 2.5F;
    Window w({1280, 800}, p);
    seat(w, controller_of(2));
    w.key(ImGuiKey_W);
    w.frames(2);
    CHECK(says(w, "Long context"));
    CHECK(says(w, "New questions"));
}

TEST_CASE("the one next thing of the first day is the plan's first questions, and Enter begins them")
{
    Window w;
    seat(w, controller_of(2));
    const PlanTask* task = nullptr;
    for (const PlanTask& each : study(w).mission.mission->tasks)
    {
        task = task == nullptr && each.kind == TaskKind::drill ? &each : task;
    }
    REQUIRE(task != nullptr);
    CHECK(says(w, "Calculate the model state of a 7B"));
    w.key(ImGuiKey_Enter);
    CHECK(drill(w).task == task->id);
}

TEST_CASE("without questions it says where it looked, and its keys start nothing")
{
    Window w;
    seat(w, controller_of(0));
    CHECK(says(w, "No questions found in /usr/share/ringside/questions"));
    w.key(ImGuiKey_R);
    w.key(ImGuiKey_D);
    CHECK_FALSE(is_running(*study(w).session));
}

TEST_CASE("a window without a controller of its own has an empty one")
{
    Window w;
    w.open("study");
    w.frames(3);
    CHECK(says(w, "No questions found in the assets"));
}

TEST_CASE("R reviews what is due, D drills the three weakest topics, 8 the quick eight")
{
    Window w;
    seat(w, controller_of(3, learnt()));
    w.key(ImGuiKey_R);
    CHECK(w.session().view() == "drill");
    CHECK(drill(w).items.size() > 8);
    w.open("study");
    CHECK(says(w, "A drill is in progress: 0 of "));
    w.key(ImGuiKey_E);
    CHECK_FALSE(is_running(*study(w).session));
    w.key(ImGuiKey_D);
    std::set<std::string> asked;
    for (const DrillItem& item : drill(w).items)
    {
        asked.insert(item.card.family);
    }
    CHECK(asked == std::set<std::string>{"long-context-0", "serving-0", "alignment-0"});
    w.open("study");
    w.click("End it");
    w.key(ImGuiKey_8); // none of these families is one of the eight
    CHECK(says(w, "Nothing to ask there"));
}

TEST_CASE("a tile drills its topic, what was seen first")
{
    Window w;
    seat(w, controller_of(3, learnt()));
    w.click("topic ep/moe");
    REQUIRE(drill(w).items.size() == 3);
    CHECK(drill(w).items[0].card.family == "ep/moe-0");
    CHECK(drill(w).items[1].card.fresh);
}

TEST_CASE("hovering a tile tells its three kinds apart")
{
    Window w;
    seat(w, controller_of(3, learnt()));
    w.hover("topic zero");
    CHECK(says(w, "recall"));
    CHECK(says(w, "1 of 1 seen, 1 right at the first try, recall"));
    CHECK(says(w, "click to drill it"));
}

TEST_CASE("M asks how long and starts a mock")
{
    Window w;
    seat(w, controller_of(3, learnt()));
    w.key(ImGuiKey_M);
    w.frames(2);
    w.click("study mock 45");
    REQUIRE(std::holds_alternative<MockSession>(*study(w).session));
    CHECK(std::get<MockSession>(*study(w).session).minutes == 45);
    CHECK(w.session().view() == "mock");
    w.open("study");
    CHECK(says(w, "A mock interview is in progress: 0 of "));
}

TEST_CASE("the interview's day is set, moved and taken away")
{
    Window w;
    seat(w, controller_of(2));
    w.key(ImGuiKey_I);
    w.frames(2);
    w.click("study interview 14");
    CHECK(study(w).progress->interview == kMonday + 14);
    CHECK(says(w, "Study plan until 16 Nov"));
    w.click("interview"); // the panel's button
    w.frames(2);
    w.click("study interview earlier");
    w.frames(3);
    w.click("study interview earlier");
    CHECK(study(w).progress->interview == kMonday + 12);
    w.frames(3);
    w.click("study interview none");
    CHECK_FALSE(study(w).progress->interview);
}

TEST_CASE("W and the switch turn the tiles from what was right to the predicted recall")
{
    Window w;
    seat(w, controller_of(3, learnt()));
    CHECK(says(w, "16 Nov"));
    w.key(ImGuiKey_W);
    w.settle();
    const auto first = test::text_of(w);
    w.key(ImGuiKey_W);
    w.settle();
    CHECK(first != test::text_of(w));
    w.click("recall on 16 Nov");
    w.settle();
    CHECK(first == test::text_of(w));
}

TEST_CASE("skills are judged from 1 to 5, one after the other")
{
    Window w;
    seat(w, controller_of(1));
    w.key(ImGuiKey_A);
    w.frames(2);
    w.click("study skills ring-all-reduce");
    w.frames(3);
    w.click("study skills 4");
    w.frames(3);
    CHECK(skill_score(*study(w).progress, "ring-all-reduce") == 4);
    CHECK(says(w, "4 can derive"));
    CHECK(says(w, "Skills: 4.0 of 5"));
}

TEST_CASE("the plan's tasks are ticked and started")
{
    Window w;
    seat(w, controller_of(2));
    w.key(ImGuiKey_P);
    w.frames(2);
    CHECK(says(w, "First round"));
    w.click("tick day0-ring");
    w.frames(2);
    CHECK(study(w).mission.done == 1);
    w.click("task day0-zero");
    w.frames(2);
    CHECK(drill(w).task == "day0-zero");
    w.open("study");
    w.key(ImGuiKey_E);
    w.key(ImGuiKey_P);
    w.frames(2);
    w.click("task day0-views");
    w.frames(2);
    CHECK(w.session().view() == "overview");
}

TEST_CASE("a leech is told of and suspended only when the user says so")
{
    Window w;
    seat(w, controller_of(1, leech()));
    CHECK(says(w, "1 leech (L)"));
    w.key(ImGuiKey_L);
    w.frames(2);
    CHECK(says(w, "forgotten 7 times"));
    w.click("study leeches zero-0");
    CHECK(study(w).progress->suspended.contains("zero-0"));
    CHECK_FALSE(says(w, "leech (L)"));
}

TEST_CASE("X exports to a file and imports from the clipboard")
{
    Window w;
    seat(w, controller_of(1, learnt()));
    std::vector<SaveText> saved;
    w.session().to_file = [&](const SaveText& file)
    {
        saved.push_back(file);
        return "Saved " + file.name;
    };
    w.key(ImGuiKey_X);
    w.frames(2);
    w.click("study files history");
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].name == "ringside-history-2026-11-02.csv");
    CHECK(says(w, "Saved ringside-history-2026-11-02.csv"));
    w.clipboard = "front\tback\n";
    w.key(ImGuiKey_X);
    w.frames(2);
    w.click("study files import");
    w.frames(2);
    CHECK(study(w).progress->personal.empty()); // it asks first
    w.click("study files take");
    CHECK(study(w).progress->personal.size() == 1);
    CHECK(says(w, "1 card added"));
    w.key(ImGuiKey_X);
    w.frames(2);
    w.click("study files remove " + std::to_string(study(w).imports.front().time_ms));
    CHECK(study(w).progress->personal.empty());
}

TEST_CASE("keys of the scenario do nothing that would not be seen")
{
    Window w;
    const Scenario before = w.session().scenario();
    seat(w, controller_of(1, learnt()));
    w.key(ImGuiKey_B);
    CHECK(w.session().frame(0).before == nullptr);
    w.key(ImGuiKey_0, ImGuiMod_Ctrl);
    w.key(ImGuiKey_Z, ImGuiMod_Ctrl);
    CHECK(w.session().scenario() == before);
}

TEST_CASE("no words of the study view are cut off or lie on others at any size")
{
    const std::vector<std::pair<const char*, int>> cases{
        {"learnt", 3}, {"many", 40}, {"new", 2}, {"empty", 0}};
    for (const auto& [name, each] : cases)
    {
        for (const test::Setup& setup : test::setups())
        {
            INFO(name << ", " << setup.says());
            Window w(setup.window);
            w.session().set_preferences(setup.preferences());
            seat(w, controller_of(each, each >= 3 ? learnt() : Progress()));
            test::check_words(w);
        }
    }
}

TEST_CASE("what went wrong counts as wrong, is weakest, and is practised again")
{
    Progress progress;
    const auto answered = [&](const std::string& card, Grade grade)
    {
        Review review;
        review.card = card;
        review.time_ms = kMorning - 60'000;
        review.rating = grade;
        progress.reviews.push_back(review);
    };
    answered("collectives-0", Grade::again);
    answered("memory-0", Grade::good);
    answered("memory-1", Grade::good);
    Window w;
    seat(w, controller_of(3, progress));
    const auto& heat = study(w).heat;
    const auto topic = [&](std::string_view id)
    { return *std::ranges::find_if(heat, [&](const HeatTopic& t) { return t.topic->id == id; }); };
    CHECK(topic("collectives").all.right == 0);
    CHECK(topic("collectives").all.seen == 1);
    CHECK(topic("memory").all.right == 2);
    CHECK(heat[study(w).weakest.front()].topic->id == "collectives");
    CHECK(says(w, "2 of 3 questions seen were right at the first try"));
    CHECK(says(w, "seen")); // Recall is a matter of tomorrow.
    w.key(ImGuiKey_F);
    w.frames(2);
    REQUIRE(drill(w).items.size() == 1);
    CHECK(drill(w).items[0].card.family == "collectives-0");
}
