// FSRS-6, the memory model that says when a question is due and how likely it is remembered on a day.
// Formulas in our own notation after open-spaced-repetition's py-fsrs 6.3 and fsrs-rs; their published test
// values are the tests. Nothing here fits weights.
//
// Where py-fsrs and fsrs-rs differ (Hard on the same day) fsrs-rs is followed. Days are those of the
// calendar, as in Anki; the app lets them begin at four in the morning. A card's state is never stored, so
// undo takes off the last review, and a change of retention or of the interview's day re-schedules
// everything. An interview's day caps every interval so that reviews fall on the days
// before it, never past it, and asks for 0.95 in the last week.
#pragma once

#include "core/base/names.h"
#include "core/base/result.h"
#include "core/study/progress/calendar.h"

#include <array>
#include <span>
#include <vector>

namespace ringside
{

// How it went. Hard is a pass: what was not known is Again.
enum class Grade : std::uint8_t
{
    again = 1,
    hard,
    good,
    easy
};
inline constexpr std::array kGrades{Grade::again, Grade::hard, Grade::good, Grade::easy};
template <>
inline constexpr auto kNamesOf<Grade> = names<Grade, 1>("Again", "Hard", "Good", "Easy");

inline constexpr std::size_t kFsrsWeights = 21;
using FsrsWeights = std::array<double, kFsrsWeights>;
// w0 to w20 of FSRS-6 since September 2025 (py-fsrs PR 133; the same in fsrs-rs).
inline constexpr FsrsWeights kFsrs6Defaults{0.212,  1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194,
                                            0.001,  1.8722, 0.1666, 0.796,  1.4835, 0.0614, 0.2629,
                                            1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542};

// What is remembered of one question.
struct FsrsMemory
{
    double stability = 0;  // [days] until recall has fallen to 0.9; 0.001 to 36500
    double difficulty = 0; // 1 to 10

    bool operator==(const FsrsMemory&) const = default;
};

// The numbers are review_state in the logs that FSRS optimizers read.
enum class CardPhase : std::uint8_t
{
    fresh, // never reviewed
    learning,
    review,
    relearning
};

// Where one question stands. Follows from its reviews; never stored.
struct Card
{
    FsrsMemory memory;
    CardPhase phase = CardPhase::fresh;
    int step = 0;              // of the learning or relearning steps
    std::int64_t first_ms = 0; // of the first review
    std::int64_t last_ms = 0;  // of the last review
    std::int64_t due_ms = 0;
    int reviews = 0;
    int lapses = 0;           // Again while in review
    int passes = 0;           // reviews that were not Again
    Grade last = Grade::good; // of the last review

    bool operator==(const Card&) const = default;
};

// Whether the last answer was right at the first try, unaided and in time: Good or Easy.
inline bool is_first_try(const Card& card)
{
    return card.phase != CardPhase::fresh && card.last >= Grade::good;
}

struct Schedule
{
    FsrsWeights weights = kFsrs6Defaults;
    double retention = 0.9;                  // recall at which a question is due, 0.7 to 0.99
    std::vector<double> learning_min{1, 10}; // [minutes], may be empty
    std::vector<double> relearning_min{10};
    std::int64_t longest_d = 36500;           // [days] the longest interval
    bool fuzz = true;                         // spreads intervals of 2.5 days and more by some percent
    std::uint64_t seed = 0;                   // of that
    std::int64_t offset_ms = 0;               // of the user's place, for whole days
    std::optional<std::int64_t> interview_ms; // nothing is scheduled past it; retention 0.95 in its last week

    bool operator==(const Schedule&) const = default;
};

inline constexpr double kLastWeekRetention = 0.95;

// Every weight outside the bounds of py-fsrs, by its index.
Issues check(const FsrsWeights& weights);
// 17 weights of FSRS-4.5 or 19 of FSRS-5, brought to 21 as fsrs-rs does it; 21 as they are. Checked.
Result<FsrsWeights> upgraded_weights(std::span<const double> weights);

// f, such that recall after S days is 0.9.
double recall_factor(const FsrsWeights& weights);
// Recall after this many days, 0 to 1: R(t, S) = (1 + f t / S)^-w20.
double recall_after(double days, double stability, const FsrsWeights& weights);
// Days until recall has fallen to `retention`; not rounded, no limits.
double interval_for(double stability, double retention, const FsrsWeights& weights);

FsrsMemory first_memory(Grade grade, const FsrsWeights& weights);
double next_difficulty(double difficulty, Grade grade, const FsrsWeights& weights);
// Stability after a pass at recall r; Hard's penalty and Easy's bonus come on top (1 for neither).
double stability_after_pass(FsrsMemory memory, double r, double factor, const FsrsWeights& weights);
double stability_after_lapse(FsrsMemory memory, double r, const FsrsWeights& weights);
// A second review within a day never lowers the stability of a pass, Hard included (fsrs-rs; py-fsrs PR 155).
double stability_same_day(double stability, Grade grade, const FsrsWeights& weights);
// The whole step: elapsed days are whole ones.
FsrsMemory next_memory(FsrsMemory memory, Grade grade, std::int64_t elapsed_d, const FsrsWeights& weights);

// The card after a review. Days are those of the calendar, as in Anki: from an evening to the next morning is
// one, while py-fsrs counts 24 hours; where reviews come when they are due, both are the same. `id` seeds the
// fuzz together with the schedule's seed and the count of reviews.
Card reviewed(const Card& card, Grade grade, std::int64_t now_ms, const Schedule& schedule,
              std::string_view id);
// Whether it was first seen on an earlier day.
inline bool is_settled(const Card& card, const StudyTime& now)
{
    return card.phase != CardPhase::fresh && now.day() > now.day_of(card.first_ms);
}

// Recall at a moment, from the days since the last review; nothing for a fresh card.
std::optional<double> recall_at(const Card& card, const StudyTime& time, const FsrsWeights& weights);
// Whether it should be asked: learning steps by the minute, reviews from the morning of their day on.
bool is_due(const Card& card, const StudyTime& now);

// 64 bits that are equal for equal texts on every machine (FNV-1a, then mixed).
std::uint64_t stable_hash(std::string_view text, std::uint64_t seed = 0);

} // namespace ringside
