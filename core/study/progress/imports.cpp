#include "core/study/progress/imports.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/study/progress/exchange.h"
#include "core/study/progress/merge.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ringside
{

StudyImport read_import(std::string_view text)
{
    StudyImport found;
    if (text.starts_with('{') && text.find("ringside.progress/") != std::string_view::npos)
    {
        ProgressRead read = read_progress(text);
        found.cards = std::exchange(read.progress.personal, {});
        found.reviews = std::exchange(read.progress.reviews, {});
        found.rest = std::move(read.progress);
        found.issues = std::move(read.issues);
        return found;
    }
    if (text.substr(0, text.find('\n')).find("review_time") != std::string_view::npos)
    {
        auto read = reviews_from_csv(text);
        found.reviews = std::move(read.entries);
        found.issues = std::move(read.issues);
        return found;
    }
    auto read = cards_from_anki(text);
    found.cards = std::move(read.entries);
    found.issues = std::move(read.issues);
    return found;
}

TakenImport planned(const Progress& progress, const StudyImport& found, std::int64_t time_ms)
{
    TakenImport plan;
    plan.time_ms = time_ms;
    std::map<std::string_view, const PersonalCard*> known;
    for (const PersonalCard& card : progress.personal)
    {
        known.emplace(card.id, &card);
    }
    for (const PersonalCard& card : found.cards)
    {
        const auto [place, is_new] = known.emplace(card.id, nullptr);
        PersonalCard came = card;
        came.imported_ms = time_ms;
        if (is_new)
        {
            plan.added.push_back(std::move(came));
        }
        else if (place->second != nullptr)
        {
            came.imported_ms = place->second->imported_ms;
            if (came != *place->second)
            {
                plan.earlier.push_back(*place->second);
            }
        }
    }
    std::set<std::pair<std::string_view, std::int64_t>> there;
    for (const Review& review : progress.reviews)
    {
        there.emplace(review.card, review.time_ms);
    }
    std::ranges::copy_if(found.reviews, std::back_inserter(plan.reviews),
                         [&](const Review& r) { return there.emplace(r.card, r.time_ms).second; });
    return plan;
}

void take(Progress& progress, const StudyImport& found, const TakenImport& plan)
{
    std::map<std::string_view, std::int64_t> imported;
    for (const PersonalCard& card : progress.personal)
    {
        imported.emplace(card.id, card.imported_ms);
    }
    std::vector<PersonalCard> cards = found.cards;
    for (PersonalCard& card : cards)
    {
        const auto known = imported.find(card.id);
        card.imported_ms = known == imported.end() ? plan.time_ms : known->second;
    }
    merge(progress, cards);
    merge(progress, plan.reviews);
    if (found.rest)
    {
        // With a base of its own, so that nothing of ours counts as taken away.
        Progress theirs = *found.rest;
        theirs.reviews = progress.reviews;
        theirs.personal = progress.personal;
        progress = merged(Progress{}, std::move(progress), theirs);
    }
}

void take_back(Progress& progress, const TakenImport& taken)
{
    std::erase_if(progress.personal, [&](const PersonalCard& card)
                  { return card.imported_ms == taken.time_ms && taken.time_ms > 0; });
    merge(progress, taken.earlier);
    std::set<std::pair<std::string_view, std::int64_t>> gone;
    for (const Review& review : taken.reviews)
    {
        gone.emplace(review.card, review.time_ms);
    }
    std::erase_if(progress.reviews,
                  [&](const Review& review) {
                      return gone.contains({review.card, review.time_ms});
                  });
}

std::vector<TakenImport> imports_of(const Progress& progress)
{
    std::map<std::int64_t, TakenImport, std::greater<>> all;
    for (const PersonalCard& card : progress.personal)
    {
        if (card.imported_ms > 0)
        {
            TakenImport& import = all[card.imported_ms];
            import.time_ms = card.imported_ms;
            import.added.push_back(card);
        }
    }
    std::vector<TakenImport> list;
    std::ranges::transform(all, std::back_inserter(list),
                           [](auto& entry) { return std::move(entry.second); });
    return list;
}

std::string words_of(const TakenImport& import)
{
    const auto size = [](const auto& list) { return static_cast<std::int64_t>(list.size()); };
    return import.reviews.empty() ? counted(size(import.added) + size(import.earlier), "card")
                                  : counted(size(import.reviews), "review");
}

} // namespace ringside
