// From a review to the next due moment: learning steps, intervals, fuzz, and the interview's limit.
#include "core/study/progress/fsrs.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// What a schedule asks for at one moment.
struct Limits
{
    double retention;
    std::int64_t longest_d;
};

Limits limits_at(const Schedule& schedule, std::int64_t now_ms)
{
    Limits limits{schedule.retention, schedule.longest_d};
    if (!schedule.interview_ms || *schedule.interview_ms < now_ms)
    {
        return limits;
    }
    // The last review is on the day before, so that the hour of the day does not carry it past the interview.
    const StudyTime now{now_ms, schedule.offset_ms};
    const std::int64_t left_d = now.day_of(*schedule.interview_ms) - now.day();
    limits.longest_d = std::clamp<std::int64_t>(left_d - 1, 1, schedule.longest_d);
    limits.retention = *schedule.interview_ms - now_ms < 7 * kDayMs
                           ? std::max(limits.retention, kLastWeekRetention)
                           : limits.retention;
    return limits;
}

// py-fsrs: a day, and a share of each stretch of the interval.
double fuzz_range(double interval)
{
    const auto stretch = [interval](double from, double to)
    { return std::max(0.0, std::min(interval, to) - from); };
    return 1 + 0.15 * stretch(2.5, 7) + 0.10 * stretch(7, 20) + 0.05 * stretch(20, 1e9);
}

std::int64_t fuzzed(std::int64_t interval, std::int64_t longest, std::uint64_t random)
{
    if (interval < 3)
    {
        return interval;
    }
    const auto middle = static_cast<double>(interval);
    const std::int64_t most = std::min<std::int64_t>(std::llround(middle + fuzz_range(middle)), longest);
    const std::int64_t least =
        std::min<std::int64_t>(std::max<std::int64_t>(2, std::llround(middle - fuzz_range(middle))), most);
    return least + static_cast<std::int64_t>(random % static_cast<std::uint64_t>(most - least + 1));
}

// [ms] until the next review of a card that has left its steps.
std::int64_t review_wait(const Card& card, std::int64_t now_ms, const Schedule& schedule, std::string_view id)
{
    const Limits limits = limits_at(schedule, now_ms);
    const double days = interval_for(card.memory.stability, limits.retention, schedule.weights);
    const auto longest = static_cast<double>(limits.longest_d);
    std::int64_t interval = std::llround(std::clamp(days, 1.0, longest));
    if (schedule.fuzz)
    {
        const auto count = static_cast<std::uint64_t>(card.reviews);
        interval = fuzzed(interval, limits.longest_d, stable_hash(id, schedule.seed ^ (count << 32U)));
    }
    return interval * kDayMs;
}

std::int64_t minutes(double value)
{
    return std::llround(value * static_cast<double>(kMinuteMs));
}

// Hard repeats a step; at the first one it waits half way to the next, or half as long again.
double hard_minutes(const std::vector<double>& steps, std::size_t step)
{
    if (step > 0)
    {
        return steps[step];
    }
    return steps.size() == 1 ? steps[0] * 1.5 : (steps[0] + steps[1]) / 2;
}

void graduate(Card& card, std::int64_t now_ms, const Schedule& schedule, std::string_view id)
{
    card.phase = CardPhase::review;
    card.step = 0;
    card.due_ms = now_ms + review_wait(card, now_ms, schedule, id);
}

// Learning and relearning run the same way through their steps.
void walk_steps(Card& card, Grade grade, std::int64_t now_ms, const Schedule& schedule, std::string_view id)
{
    const auto& steps = card.phase == CardPhase::relearning ? schedule.relearning_min : schedule.learning_min;
    const auto step = static_cast<std::size_t>(card.step);
    const bool past = steps.empty() || (step >= steps.size() && grade != Grade::again);
    const bool last = grade == Grade::easy || (grade == Grade::good && step + 1 >= steps.size());
    if (past || last)
    {
        graduate(card, now_ms, schedule, id);
        return;
    }
    const std::size_t next = grade == Grade::again ? 0 : grade == Grade::good ? step + 1 : step;
    card.step = static_cast<int>(next);
    card.due_ms = now_ms + minutes(grade == Grade::hard ? hard_minutes(steps, next) : steps[next]);
}

// On the eve and on the day no whole day is left, and a learning step may be too long: a minute before it at
// the latest, or at once.
Card due_before_interview(Card card, std::int64_t now_ms, const Schedule& schedule)
{
    const bool ahead = schedule.interview_ms && *schedule.interview_ms >= now_ms;
    const std::int64_t latest = ahead ? std::max(now_ms, *schedule.interview_ms - kMinuteMs) : card.due_ms;
    card.due_ms = std::min(card.due_ms, latest);
    return card;
}

} // namespace

Card reviewed(const Card& card, Grade grade, std::int64_t now_ms, const Schedule& schedule,
              std::string_view id)
{
    Card next = card;
    const bool fresh = card.phase == CardPhase::fresh;
    const StudyTime now{now_ms, schedule.offset_ms};
    const std::int64_t elapsed_d = std::max<std::int64_t>(0, now.day() - now.day_of(card.last_ms));
    next.memory = fresh ? first_memory(grade, schedule.weights)
                        : next_memory(card.memory, grade, elapsed_d, schedule.weights);
    next.first_ms = fresh ? now_ms : card.first_ms;
    next.last_ms = now_ms;
    next.last = grade;
    ++next.reviews;
    next.passes += grade != Grade::again ? 1 : 0;
    if (card.phase == CardPhase::review)
    {
        next.lapses += grade == Grade::again ? 1 : 0;
        if (grade != Grade::again || schedule.relearning_min.empty())
        {
            graduate(next, now_ms, schedule, id);
            return due_before_interview(next, now_ms, schedule);
        }
        next.phase = CardPhase::relearning;
        next.step = 0;
        next.due_ms = now_ms + minutes(schedule.relearning_min.front());
        return due_before_interview(next, now_ms, schedule);
    }
    next.phase = fresh ? CardPhase::learning : card.phase;
    walk_steps(next, grade, now_ms, schedule, id);
    return due_before_interview(next, now_ms, schedule);
}

std::optional<double> recall_at(const Card& card, const StudyTime& time, const FsrsWeights& weights)
{
    if (card.phase == CardPhase::fresh)
    {
        return std::nullopt;
    }
    const std::int64_t days = std::max<std::int64_t>(0, time.day() - time.day_of(card.last_ms));
    return recall_after(static_cast<double>(days), card.memory.stability, weights);
}

bool is_due(const Card& card, const StudyTime& now)
{
    switch (card.phase)
    {
    case CardPhase::fresh:
        return false;
    case CardPhase::review:
        // On the interview's day it may be due on the day it was reviewed, but not all day long.
        return now.day_of(card.due_ms) <= now.day() &&
               (now.day_of(card.last_ms) < now.day() || card.due_ms <= now.ms);
    case CardPhase::learning:
    case CardPhase::relearning:
        break;
    }
    return card.due_ms <= now.ms;
}

std::uint64_t stable_hash(std::string_view text, std::uint64_t seed)
{
    std::uint64_t h = 14695981039346656037ULL;
    for (const char c : text)
    {
        h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    }
    h += seed + 0x9E3779B97F4A7C15ULL; // splitmix64 from here, so that near seeds come out apart
    h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27U)) * 0x94D049BB133111EBULL;
    return h ^ (h >> 31U);
}

} // namespace ringside
