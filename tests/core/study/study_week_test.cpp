// A week of study with a fake clock: reviews each day, a slip of the finger undone, a lapse, a file cut
// short, an interview. The due days were worked out by a second implementation of the published formulas.
#include "tests/core/study/study_clock.h"

#include "core/study/sessions/session.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::kMonday;
using test::kMorning;

namespace
{

struct Week
{
    test::Controller controller;
    DrillSession drill;

    // Sits down on this day of the week, so many minutes after nine; how many questions wait.
    std::size_t sit_down(int day, int minutes = 0)
    {
        controller.now.ms = kMorning + day * kDayMs + minutes * kMinuteMs;
        drill = start_drill(make_deck(controller.view(), {}), {}, controller.progress, controller.now.ms);
        return drill.items.size();
    }
    void does(const DrillInput& input, int seconds)
    {
        controller.now.ms += seconds * 1000;
        for (const ProgressChange& change : apply(drill, input, controller.now.ms))
        {
            apply(controller.progress, change);
        }
    }
    void answers(int seconds)
    {
        does(AnswerInput{"1", true, ""}, seconds);
        does(DrillKey::accept, 0);
    }
    void gives_up()
    {
        does(DrillKey::show, 30);
        does(DrillKey::accept, 0);
    }
    // The day of the week on which it is due.
    StudyDay due(const char* family)
    {
        const StudyState view = controller.view();
        return view.now.day_of(card_of(view.cards, family).due_ms) - kMonday;
    }
};

} // namespace

TEST_CASE("a scripted week of study has exactly these due days")
{
    Week w;
    w.controller.families = {test::family("a", "memory"), test::family("b", "zero"), test::family("c", "tp")};

    REQUIRE(w.sit_down(0) == 3); // Monday: all new
    w.answers(30);
    w.answers(30);
    w.gives_up();
    REQUIRE(w.sit_down(0, 15) == 3); // the learning steps
    w.answers(30);
    w.answers(10); // under 40% of its minute: Easy
    w.answers(30);
    REQUIRE(w.sit_down(0, 30) == 1); // c, which was Again, has one more
    w.answers(30);
    CHECK(w.due("a") == 2);
    CHECK(w.due("b") == 4);
    CHECK(w.due("c") == 1);

    REQUIRE(w.sit_down(1) == 1); // Tuesday: c; the wrong key, undone
    w.does(AnswerInput{"1", true, ""}, 30);
    w.does(GradeInput{Grade::again}, 0);
    w.does(DrillKey::undo, 5);
    w.does(GradeInput{Grade::good}, 1);
    CHECK(w.due("c") == 3);
    CHECK(card_of(w.controller.cards, "c").lapses == 0);

    REQUIRE(w.sit_down(2) == 1); // Wednesday: a is forgotten
    w.gives_up();
    CHECK(card_of(w.controller.view().cards, "a").lapses == 1);
    CHECK(w.sit_down(2, 5) == 0); // ten minutes have not passed
    REQUIRE(w.sit_down(2, 15) == 1);
    w.answers(30);
    CHECK(w.due("a") == 3);

    REQUIRE(w.sit_down(3) == 2); // Thursday: the file is cut short, the last review is gone
    w.answers(30);
    w.answers(30);
    CHECK(w.due("c") == 10);
    const std::string file = to_text(w.controller.progress);
    const ProgressRead read = read_progress(std::string_view(file).substr(0, file.size() - 40));
    CHECK_FALSE(read.whole);
    CHECK(read.progress.reviews.size() + 1 == w.controller.progress.reviews.size());
    w.controller.progress = read.progress;
    CHECK(w.due("a") == 5);
    CHECK(w.due("c") == 3);
    REQUIRE(w.sit_down(3, 10) == 1);
    w.answers(30);
    CHECK(w.due("c") == 10);

    apply(w.controller.progress, SetInterview{kMonday + 12}); // Friday: it is on Saturday next week
    REQUIRE(w.sit_down(4) == 1);
    w.answers(30);
    CHECK(w.due("b") == 11); // the day before; 21 days without the interview

    REQUIRE(w.sit_down(5) == 1); // Saturday: past the target time
    w.answers(61);
    CHECK(w.controller.progress.reviews.back().rating == Grade::hard);
    CHECK(w.due("a") == 10);
    CHECK(w.sit_down(6) == 0); // Sunday: nothing

    REQUIRE(w.sit_down(10) ==
            2); // in the last week recall is held at 0.95: 4 days for a, and only two are left
    w.answers(30);
    w.answers(30);
    CHECK(w.due("a") == 11);
    CHECK(w.due("c") == 11);
    CHECK(w.controller.progress.reviews.size() == 16);
}

TEST_CASE("the same week ends alike when it is read back from its log in another tool's words")
{
    Week w;
    w.controller.families = {test::family("a", "memory")};
    w.sit_down(0);
    w.answers(30);
    w.sit_down(0, 15);
    w.answers(30);
    w.sit_down(2);
    w.answers(30);
    const Cards cards = replay(w.controller.progress.reviews, schedule_of(w.controller.progress));
    Progress other;
    merge(other, w.controller.progress.reviews);
    CHECK(replay(other.reviews, schedule_of(other)) == cards);
}
