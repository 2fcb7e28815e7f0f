// A mock interview: a mix of questions against the clock, no verdict before the end, a scorecard after it.
// A value; every input comes with its time.
#pragma once

#include "core/study/sessions/drill.h"

namespace ringside
{

inline constexpr std::array kMockMinutes{5, 12, 45, 60};

struct MockItem
{
    DeckCard card;
    std::string topic;
    KindGroup group = KindGroup::recall;
    std::optional<std::size_t> follows; // the item it follows up, with other numbers
    std::int64_t spent_ms = 0;
    bool visited = false;
    bool skipped = false; // as it was left last
    std::string answer;
    std::optional<bool> correct; // what the check said; nothing for spoken and designed answers
    std::string mistake;
    std::optional<Grade> grade; // once it is judged

    bool operator==(const MockItem&) const = default;
    bool answered() const { return !answer.empty() || correct.has_value(); }
};

inline double seconds_of(const MockItem& item)
{
    return static_cast<double>(item.spent_ms) / 1000;
}

enum class MockStage : std::uint8_t
{
    running,
    judging, // verdicts are on show; spoken and designed answers are still graded by the user
    over
};

// An answer that nobody checked, for spoken and designed questions.
struct FreeAnswerInput
{
    std::string text;
};
struct GoToInput
{
    std::size_t item = 0;
};
// The grade of one answer that no check could judge.
struct JudgeInput
{
    std::size_t item = 0;
    RubricInput points;
};
enum class MockKey : std::uint8_t
{
    tick, // time goes by
    skip, // on to the next one open; this one can be come back to
    next, // whatever its state
    previous,
    pause, // or go on
    finish // early; while judging: done
};
using MockInput = std::variant<AnswerInput, FreeAnswerInput, GoToInput, JudgeInput, MockKey>;

struct MockSession
{
    std::vector<MockItem> items;
    std::size_t at = 0;
    MockStage stage = MockStage::running;
    int minutes = 12;
    std::uint64_t seed = 0;
    std::int64_t started_ms = 0;
    std::int64_t ended_ms = 0;
    std::int64_t elapsed_ms = 0; // of the clock, up to the last input
    std::int64_t seen_ms = 0;    // when that was
    bool paused = false;
    std::string task; // of the plan, that this mock does; may be empty

    bool operator==(const MockSession&) const = default;
    std::int64_t left_ms() const { return std::max<std::int64_t>(0, minutes * kMinuteMs - elapsed_ms); }
};

// Five questions are two recall, two calculation and one design, as far as there are such; some are followed
// up. None takes longer than 60% of the interview, and questions are drawn until the shortest does not fit.
// At least one.
MockSession start_mock(const StudyState& study, int minutes, std::uint64_t seed);
// When the last input ends it, the reviews of what was answered.
std::vector<ProgressChange> apply(MockSession& session, const MockInput& input, std::int64_t now_ms);

// What a user reads beside a question: "right", "wrong", "Lean", "skipped", "not reached".
std::string verdict_of(const MockItem& item);
// Markdown: result, a row a question with its time and verdict, results by kind.
std::string scorecard(const MockSession& session, std::span<const FamilyInfo> families,
                      std::int64_t offset_ms = 0);

} // namespace ringside
