// Mock interviews and spoken answers in a user's hands, with a clock that the test moves.
#include "tests/ui/study/study_room.h"
#include <fmt/format.h>

#include "core/base/place.h"
#include "ui/shell/frame/study_frame.h"

#include <algorithm>

using namespace ringside;
using test::Room;

namespace
{

// Answers the question on show as its kind wants it, right where the question knows what is.
void answer_right(Room& room)
{
    const Question& q = room.question();
    if (q.kind == QuestionKind::numeric)
    {
        room.answer(q.key_text);
        return;
    }
    for (std::size_t i = 0; i < q.choices.size(); ++i)
    {
        if (q.choices[i].right)
        {
            room.digit(i + 1);
            break;
        }
    }
    room.key(ImGuiKey_Enter);
}

} // namespace

TEST_CASE("a mock of five minutes: no verdict before the end, skipped and come back to, then a scorecard")
{
    Room room;
    room.w.open("mock");
    room.key(ImGuiKey_1);
    REQUIRE(room.mock().minutes == 5);
    const std::size_t count = room.mock().items.size();
    REQUIRE(count >= 2);
    CHECK(room.says("Verdicts come at the end."));
    CHECK(room.says("05:00"));
    room.wait(20);
    CHECK(room.says("04:40"));
    CHECK(room.mock().items[0].spent_ms == 20'000);
    room.key(ImGuiKey_Tab);
    CHECK(room.mock().items[0].skipped);
    CHECK(room.mock().at == 1);
    for (std::size_t i = 0; i < count && !room.mock().items[room.mock().at].answered(); ++i)
    {
        room.wait(5);
        answer_right(room);
        CHECK_FALSE(room.says("Right."));
        CHECK_FALSE(room.says("Not yet."));
        CHECK_FALSE(room.says("Worked solution"));
    }
    CHECK(room.mock().items[0].answered());
    room.wait(600);
    CHECK(room.mock().stage == MockStage::judging);
    CHECK(room.mock().left_ms() == 0);
    for (std::size_t i = 0; i <= 2 * count && room.mock().stage == MockStage::judging; ++i)
    {
        room.key(ImGuiKey_Space);
        room.key(ImGuiKey_Enter);
    }
    REQUIRE(room.mock().stage == MockStage::over);
    CHECK(room.progress().reviews.size() == count);
    CHECK(room.says("Scorecard"));
    CHECK(room.says(fmt::format("of {}", count)));
    std::vector<SaveText> saved;
    room.w.session().to_file = [&](const SaveText& file)
    {
        saved.push_back(file);
        return "Saved " + file.name;
    };
    room.key(ImGuiKey_X);
    REQUIRE(saved.size() == 1);
    CHECK(saved[0].text.starts_with("# Mock interview, 5 minutes"));
    room.key(ImGuiKey_Escape);
    CHECK(room.w.session().view() == "study");
}

TEST_CASE("a mock offers the units of a number, too: Alt and a digit puts one behind it")
{
    Room room;
    room.w.open("mock");
    room.key(ImGuiKey_3);
    const std::size_t count = room.mock().items.size();
    std::size_t at = 0;
    for (; at < count && units_to_offer(room.question()).size() < 2; ++at)
    {
        room.key(ImGuiKey_Tab);
    }
    REQUIRE(at < count);
    const std::string second = units_to_offer(room.question())[1];
    room.w.type("12");
    room.key(ImGuiKey_2, ImGuiMod_Alt);
    room.key(ImGuiKey_Enter);
    CHECK(room.mock().items[at].answered());
    CHECK(room.mock().items[at].answer == "12 " + second);
}

TEST_CASE("a mock that is left waits with its clock")
{
    Room room;
    room.does(StartMock{12, ""});
    room.wait(30);
    room.key(ImGuiKey_Escape);
    CHECK(room.w.session().view() == "study");
    CHECK(room.mock().paused);
    room.wait(1000);
    room.w.open("mock");
    CHECK(room.says("Paused"));
    CHECK(room.mock().elapsed_ms == 30'000);
    room.key(ImGuiKey_T);
    room.wait(10);
    CHECK(room.mock().elapsed_ms == 40'000);
}

TEST_CASE("follow-ups ask what the family wrote, with its numbers")
{
    Room room;
    bool written = false;
    for (int start = 0; start < 40 && !written; ++start)
    {
        room.now += 1000;
        room.does(StartMock{60, ""});
        for (const MockItem& item : room.mock().items)
        {
            written = written || (item.follows && !item.card.set.empty());
            CHECK((!item.follows || !item.card.lead.empty()));
        }
    }
    CHECK(written);
}

TEST_CASE("a spoken answer: the clock, the points, the grade")
{
    Room room;
    room.w.open("spoken");
    room.key(ImGuiKey_Enter);
    CHECK(room.w.session().view() == "spoken");
    CHECK(room.spoken().stage == SpokenStage::ready);
    const std::size_t points = room.spoken().points.size();
    CHECK(points >= 2);
    room.key(ImGuiKey_Space);
    room.wait(25);
    CHECK(room.says("35"));
    CHECK_FALSE(room.says(room.question().answer.substr(0, 24)));
    room.wait(60);
    CHECK(room.spoken().stage == SpokenStage::ticking);
    for (std::size_t i = 0; i < points; ++i)
    {
        room.key(ImGuiKey_Space);
    }
    CHECK(room.says("Good: Strong"));
    room.key(ImGuiKey_T);
    CHECK(room.says("Easy: I could teach it"));
    room.key(ImGuiKey_Enter);
    REQUIRE(room.progress().reviews.size() == 1);
    CHECK(room.progress().reviews[0].rating == Grade::easy);
    CHECK(room.progress().reviews[0].duration_ms == 60'000);
    CHECK(room.says("Another one"));
    const std::string seen = std::string(view_of(room.question().view));
    CHECK(room.says("Show me") == !seen.empty());
    if (!seen.empty())
    {
        room.key(ImGuiKey_S); // the picture of what was spoken of
        CHECK(room.w.session().view() == seen);
        room.key(ImGuiKey_Backspace);
        CHECK(room.w.session().view() == "spoken");
    }
    room.key(ImGuiKey_Escape);
    CHECK(room.w.session().view() == "study");
}

TEST_CASE("a spoken answer is a mode of the mock interview, under its tab")
{
    Room room;
    room.w.open("mock");
    room.key(ImGuiKey_5);
    CHECK(room.w.session().view() == "spoken");
    CHECK(room.says("Spoken answer"));
    CHECK(room.w.seek("Spoken answer") == nullptr);
    room.key(ImGuiKey_M);
    CHECK(room.w.session().view() == "mock");
}

TEST_CASE("a clock on show asks for a frame a second, everything else for none")
{
    Room room;
    CHECK_FALSE(room.w.session().ticking());
    room.ask("model-state/easy");
    CHECK(room.w.session().ticking());
    room.w.open("memory");
    CHECK_FALSE(room.w.session().ticking());
    room.w.open("drill");
    room.key(ImGuiKey_T, ImGuiMod_Alt);
    CHECK_FALSE(room.w.session().ticking());
}

TEST_CASE("no words of mock interviews and spoken answers are cut off or lie on others at any size")
{
    const auto look = [](Room& room)
    {
        room.w.frames(4);
        test::check_words(room.w);
    };
    for (const test::Setup& setup : test::setups())
    {
        INFO(setup.says());
        Room room(setup.window);
        room.w.session().set_preferences(setup.preferences());
        for (const char* view : {"mock", "spoken"})
        {
            room.w.open(view);
            look(room);
        }
        room.does(StartMock{45, ""});
        const std::size_t count = room.mock().items.size();
        for (std::size_t i = 0; i < count; ++i)
        {
            look(room);
            room.does(AnswerQuestion{"1"});
            room.does(StudyStep{MockInput{MockKey::skip}});
        }
        room.wait(4000);
        look(room);
        for (std::size_t i = 0; i < count; ++i)
        {
            room.does(StudyStep{MockInput{JudgeInput{i, {1, 1, false}}}});
        }
        room.does(StudyStep{MockInput{MockKey::finish}});
        look(room);
        room.does(StartSpoken{});
        look(room);
        room.does(StudyStep{SpokenInput{SpokenKey::start}});
        room.does(StudyStep{SpokenInput{SpokenKey::stop}});
        look(room);
        room.does(StudyStep{SpokenInput{SpokenKey::accept}});
        look(room);
    }
}
