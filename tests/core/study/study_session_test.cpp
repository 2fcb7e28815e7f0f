// Drills, mock interviews and spoken answers, played with a fake clock.
#include "tests/core/study/study_clock.h"

#include "core/study/sessions/session.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include <algorithm>

using namespace ringside;
using test::kMorning;

namespace
{

// A user at a controller with a drill: every input takes some seconds, and its changes are kept.
struct Student
{
    test::Controller controller;
    DrillSession drill;

    explicit Student(int families)
    {
        for (int i = 0; i < families; ++i)
        {
            const std::string topic(study_topics()[static_cast<std::size_t>(i) % 24].id);
            controller.families.push_back(test::family("f" + std::to_string(i), topic));
        }
    }
    void start(DeckRequest request = {})
    {
        drill = start_drill(make_deck(controller.view(), request), request, controller.progress,
                            controller.now.ms);
    }
    void does(const DrillInput& input, int seconds = 30)
    {
        controller.now.ms += seconds * 1000;
        for (const ProgressChange& change : apply(drill, input, controller.now.ms))
        {
            apply(controller.progress, change);
        }
    }
    void right(int seconds = 30)
    {
        does(AnswerInput{"1", true, ""}, seconds);
        does(DrillKey::accept, 0);
    }
    void again()
    {
        does(DrillKey::show);
        does(DrillKey::accept, 0);
    }
    const Review& last() const { return controller.progress.reviews.back(); }
};

} // namespace

