// A round under way, as text and back.
#include "tests/core/study/study_clock.h"

#include "core/study/sessions/session_json.h"

#include <catch2/catch_test_macros.hpp>

using namespace ringside;
using test::kMorning;

namespace
{

DrillSession drill_of_two()
{
    DrillSession drill;
    DrillItem first;
    first.card = {"a", 7, true, 30, 2, {{"G", 8.0}, {"gpu", std::string("h100")}}, "Now with 512 GPUs."};
    first.attempt = {false, false, true, 2, 1, 12.5, 30};
    first.answer = "12 GB \xE2\x80\x9Cor so\xE2\x80\x9D";
    first.mistake = "bits-as-bytes";
    DrillItem second;
    second.card.family = "b";
    second.given = Grade::hard;
    second.automatic = Grade::good;
    drill.items = {second, first};
    drill.at = 1;
    drill.seed = 0xFFFF'FFFF'FFFF'FFFF;
    drill.started_ms = kMorning;
    drill.shown_ms = kMorning + 60'000;
    drill.limit_ms = 20 * kMinuteMs;
    drill.streak = drill.best_streak = 1;
    drill.task = "day0";
    return drill;
}

} // namespace

TEST_CASE("a drill comes back as it was, paused since it was kept")
{
    const DrillSession drill = drill_of_two();
    const std::string text = to_text(StudySession(drill), kMorning + 90'000);
    const auto back = session_from_text(text, kMorning + kDayMs);
    REQUIRE(back);
    DrillSession expected = drill;
    expected.paused_ms = kMorning + 90'000;
    CHECK(std::get<DrillSession>(*back) == expected);
    CHECK(seconds_on_show(std::get<DrillSession>(*back), kMorning + kDayMs) == 30);
}

TEST_CASE("a mock interview comes back as it was, with its clock stopped")
{
    MockSession mock;
    mock.items = {MockItem{.card = {"a", 1}, .topic = "zero", .group = KindGroup::numeric, .spent_ms = 5000},
                  MockItem{.card = {"a", 2}, .topic = "zero", .follows = 0, .answer = "4", .correct = true}};
    mock.items[0].visited = true;
    mock.at = 1;
    mock.minutes = 5;
    mock.elapsed_ms = 61'000;
    mock.seen_ms = mock.started_ms = kMorning;
    const auto back = session_from_text(to_text(StudySession(mock), kMorning), kMorning + kDayMs);
    REQUIRE(back);
    MockSession expected = mock;
    expected.paused = true;
    expected.seen_ms = kMorning + kDayMs;
    CHECK(std::get<MockSession>(*back) == expected);
}

TEST_CASE("what is over or spoken is not kept, and what is no round is refused with words")
{
    CHECK(to_text(StudySession(), kMorning).empty());
    CHECK(to_text(StudySession(SpokenSession()), kMorning).empty());
    DrillSession over = drill_of_two();
    over.stage = DrillStage::over;
    CHECK(to_text(StudySession(over), kMorning).empty());
    for (
        const char* text :
        {"", "[]", R"({"schema": "ringside.study-session/1", "time_ms": 1})",
         R"({"schema": "ringside.study-session/1", "time_ms": 1, "drill": {"items": []}})",
         R"({"schema": "ringside.study-session/1", "time_ms": 1, "drill": {"items": [{"card": {"family": "a"}, "attempt": {}}], "at": 1}})"})
    {
        const auto read = session_from_text(text, kMorning);
        REQUIRE_FALSE(read);
        CHECK_FALSE(read.issues().front().message.empty());
    }
}

TEST_CASE("where the clock is set, no time of a round goes by")
{
    StudySession session = drill_of_two();
    const double before = seconds_on_show(std::get<DrillSession>(session), kMorning + 90'000);
    const std::int64_t years = 11 * 365 * kDayMs;
    shift(session, years);
    CHECK(seconds_on_show(std::get<DrillSession>(session), kMorning + 90'000 + years) == before);
}
