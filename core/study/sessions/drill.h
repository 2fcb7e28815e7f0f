// A drill: one question after another, tries and hints, a grade each, and what came of it. A value; every
// input comes with its time, so that a test can play a week in a moment. Checking answers is not done here.
#pragma once

#include "core/study/progress/attempt.h"
#include "core/study/sessions/deck.h"

namespace ringside
{

// An answer and what the check said about it.
struct AnswerInput
{
    std::string text;
    bool correct = false;
    std::string mistake; // id of the known slip; empty when there is none
    bool last = false;   // no other answer is left to try
};
// Points made of a spoken or designed answer, by the user's own judgement.
struct RubricInput
{
    int ticked = 0;
    int points = 1;
    bool could_teach = false;
};
struct GradeInput
{
    Grade grade;
};
struct NoteInput
{
    std::string text;
};
enum class DrillKey : std::uint8_t
{
    hint,        // the next of three; the third is the solution
    reveal,      // the answer, after saying one's own; the user grades
    show,        // the solution, as one does not know
    look,        // at the question's view
    skip,        // on to the next, without a grade
    new_numbers, // the same question, drawn again; tries and hints stay used
    accept,      // the grade that the check gave
    undo,        // the last grade
    flag,        // or no longer
    pause,       // or go on
    leave        // what is graded is kept
};
using DrillInput = std::variant<AnswerInput, RubricInput, GradeInput, NoteInput, DrillKey>;

enum class DrillStage : std::uint8_t
{
    asking,
    grading, // the solution is on show
    over
};
enum class Pip : std::uint8_t
{
    waiting,
    current,
    passed,
    failed,
    skipped
};

struct DrillItem
{
    DeckCard card;
    Attempt attempt;     // seconds are filled in when it ends
    std::string answer;  // the last one
    std::string mistake; // of the last wrong one
    std::optional<Grade> automatic;
    std::optional<Grade> given;
    bool skipped = false;
    bool revealed = false; // said first, then compared: the user grades
    bool repeat = false;   // was Again earlier in this session

    bool operator==(const DrillItem&) const = default;
};

// What is needed to take the last grade back.
struct DrillUndo
{
    std::size_t at = 0;
    int streak = 0;
    int best_streak = 0;
    std::optional<std::size_t> repeat; // where it was put in again

    bool operator==(const DrillUndo&) const = default;
};

struct DrillSession
{
    std::vector<DrillItem> items;
    std::size_t at = 0; // the item on show
    DrillStage stage = DrillStage::asking;
    std::uint64_t seed = 0;
    std::int64_t started_ms = 0;
    std::int64_t ended_ms = 0;
    std::int64_t limit_ms = 0; // after which no further question is asked; 0: none
    std::int64_t shown_ms = 0; // since when the item is on show, less its pauses
    std::optional<std::int64_t> paused_ms;
    int streak = 0; // passed in a row; a skip leaves it
    int best_streak = 0;
    std::set<std::string> flags; // as far as this session knows
    std::vector<DrillUndo> undo;
    std::string task; // of the plan, that this drill does; may be empty

    bool operator==(const DrillSession&) const = default;
    const DrillItem* current() const { return stage == DrillStage::over ? nullptr : &items[at]; }
};

// The best grade that may be given: of what was checked the automatic one; what was said is the user's own
// to judge, whatever points they ticked, yet help keeps its price.
Grade best_grade(const DrillItem& item);

// An empty deck is over at once.
DrillSession start_drill(const std::vector<DeckCard>& deck, const DeckRequest& request,
                         const Progress& progress, std::int64_t now_ms);
// What an input changes in the progress; inputs that do not fit the stage change nothing.
std::vector<ProgressChange> apply(DrillSession& session, const DrillInput& input, std::int64_t now_ms);
// [s] the question on show has taken.
double seconds_on_show(const DrillSession& session, std::int64_t now_ms);
std::vector<Pip> pips(const DrillSession& session);

struct Improved
{
    std::string family;
    double before_d = 0; // [days] stability before the session; 0: never seen
    double after_d = 0;
};
struct EndCard
{
    int answered = 0;
    int passed = 0;
    int best_streak = 0;
    double minutes = 0;
    std::vector<Improved> improved; // most first
    std::vector<std::string> wrong; // families whose last grade here was Again
    const StudyTopic* weakest = nullptr;
    std::optional<KindGroup> weakest_kind;
    double weakest_recall = 0;
    std::optional<std::int64_t> next_due_ms;
};
// After the session's changes were applied to the progress.
EndCard end_card(const DrillSession& session, const StudyState& study);

} // namespace ringside
