// What a user has done: the log of reviews, which is the truth, and what they set or wrote. Where every
// question stands follows from the log by replay. A value: saving it is the app's.
#pragma once

#include "core/study/progress/fsrs.h"

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ringside
{

struct Review
{
    std::string card;         // id of the question's family
    std::int64_t time_ms = 0; // UTC
    Grade rating = Grade::good;
    CardPhase state = CardPhase::fresh; // of the card before this review; AddReview fills it in
    std::int64_t duration_ms = 0;
    std::uint64_t seed = 0; // that drew the numbers
    int variant = 0;
    int hints = 0;                  // opened, 0 to 3
    std::string mistake;            // id of the known slip; empty when there was none
    std::string answer;             // as typed
    std::optional<Grade> automatic; // what the check said; the user may have lowered it

    bool operator==(const Review&) const = default;
};

struct SkillScore
{
    std::string skill; // id, "model-memory"
    int score = 1;     // 1 cannot, 2 vaguely, 3 can explain, 4 can derive, 5 can teach
    std::int64_t time_ms = 0;

    bool operator==(const SkillScore&) const = default;
};

// A guess of a lesson's step, before the truth was shown.
struct LessonGuess
{
    std::string lesson;
    std::string step;
    double guess = 0;
    double truth = 0;
    std::string unit; // of both
    std::int64_t time_ms = 0;

    bool operator==(const LessonGuess&) const = default;
};

struct TaskDone
{
    std::string task; // id in the plan
    std::int64_t time_ms = 0;

    bool operator==(const TaskDone&) const = default;
};

// A card the user wrote or imported; asked by its text, graded by the user.
struct PersonalCard
{
    std::string id; // "personal:" and a guid
    std::string front;
    std::string back;
    std::vector<std::string> tags;
    std::int64_t imported_ms = 0; // when the import came that it is of; 0: none that is known

    bool operator==(const PersonalCard&) const = default;
};

struct Progress
{
    std::vector<Review> reviews; // in the order in which they happened
    std::set<std::string> flags; // families
    std::set<std::string> suspended;
    std::map<std::string, std::string> notes; // by family
    std::vector<SkillScore> skills;
    std::vector<TaskDone> tasks;
    std::vector<LessonGuess> guesses;
    std::map<std::string, std::string> lesson_places; // lesson to step
    std::vector<PersonalCard> personal;
    std::optional<StudyDay> interview;
    std::optional<StudyDay> plan_start; // nothing: the day of the first review
    double retention = 0.9;             // 0.7 to 0.99
    FsrsWeights weights = kFsrs6Defaults;

    bool operator==(const Progress&) const = default;
};

// The name of a variant's card: its family's for the first, "state/2" for the third.
std::string card_name(std::string_view family, int variant);
// Every question that was reviewed at least once, by card_name(): each variant is remembered by itself.
using Cards = std::map<std::string, Card, std::less<>>;

Schedule schedule_of(const Progress& progress, std::int64_t offset_ms = 0);
Cards replay(const std::vector<Review>& reviews, const Schedule& schedule);
// One question of the log, by card_name().
Card card_in(const std::vector<Review>& reviews, std::string_view name, const Schedule& schedule);
// A card nobody has seen, for names that are not among the cards.
const Card& card_of(const Cards& cards, std::string_view name);
// Removes the last review and returns it; nothing when there is none.
std::optional<Review> undo_last(Progress& progress);
// Adds reviews that are not there yet (same card, same time) where their time belongs; returns how many.
std::size_t merge(Progress& progress, std::vector<Review> reviews);

// What sessions, lessons and views ask to be kept. Applied by the owner of the progress.
struct AddReview
{
    Review review;
};
struct UndoReview
{
};
struct SetFlag
{
    std::string family;
    bool on;
};
struct SetNote
{
    std::string family;
    std::string text; // empty: no note
};
struct SetSuspended
{
    std::string family;
    bool on;
};
struct SetTask
{
    TaskDone task;
    bool done;
};
struct SetPlace
{
    std::string lesson;
    std::string step;
};
struct SetInterview
{
    std::optional<StudyDay> day;
};
struct StartPlan
{
    StudyDay day;
};
using ProgressChange = std::variant<AddReview, UndoReview, SetFlag, SetNote, SetSuspended, SetTask, SetPlace,
                                    SetInterview, StartPlan, SkillScore, LessonGuess, PersonalCard>;
void apply(Progress& progress, const ProgressChange& change);

// JSON, schema ringside.progress/1: one entry a line, the reviews last, so that a file cut short loses the
// newest reviews only.
std::string to_text(const Progress& progress);

struct ProgressRead
{
    Progress progress;    // everything that could be read
    Issues issues;        // every fault, by entry; empty when the file was read whole
    bool whole = true;    // nothing was left out, so that it may be saved over
    bool foreign = false; // no progress file at all, or of a later version
};
// Reads what it can, of whatever text. A file that is no JSON is searched for whole entries.
ProgressRead read_progress(std::string_view text);

} // namespace ringside
