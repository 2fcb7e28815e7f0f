#include "core/study/progress/progress.h"

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/study/progress/merge.h"

#include <algorithm>

namespace ringside
{

namespace
{

void put(std::set<std::string>& set, const std::string& name, bool in)
{
    if (in)
    {
        set.insert(name);
    }
    else
    {
        set.erase(name);
    }
}

void add_review(Progress& progress, Review review)
{
    const std::string name = card_name(review.card, review.variant);
    review.state = card_in(progress.reviews, name, schedule_of(progress)).phase;
    progress.reviews.push_back(std::move(review));
}

void set_task(Progress& progress, const SetTask& change)
{
    auto& tasks = progress.tasks;
    std::erase_if(tasks, [&](const TaskDone& t) { return t.task == change.task.task; });
    if (change.done)
    {
        tasks.push_back(change.task);
    }
}

void set_note(Progress& progress, const SetNote& change)
{
    if (change.text.empty())
    {
        progress.notes.erase(change.family);
        return;
    }
    progress.notes[change.family] = change.text;
}

} // namespace

Schedule schedule_of(const Progress& progress, std::int64_t offset_ms)
{
    Schedule s;
    s.weights = progress.weights;
    s.retention = progress.retention;
    s.offset_ms = offset_ms;
    if (progress.interview)
    {
        s.interview_ms = StudyTime{0, offset_ms}.noon_of(*progress.interview);
    }
    return s;
}

std::string card_name(std::string_view family, int variant)
{
    return variant <= 0 ? std::string(family) : fmt::format("{}/{}", family, variant);
}

Cards replay(const std::vector<Review>& reviews, const Schedule& schedule)
{
    Cards cards;
    for (const Review& review : reviews)
    {
        const std::string name = card_name(review.card, review.variant);
        Card& card = cards[name];
        card = reviewed(card, review.rating, review.time_ms, schedule, name);
    }
    return cards;
}

Card card_in(const std::vector<Review>& reviews, std::string_view name, const Schedule& schedule)
{
    Card card;
    for (const Review& review : reviews)
    {
        if (name.starts_with(review.card) && name == card_name(review.card, review.variant))
        {
            card = reviewed(card, review.rating, review.time_ms, schedule, name);
        }
    }
    return card;
}

const Card& card_of(const Cards& cards, std::string_view name)
{
    static const Card kFresh{};
    const auto found = cards.find(name);
    return found == cards.end() ? kFresh : found->second;
}

std::optional<Review> undo_last(Progress& progress)
{
    if (progress.reviews.empty())
    {
        return std::nullopt;
    }
    Review last = std::move(progress.reviews.back());
    progress.reviews.pop_back();
    return last;
}

std::size_t merge(Progress& progress, std::vector<Review> reviews)
{
    std::set<std::pair<std::string, std::int64_t>> known;
    for (const Review& r : progress.reviews)
    {
        known.emplace(r.card, r.time_ms);
    }
    std::erase_if(reviews, [&](const Review& r) { return !known.emplace(r.card, r.time_ms).second; });
    const std::size_t added = reviews.size();
    auto& all = progress.reviews;
    all.insert(all.end(), std::make_move_iterator(reviews.begin()), std::make_move_iterator(reviews.end()));
    if (added > 0)
    {
        std::ranges::stable_sort(all, [](const Review& a, const Review& b) { return a.time_ms < b.time_ms; });
    }
    return added;
}

void apply(Progress& progress, const ProgressChange& change)
{
    std::visit(
        Overloaded{
            [&](const AddReview& c) { add_review(progress, c.review); },
            [&](const UndoReview&) { undo_last(progress); },
            [&](const SetFlag& c) { put(progress.flags, c.family, c.on); },
            [&](const SetNote& c) { set_note(progress, c); },
            [&](const SetSuspended& c) { put(progress.suspended, c.family, c.on); },
            [&](const SetTask& c) { set_task(progress, c); },
            [&](const SetPlace& c) { progress.lesson_places[c.lesson] = c.step; },
            [&](const SetInterview& c) { progress.interview = c.day; },
            [&](const StartPlan& c) { progress.plan_start = c.day; },
            [&](const SkillScore& c) { progress.skills.push_back(c); },
            [&](const LessonGuess& c) { progress.guesses.push_back(c); },
            [&](const PersonalCard& c) { merge(progress, std::vector{c}); },
        },
        change);
}

} // namespace ringside