TEST_CASE("a right answer is graded by its time, and what was typed is logged")
{
    Student s(4);
    DeckRequest request;
    request.seed = 9;
    s.start(request);
    const DeckCard card = s.drill.current()->card;
    s.does(AnswerInput{"1.12 TB", true, ""}, 30);
    CHECK(s.drill.stage == DrillStage::grading);
    CHECK(s.drill.current()->automatic == Grade::good);
    s.does(DrillKey::accept, 5);
    CHECK(s.last().card == card.family);
    CHECK(s.last().rating == Grade::good);
    CHECK(s.last().automatic == Grade::good);
    CHECK(s.last().duration_ms == 30'000);
    CHECK(s.last().seed == card.seed);
    CHECK(s.last().answer == "1.12 TB");
    CHECK(s.last().time_ms == kMorning + 35'000);
    s.right(10); // under 40% of the minute
    CHECK(s.last().rating == Grade::easy);
    s.right(61);
    CHECK(s.last().rating == Grade::hard);
    CHECK(s.drill.streak == 3);
}

TEST_CASE("a grade can be lowered and not raised")
{
    Student s(3);
    s.start();
    s.does(AnswerInput{"1", true, ""}, 30);
    s.does(GradeInput{Grade::easy}); // nothing is booked as another grade
    CHECK(s.drill.stage == DrillStage::grading);
    s.does(GradeInput{Grade::good});
    CHECK(s.last().rating == Grade::good);
    s.does(AnswerInput{"1", true, ""}, 30);
    s.does(GradeInput{Grade::hard});
    CHECK(s.last().rating == Grade::hard);
    CHECK(s.last().automatic == Grade::good);
}

TEST_CASE("three wrong tries are Again; right on the second is Hard, with the slip in the log")
{
    Student s(3);
    s.start();
    s.does(AnswerInput{"2", false, "forgot-gradients"});
    CHECK(s.drill.stage == DrillStage::asking);
    s.does(AnswerInput{"1", true, ""}, 1);
    CHECK(s.drill.current()->automatic == Grade::hard);
    s.does(DrillKey::accept);
    CHECK(s.last().mistake == "forgot-gradients");
    for (int i = 0; i < 3; ++i)
    {
        s.does(AnswerInput{"x", false, ""}, 1);
    }
    CHECK(s.drill.stage == DrillStage::grading);
    s.does(GradeInput{Grade::again});
    CHECK(s.last().rating == Grade::again);
    CHECK(s.drill.streak == 0);
    CHECK(s.drill.best_streak == 1);
}

TEST_CASE("hints cost a grade, and the third is the solution")
{
    Student s(3);
    s.start();
    s.does(DrillKey::hint, 1);
    s.does(AnswerInput{"1", true, ""}, 1);
    CHECK(s.drill.current()->automatic == Grade::hard);
    s.does(DrillKey::accept);
    CHECK(s.last().hints == 1);
    s.does(DrillKey::hint, 1);
    s.does(DrillKey::hint, 1);
    CHECK(s.drill.stage == DrillStage::asking);
    s.does(DrillKey::hint, 1);
    CHECK(s.drill.stage == DrillStage::grading);
    CHECK(s.drill.current()->automatic == Grade::again);
}

TEST_CASE("what is said and revealed is graded by the user; points suggest a grade, hints limit it")
{
    Student s(4);
    s.start();
    s.does(DrillKey::reveal);
    CHECK_FALSE(s.drill.current()->automatic);
    s.does(DrillKey::accept); // there is nothing to accept
    CHECK(s.drill.stage == DrillStage::grading);
    s.does(GradeInput{Grade::easy});
    CHECK(s.last().rating == Grade::easy);
    CHECK_FALSE(s.last().automatic);
    s.does(RubricInput{3, 5, false});
    CHECK(s.drill.current()->automatic == Grade::hard);
    s.does(RubricInput{5, 5, true}, 0); // ticked on
    CHECK(s.drill.current()->automatic == Grade::easy);
    s.does(DrillKey::accept);
    CHECK(s.last().rating == Grade::easy);
    s.does(DrillKey::hint);
    s.does(DrillKey::reveal);
    s.does(GradeInput{Grade::good}); // help was used
    CHECK(s.drill.stage == DrillStage::grading);
    s.does(GradeInput{Grade::hard});
    CHECK(s.last().rating == Grade::hard);
    s.does(DrillKey::show);
    s.does(RubricInput{5, 5, true}); // too late
    s.does(GradeInput{Grade::good});
    CHECK(s.drill.stage == DrillStage::grading);
    s.does(GradeInput{Grade::again});
    CHECK(s.last().rating == Grade::again);
}

TEST_CASE("Again comes back three questions later with new numbers, never right after itself")
{
    Student s(6);
    s.start();
    const DeckCard first = s.drill.current()->card;
    s.again();
    REQUIRE(s.drill.items.size() == 7);
    CHECK(s.drill.items[4].card.family == first.family);
    CHECK(s.drill.items[4].card.seed != first.seed);
    CHECK(s.drill.items[4].repeat);
    while (s.drill.stage != DrillStage::over)
    {
        s.again();
    }
    for (std::size_t i = 1; i < s.drill.items.size(); ++i)
    {
        CHECK(s.drill.items[i].card.family != s.drill.items[i - 1].card.family);
    }
    std::map<std::string, int> asked;
    for (const Review& r : s.controller.progress.reviews)
    {
        ++asked[r.card];
    }
    for (const auto& [family, times] : asked)
    {
        CHECK(times <= 3);
    }
    Student lone(1);
    lone.start();
    lone.again();
    CHECK(lone.drill.stage == DrillStage::over);
}

TEST_CASE("undo takes the last grade back, at the end of the session too")
{
    Student s(3);
    s.start();
    s.right();
    const DrillSession before = s.drill;
    const Progress kept = s.controller.progress;
    s.again();
    CHECK(s.drill.items.size() == 4);
    s.does(DrillKey::undo, 0);
    CHECK(s.controller.progress == kept);
    CHECK(s.drill.items.size() == 3);
    CHECK(s.drill.at == before.at);
    CHECK(s.drill.streak == 1);
    CHECK(s.drill.stage == DrillStage::grading);
    s.does(DrillKey::accept);
    CHECK(s.last().rating == Grade::again);
    s.right();
    s.right();
    CHECK(s.drill.stage == DrillStage::over);
    s.does(DrillKey::undo);
    CHECK(s.drill.stage == DrillStage::grading);
    CHECK(s.controller.progress.reviews.size() == 3);
    for (int i = 0; i < 5; ++i)
    {
        s.does(DrillKey::undo);
    }
    CHECK(s.controller.progress.reviews.empty());
}

TEST_CASE("skip goes on without a grade and leaves the streak; flags and notes are kept")
{
    Student s(4);
    s.start();
    s.right();
    const std::string skipped = s.drill.current()->card.family;
    s.does(DrillKey::flag);
    s.does(NoteInput{"read again"});
    s.does(DrillKey::skip);
    s.right();
    CHECK(s.drill.streak == 2);
    CHECK(s.controller.progress.reviews.size() == 2);
    CHECK(s.controller.progress.flags.contains(skipped));
    CHECK(s.controller.progress.notes.at(skipped) == "read again");
    CHECK(pips(s.drill) == std::vector<Pip>{Pip::passed, Pip::skipped, Pip::passed, Pip::current});
}

TEST_CASE("new numbers keep tries and hints used; a pause does not count")
{
    Student s(2);
    s.start();
    const std::uint64_t seed = s.drill.current()->card.seed;
    s.does(AnswerInput{"2", false, ""}, 1);
    s.does(DrillKey::new_numbers, 1);
    CHECK(s.drill.current()->card.seed != seed);
    CHECK(s.drill.current()->attempt.wrong == 1);
    s.does(DrillKey::pause, 1);
    CHECK(seconds_on_show(s.drill, s.controller.now.ms + 500'000) == 3);
    s.does(DrillKey::pause, 1000);
    s.does(AnswerInput{"1", true, ""}, 2);
    CHECK(s.drill.current()->attempt.seconds == 5);
}

TEST_CASE("a drill ends at its time once the question on show is graded, and when it is left")
{
    Student s(8);
    DeckRequest request;
    request.minutes = 8;
    s.start(request);
    REQUIRE(s.drill.items.size() == 8);
    s.right(470);
    s.does(DrillKey::pause, 1);
    s.does(DrillKey::pause, 600); // the pause does not eat the time
    CHECK(s.drill.stage == DrillStage::asking);
    s.right(30);
    CHECK(s.drill.stage == DrillStage::over);
    CHECK(s.controller.progress.reviews.size() == 2);
    Student left(8);
    left.start();
    left.right();
    left.does(DrillKey::leave);
    CHECK(left.drill.stage == DrillStage::over);
    CHECK(left.controller.progress.reviews.size() == 1);
    left.does(AnswerInput{"1", true, ""});
    CHECK(left.controller.progress.reviews.size() == 1);
    Student none(0);
    none.start();
    CHECK(none.drill.stage == DrillStage::over);
    CHECK(none.drill.current() == nullptr);
}

TEST_CASE("the end card: what improved, the weakest cell, what is due next")
{
    Student s(3);
    s.controller.add("f1", kMorning - 4 * kDayMs, Grade::good);
    s.controller.add("f1", kMorning - 4 * kDayMs + 600'000, Grade::good);
    s.start();
    REQUIRE(s.drill.current()->card.family == "f1");
    s.right();
    s.right(10);
    s.again();
    REQUIRE(s.drill.stage == DrillStage::over);
    const EndCard end = end_card(s.drill, s.controller.view());
    CHECK(end.answered == 3);
    CHECK(end.passed == 2);
    CHECK(end.best_streak == 2);
    CHECK_THAT(end.minutes, Catch::Matchers::WithinRel(70.0 / 60, 1e-9));
    REQUIRE(end.improved.size() == 3);
    CHECK(end.improved[0].family == "f1");
    CHECK_THAT(end.improved[0].before_d, Catch::Matchers::WithinRel(2.3065, 1e-9));
    CHECK(end.improved[0].after_d == card_of(s.controller.cards, "f1").memory.stability);
    CHECK(end.improved[1].before_d == 0);
    REQUIRE(end.next_due_ms);
    CHECK(*end.next_due_ms == s.controller.now.ms + kMinuteMs); // the Again, a minute on
    REQUIRE(end.weakest != nullptr);
    CHECK(end.weakest_recall == 1); // all were asked just now
}

TEST_CASE("a mock interview mixes kinds, fills its minutes, and is the same for the same seed")
{
    test::Controller controller;
    for (int i = 0; i < 60; ++i)
    {
        const char* kind = i % 3 == 0 ? "recall" : i % 3 == 1 ? "numeric" : "design";
        const std::string topic(study_topics()[static_cast<std::size_t>(i) % 24].id);
        controller.families.push_back(
            test::family("f" + std::to_string(i), topic, kind, "easy", {}, i % 3 == 2 ? 240 : 60));
    }
    for (const int minutes : kMockMinutes)
    {
        const MockSession s = start_mock(controller.view(), minutes, 42);
        CHECK(s == start_mock(controller.view(), minutes, 42));
        CHECK_FALSE(s.items == start_mock(controller.view(), minutes, 43).items);
        double seconds = 0;
        for (const MockItem& item : s.items)
        {
            seconds += item.card.target_s;
            CHECK((!item.follows || s.items[*item.follows].card.family == item.card.family));
        }
        CHECK(seconds <= minutes * 60);
        CHECK(seconds >= minutes * 60 - 240);
    }
    const MockSession long_one = start_mock(controller.view(), 60, 42);
    std::array<int, kKindGroups> kinds{};
    int follow_ups = 0;
    for (const MockItem& item : long_one.items)
    {
        ++kinds[static_cast<std::size_t>(item.group)];
        follow_ups += item.follows ? 1 : 0;
    }
    CHECK(kinds[0] > 5);
    CHECK(kinds[1] > 5);
    CHECK(kinds[2] > 3);
    CHECK(follow_ups > 0);
    test::Controller empty;
    CHECK(start_mock(empty.view(), 12, 1).stage == MockStage::over);
}

TEST_CASE("a mock says nothing before its end, and then gives times, verdicts and reviews")
{
    test::Controller controller;
    controller.families = {test::family("r", "zero", "recall", "easy"),
                           test::family("n", "memory", "numeric", "easy"),
                           test::family("m", "tp", "recall", "easy")};
    MockSession s = start_mock(controller.view(), 5, 1);
    REQUIRE(s.items.size() >= 3);
    std::int64_t now = kMorning;
    const auto go = [&](const MockInput& input, int seconds)
    {
        now += seconds * 1000;
        return apply(s, input, now);
    };
    const std::size_t first = s.at;
    CHECK(go(MockKey::skip, 10).empty());
    CHECK(s.items[first].skipped);
    CHECK(go(AnswerInput{"1 TB", false, "forgot-gradients"}, 50).empty());
    CHECK_FALSE(s.items[1].grade);
    CHECK(go(FreeAnswerInput{"columns, then rows"}, 20).empty());
    go(GoToInput{first}, 5);
    go(MockKey::pause, 1);
    go(MockKey::tick, 500);
    CHECK(s.paused);
    CHECK(s.elapsed_ms == 86'000);
    go(AnswerInput{"12", true, ""}, 10); // goes on with it
    CHECK_FALSE(s.items[first].skipped);
    CHECK(s.items[first].spent_ms == 16'000); // 10 before, 6 to the pause: it was the only one open
    CHECK(go(MockKey::finish, 4).empty());
    CHECK(s.stage == MockStage::judging);
    CHECK(s.items[first].grade == Grade::easy);
    CHECK(s.items[1].grade == Grade::again);
    CHECK_FALSE(s.items[2].grade);
    CHECK(verdict_of(s.items[2]) == "not judged");
    CHECK(go(MockKey::finish, 1).empty()); // one is not judged yet
    CHECK(s.stage == MockStage::judging);
    go(JudgeInput{1, {5, 5, true}}, 1); // what was checked stays
    go(JudgeInput{99, {5, 5, true}}, 1);
    go(JudgeInput{2, {3, 5, false}}, 1);
    CHECK(s.items[1].grade == Grade::again);
    const auto changes = go(MockKey::finish, 1);
    CHECK(s.stage == MockStage::over);
    REQUIRE(changes.size() == 3);
    for (const ProgressChange& change : changes)
    {
        apply(controller.progress, change);
    }
    CHECK(controller.progress.reviews[1].mistake == "forgot-gradients");
    CHECK(controller.progress.reviews[2].rating == Grade::hard);
    CHECK(controller.progress.reviews[0].time_ms < controller.progress.reviews[2].time_ms);
    const std::string card = scorecard(s, controller.families);
    CHECK(card.starts_with("# Mock interview, 5 minutes, 2026-11-02\n\nPassed 2 of "));
    CHECK(card.find("| 0:50 | 1:00 | wrong (forgot-gradients) | 1 TB |") != std::string::npos);
    CHECK(card.find("| Lean |") != std::string::npos);
    CHECK(card.find("To go over: ") != std::string::npos);
}

TEST_CASE("the bell ends a mock; what comes after it does not count")
{
    test::Controller controller;
    controller.families = {test::family("a", "zero", "recall"), test::family("b", "tp", "recall")};
    MockSession s = start_mock(controller.view(), 5, 1);
    apply(s, AnswerInput{"x", true, ""}, kMorning + 60'000);
    CHECK(apply(s, AnswerInput{"y", true, ""}, kMorning + 301'000).empty());
    CHECK(s.stage == MockStage::judging);
    CHECK(s.elapsed_ms == 300'000);
    CHECK(s.items[1].spent_ms == 240'000);
    CHECK_FALSE(s.items[1].answered());
    CHECK(apply(s, MockKey::finish, kMorning + 302'000).size() == 1);
    CHECK(verdict_of(s.items[1]) == "skipped");
}

TEST_CASE("a spoken answer: the clock, the points, the grade")
{
    SpokenSession s = start_spoken({"tp-aloud", 1, false, 60}, 5);
    apply(s, TickPoint{0}, kMorning); // not yet
    CHECK(s.points == std::vector<bool>(5, false));
    apply(s, SpokenKey::start, kMorning);
    apply(s, SpokenKey::tick, kMorning + 59'000);
    CHECK(s.stage == SpokenStage::speaking);
    apply(s, SpokenKey::tick, kMorning + 61'000);
    CHECK(s.stage == SpokenStage::ticking);
    CHECK(s.spoken_ms == 60'000);
    for (const std::size_t i : {0U, 1U, 2U, 3U, 9U})
    {
        apply(s, TickPoint{i}, kMorning + 70'000);
    }
    CHECK(s.grade() == Grade::good);
    apply(s, TickPoint{3}, kMorning + 70'000);
    CHECK(s.grade() == Grade::hard);
    const auto changes = apply(s, SpokenKey::accept, kMorning + 80'000);
    REQUIRE(changes.size() == 1);
    const Review& r = std::get<AddReview>(changes[0]).review;
    CHECK(r.card == "tp-aloud");
    CHECK(r.rating == Grade::hard);
    CHECK(r.duration_ms == 60'000);
    CHECK(s.stage == SpokenStage::over);
    SpokenSession left = start_spoken({"x", 1, false, 0}, 0);
    CHECK(left.points.size() == 1);
    CHECK(apply(left, SpokenKey::leave, kMorning).empty());
    CHECK(left.stage == SpokenStage::over);
}

TEST_CASE("a session takes its own inputs and no others")
{
    Student s(2);
    s.start();
    StudySession session = s.drill;
    CHECK(is_running(session));
    CHECK(apply(session, MockInput{MockKey::finish}, kMorning).empty());
    CHECK(apply(session, DrillInput{DrillKey::leave}, kMorning).empty());
    CHECK_FALSE(is_running(session));
    CHECK_FALSE(is_running(StudySession{}));
    StudySession none;
    CHECK(apply(none, DrillInput{DrillKey::show}, kMorning).empty());
}
