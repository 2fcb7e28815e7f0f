#include "core/study/progress/attempt.h"

#include <algorithm>

namespace ringside
{

Grade automatic_grade(const Attempt& a)
{
    for (const Grade grade : {Grade::easy, Grade::good, Grade::hard})
    {
        if (why_not(grade, a).empty())
        {
            return grade;
        }
    }
    return Grade::again;
}

std::string_view why_not(Grade grade, const Attempt& a)
{
    if (grade == Grade::again)
    {
        return "";
    }
    if (a.shown || a.hints >= kMostHints)
    {
        return "the solution was shown";
    }
    if (!a.correct)
    {
        return "not right yet";
    }
    if (grade == Grade::hard)
    {
        return "";
    }
    if (a.hints > 0)
    {
        return "a hint was used";
    }
    if (a.looked)
    {
        return "the view was looked at";
    }
    if (a.wrong > 0)
    {
        return "a try was wrong";
    }
    if (a.target_s > 0 && a.seconds > a.target_s)
    {
        return "past the target time";
    }
    const bool fast = a.target_s > 0 && a.seconds < kFastShare * a.target_s;
    return grade == Grade::easy && !fast ? "not fast enough" : "";
}

Grade rubric_grade(int ticked, int points, bool could_teach)
{
    if (2 * ticked < points || ticked == 0)
    {
        return Grade::again;
    }
    if (10 * ticked < 8 * points)
    {
        return Grade::hard;
    }
    return could_teach && ticked >= points ? Grade::easy : Grade::good;
}

std::string_view rubric_name(Grade grade)
{
    constexpr std::array<std::string_view, 4> kNames{"No Hire", "Lean", "Strong", "I could teach it"};
    return kNames[static_cast<std::size_t>(grade) - 1];
}

std::array<GradePreview, 4> previews(const Card& card, std::string_view family, std::int64_t now_ms,
                                     const Schedule& schedule, int days)
{
    std::array<GradePreview, 4> all;
    for (std::size_t i = 0; i < kGrades.size(); ++i)
    {
        GradePreview& p = all[i];
        p.grade = kGrades[i];
        p.after = reviewed(card, p.grade, now_ms, schedule, family);
        p.wait_ms = p.after.due_ms - now_ms;
        if (schedule.interview_ms && *schedule.interview_ms >= now_ms)
        {
            p.on_the_day = recall_at(p.after, {*schedule.interview_ms, schedule.offset_ms}, schedule.weights);
        }
        for (int day = 0; days > 0 && day <= days; ++day)
        {
            p.recall.push_back(recall_after(day, p.after.memory.stability, schedule.weights));
        }
    }
    return all;
}

} // namespace ringside
