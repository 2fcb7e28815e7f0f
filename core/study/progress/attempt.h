// From an answer to a grade, and what each grade would do. The checking of answers is elsewhere: here it is
// already right or wrong.
//
// An automatic grade may be lowered, never raised. What was right only on a second try is Hard, like one
// with a hint.
#pragma once

#include "core/study/progress/progress.h"

namespace ringside
{

// How a question went so far.
struct Attempt
{
    bool correct = false;
    bool shown = false;  // the solution was, which the third hint is, too
    bool looked = false; // at the question's view, which holds the numbers
    int wrong = 0;       // tries that were
    int hints = 0;       // opened, 0 to 3
    double seconds = 0;
    double target_s = 0; // 0: no time is asked for

    bool operator==(const Attempt&) const = default;
};

inline constexpr int kMostTries = 3;
inline constexpr int kMostHints = 3;      // direction, insight, solution
inline constexpr double kFastShare = 0.4; // of the target, for Easy

// Again: wrong after all tries, or shown. Hard: right with a hint, after a wrong try, or past the target.
// Good: right. Easy: right within 40% of the target.
Grade automatic_grade(const Attempt& attempt);
// Why a grade is out of reach, in a few words; empty when it is not: "a hint was used".
std::string_view why_not(Grade grade, const Attempt& attempt);

// Spoken and design answers are graded by the points that were made: below half No Hire (Again), below 80%
// Lean (Hard), else Strong (Good). Easy is the user's own "I could teach it", and needs every point.
Grade rubric_grade(int ticked, int points, bool could_teach);
std::string_view rubric_name(Grade grade); // "Lean"

// What a grade would do.
struct GradePreview
{
    Grade grade = Grade::good;
    Card after;
    std::int64_t wait_ms = 0;         // until it is asked again
    std::optional<double> on_the_day; // recall on the interview's day
    std::vector<double> recall;       // after 0, 1, 2 ... days
};
// For all four; `days` more than 0 asks for the curve.
std::array<GradePreview, 4> previews(const Card& card, std::string_view family, std::int64_t now_ms,
                                     const Schedule& schedule, int days = 0);

} // namespace ringside
