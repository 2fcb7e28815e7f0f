// Families and a fake clock for the tests of the study mode.
#pragma once

#include "core/study/sessions/deck.h"

namespace ringside::test
{

// Monday, 2 November 2026, nine in the morning UTC.
inline constexpr StudyDay kMonday = 20759;
inline constexpr std::int64_t kMorning = kMonday * kDayMs + 9 * 60 * kMinuteMs;

inline FamilyInfo family(std::string id, std::string topic, std::string kind = "numeric",
                         std::string difficulty = "easy", std::vector<std::string> questions = {},
                         double target_s = 60)
{
    return {std::move(id),         std::move(topic),     "model-state", std::move(kind),
            std::move(difficulty), std::move(questions), target_s};
}

inline Review review(std::string card, std::int64_t time_ms, Grade rating)
{
    Review r;
    r.card = std::move(card);
    r.time_ms = time_ms;
    r.rating = rating;
    r.duration_ms = 20'000;
    return r;
}

// Progress and what follows from it, at a moment.
struct Controller
{
    std::vector<FamilyInfo> families;
    Progress progress;
    StudyTime now{kMorning, 0};
    bool fuzz = false;
    Cards cards = {};

    void add(const std::string& card, std::int64_t time_ms, Grade rating)
    {
        apply(progress, AddReview{review(card, time_ms, rating)});
    }
    StudyState view()
    {
        Schedule s = schedule_of(progress, now.offset_ms);
        s.fuzz = fuzz;
        cards = replay(progress.reviews, s);
        return {families, progress, cards, now};
    }
};

} // namespace ringside::test
