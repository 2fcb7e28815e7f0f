#include "core/study/progress/merge.h"

#include <algorithm>
#include <tuple>

namespace ringside
{

namespace
{

// What makes an entry the same one, whatever else was changed of it.
auto identity_of(const Review& r)
{
    return std::pair(r.card, r.time_ms);
}
auto identity_of(const SkillScore& s)
{
    return std::pair(s.skill, s.time_ms);
}
auto identity_of(const TaskDone& t)
{
    return t.task;
}
auto identity_of(const LessonGuess& g)
{
    return std::tuple(g.lesson, g.step, g.time_ms);
}
auto identity_of(const PersonalCard& c)
{
    return c.id;
}
const std::string& identity_of(const std::string& name)
{
    return name;
}
const std::string& identity_of(const std::pair<const std::string, std::string>& entry)
{
    return entry.first;
}

template <class List>
auto by_key(const List& list)
{
    std::map<std::decay_t<decltype(identity_of(*list.begin()))>, const typename List::value_type*> all;
    for (const auto& entry : list)
    {
        all.insert_or_assign(identity_of(entry), &entry);
    }
    return all;
}

// Theirs in mine's order, then what mine has not.
template <class List>
List merged_list(const List& base, const List& mine, const List& theirs)
{
    const auto before = by_key(base);
    const auto there = by_key(theirs);
    const auto own = by_key(mine);
    List out;
    for (const auto& entry : mine)
    {
        const auto was = before.find(identity_of(entry));
        const auto now = there.find(identity_of(entry));
        const bool untouched = was != before.end() && *was->second == entry;
        if (!untouched || now != there.end()) // else they took it away
        {
            out.insert(out.end(), untouched ? *now->second : entry);
        }
    }
    for (const auto& entry : theirs)
    {
        if (!own.contains(identity_of(entry)) && !before.contains(identity_of(entry)))
        {
            out.insert(out.end(), entry);
        }
    }
    return out;
}

} // namespace

void merge(Progress& progress, const std::vector<PersonalCard>& cards)
{
    std::map<std::string, std::size_t, std::less<>> places;
    auto& all = progress.personal;
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        places.emplace(all[i].id, i);
    }
    for (const PersonalCard& card : cards)
    {
        const auto [place, is_new] = places.emplace(card.id, all.size());
        if (is_new)
        {
            all.push_back(card);
        }
        all[place->second] = card;
    }
}

Progress merged(const Progress& base, Progress mine, const Progress& theirs)
{
    const auto list = [&](auto Progress::*of) { mine.*of = merged_list(base.*of, mine.*of, theirs.*of); };
    list(&Progress::flags);
    list(&Progress::suspended);
    list(&Progress::notes);
    list(&Progress::skills);
    list(&Progress::tasks);
    list(&Progress::guesses);
    list(&Progress::lesson_places);
    list(&Progress::personal);
    list(&Progress::reviews);
    std::ranges::stable_sort(mine.reviews, {}, &Review::time_ms);
    const auto setting = [&](auto Progress::*of) { mine.*of = mine.*of == base.*of ? theirs.*of : mine.*of; };
    setting(&Progress::interview);
    setting(&Progress::plan_start);
    setting(&Progress::retention);
    setting(&Progress::weights);
    return mine;
}

} // namespace ringside
