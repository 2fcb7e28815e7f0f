#include "core/study/sessions/deck.h"

#include "core/base/place.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

// "state" stands for itself and for all its variants, "state/easy".
bool stands_for(const std::string& wanted, const std::string& given)
{
    return given == wanted || given.starts_with(wanted + "/");
}

bool has_any(const std::vector<std::string>& wanted, const std::vector<std::string>& given)
{
    return std::ranges::any_of(
        given, [&](const std::string& g)
        { return std::ranges::any_of(wanted, [&](const std::string& w) { return stands_for(w, g); }); });
}

// Families that say nothing of their variants have one, like the family.
bool passes(const DeckFilter& filter, const VariantInfo& variant)
{
    return (filter.questions.empty() || has_any(filter.questions, {variant.name})) &&
           (!filter.kind || *filter.kind == group_of(variant.kind)) &&
           (filter.view.empty() || filter.view == view_of(variant.view));
}

bool passes(const DeckFilter& filter, const FamilyInfo& family, const Progress& progress)
{
    const bool topic = filter.topics.empty() || has_any(filter.topics, {family.topic});
    const bool named = filter.questions.empty() || has_any(filter.questions, family.questions);
    const bool kind = !filter.kind || *filter.kind == group_of(family);
    const bool view = filter.view.empty() || std::ranges::any_of(family.variants, [&](const VariantInfo& v)
                                                                 { return view_of(v.view) == filter.view; });
    const bool flag = !filter.flagged || progress.flags.contains(family.id);
    return topic && named && kind && view && flag && !progress.suspended.contains(family.id);
}

int rank_of(std::string_view difficulty)
{
    return difficulty == "easy" ? 0 : difficulty == "medium" ? 1 : 2;
}

// The place of its topic among all, which build on each other; unknown ones come last.
std::ptrdiff_t place_of(const FamilyInfo& family)
{
    const auto all = study_topics();
    return std::ranges::find(all, family.topic, &StudyTopic::id) - all.begin();
}

using Families = std::vector<const FamilyInfo*>;

// By a key; families with equal keys stay in the order in which they were given.
template <class Key>
void sort_by(Families& families, Key&& key)
{
    std::ranges::stable_sort(families,
                             [&](const FamilyInfo* a, const FamilyInfo* b) { return key(*a) < key(*b); });
}

// Takes the first of another topic than the last each time, where there is one.
Families interleaved(Families from)
{
    Families out;
    while (!from.empty())
    {
        auto next = from.begin();
        if (!out.empty())
        {
            const auto other = std::ranges::find_if(from, [&](const FamilyInfo* f)
                                                    { return f->topic != out.back()->topic; });
            next = other == from.end() ? next : other;
        }
        out.push_back(*next);
        from.erase(next);
    }
    return out;
}

struct Parts
{
    Families seen;
    Families fresh;
};

double recall_now(const StudyState& study, const FamilyInfo& family)
{
    return recall_at(card_of(study.cards, family.id), study.now, study.progress.weights).value_or(0);
}

Parts parts_of(const StudyState& study, const DeckRequest& request)
{
    Parts parts;
    for (const FamilyInfo* family : families_of(study, request.filter))
    {
        const Card& card = card_of(study.cards, family->id);
        if (card.phase == CardPhase::fresh)
        {
            parts.fresh.push_back(family);
        }
        else if (request.kind == DeckKind::wrong ? card.last == Grade::again
                 : request.kind == DeckKind::due ? is_due(card, study.now)
                                                 : true)
        {
            parts.seen.push_back(family);
        }
    }
    sort_by(parts.seen, [&](const FamilyInfo& f) { return recall_now(study, f); });
    sort_by(parts.fresh, [](const FamilyInfo& f) { return std::pair(rank_of(f.difficulty), place_of(f)); });
    return parts;
}

// In the order in which the filter names its questions.
Families in_order_of_filter(const StudyState& study, const DeckFilter& filter)
{
    Families all = families_of(study, filter);
    const auto place = [&](const FamilyInfo& family)
    {
        std::ptrdiff_t first = std::ssize(filter.questions);
        for (const std::string& question : family.questions)
        {
            const auto at = std::ranges::find_if(filter.questions, [&](const std::string& wanted)
                                                 { return stands_for(wanted, question); });
            first = std::min(first, at - filter.questions.begin());
        }
        return std::pair(first, place_of(family));
    };
    sort_by(all, place);
    return all;
}

Families chosen(const StudyState& study, const DeckRequest& request)
{
    if (request.kind == DeckKind::all)
    {
        return in_order_of_filter(study, request.filter);
    }
    Parts parts = parts_of(study, request);
    const auto most_new =
        std::min(parts.fresh.size(), static_cast<std::size_t>(std::max(0, request.most_new)));
    parts.fresh.resize(most_new);
    Families all = interleaved(std::move(parts.seen));
    all.insert(all.end(), parts.fresh.begin(), parts.fresh.end());
    return all;
}

} // namespace

std::vector<const FamilyInfo*> families_of(const StudyState& study, const DeckFilter& filter)
{
    return list_where<const FamilyInfo*>(
        study.families, [&](const FamilyInfo& family) { return passes(filter, family, study.progress); },
        [&](const FamilyInfo& family) { return &family; });
}

double target_of(const FamilyInfo& family, int variant)
{
    const auto at = static_cast<std::size_t>(variant);
    return at < family.variants.size() ? family.variants[at].target_s : family.target_s;
}

int variant_to_ask(const FamilyInfo& family, const DeckFilter& filter, int passed, std::uint64_t seed)
{
    auto fits = list_where<std::size_t>(family.variants.size(),
                                        [&](std::size_t i) { return passes(filter, family.variants[i]); });
    if (family.variants.empty())
    {
        return 0;
    }
    if (fits.empty())
    {
        fits.resize(family.variants.size());
        std::iota(fits.begin(), fits.end(), std::size_t{0});
    }
    const auto turn = static_cast<std::size_t>(std::max(0, passed));
    return static_cast<int>(turn < fits.size() ? fits[turn] : fits[seed % fits.size()]);
}

std::vector<DeckCard> make_deck(const StudyState& study, const DeckRequest& request)
{
    constexpr double kUntimed = 60; // [s] a question without a target is expected to take
    std::vector<DeckCard> deck;
    double seconds = 0;
    for (const FamilyInfo* family : chosen(study, request))
    {
        const Card& card = card_of(study.cards, family->id);
        const auto count = static_cast<std::uint64_t>(card.reviews);
        const std::uint64_t seed = stable_hash(family->id, request.seed + count) >> 32U;
        const int variant = variant_to_ask(*family, request.filter, card.passes, seed);
        const double target = target_of(*family, variant);
        seconds += target > 0 ? target : kUntimed;
        const bool full = static_cast<int>(deck.size()) >= request.most || seconds > request.minutes * 60;
        if (full && !deck.empty())
        {
            break;
        }
        deck.push_back({family->id, seed, card.phase == CardPhase::fresh, target, variant});
    }
    return deck;
}

} // namespace ringside
