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

// A variant of a family, which may be asked, and its card.
struct CardPick
{
    const FamilyInfo* family;
    int variant;
    const Card* card;
};

// By a key; those with equal keys stay in the order in which they were given.
template <class Things, class Key>
void sort_by(Things& things, Key&& key)
{
    std::ranges::stable_sort(things, [&](const auto& a, const auto& b) { return key(a) < key(b); });
}

// Takes the first of another topic than the last each time, where there is one.
std::vector<CardPick> interleaved(std::vector<CardPick> from)
{
    std::vector<CardPick> out;
    while (!from.empty())
    {
        auto next = from.begin();
        if (!out.empty())
        {
            const auto other = std::ranges::find_if(
                from, [&](const CardPick& pick) { return pick.family->topic != out.back().family->topic; });
            next = other == from.end() ? next : other;
        }
        out.push_back(*next);
        from.erase(next);
    }
    return out;
}

double recall_now(const StudyState& study, const Card& card)
{
    return recall_at(card, study.now, study.progress.weights).value_or(0);
}

std::vector<CardPick> picks_of(const StudyState& study, const FamilyInfo& family, const DeckFilter& filter)
{
    const auto cards = cards_of(study.cards, family);
    return list_of<CardPick>(variants_for(family, filter),
                             [&](int v) {
                                 return CardPick{&family, v, cards[static_cast<std::size_t>(v)]};
                             });
}

// Whether another variant of the family was answered today, and this one was not.
bool is_buried(const StudyState& study, const CardPick& pick)
{
    const auto today = [&](const Card& card)
    { return card.phase != CardPhase::fresh && study.now.day_of(card.last_ms) == study.now.day(); };
    return !today(*pick.card) && std::ranges::any_of(cards_of(study.cards, *pick.family),
                                                     [&](const Card* card) { return today(*card); });
}

// The least remembered of those that were seen and fit.
template <class Fits>
std::optional<CardPick> least_remembered(const StudyState& study, std::span<const CardPick> picks,
                                         Fits&& fits)
{
    std::optional<CardPick> least;
    for (const CardPick& pick : picks)
    {
        if (pick.card->phase != CardPhase::fresh && fits(pick) &&
            (!least || recall_now(study, *pick.card) < recall_now(study, *least->card)))
        {
            least = pick;
        }
    }
    return least;
}

std::optional<CardPick> first_fresh(std::span<const CardPick> picks)
{
    const auto fresh = std::ranges::find_if(picks, [](const CardPick& pick)
                                            { return pick.card->phase == CardPhase::fresh; });
    return fresh == picks.end() ? std::nullopt : std::optional(*fresh);
}

bool is_due(const StudyState& study, const CardPick& pick)
{
    return is_due(*pick.card, study.now) && !is_buried(study, pick);
}

struct Parts
{
    std::vector<CardPick> seen;
    std::vector<CardPick> fresh;
};

Parts parts_of(const StudyState& study, const DeckRequest& request)
{
    Parts parts;
    for (const FamilyInfo* family : families_of(study, request.filter))
    {
        const auto picks = picks_of(study, *family, request.filter);
        const auto wanted = [&](const CardPick& pick)
        {
            return request.kind == DeckKind::wrong ? pick.card->last == Grade::again
                   : request.kind == DeckKind::due ? is_due(study, pick)
                                                   : true;
        };
        const auto fresh = first_fresh(picks);
        if (const auto seen = least_remembered(study, picks, wanted))
        {
            parts.seen.push_back(*seen);
        }
        else if (fresh && !is_buried(study, *fresh))
        {
            parts.fresh.push_back(*fresh);
        }
    }
    sort_by(parts.seen, [&](const CardPick& p) { return recall_now(study, *p.card); });
    sort_by(parts.fresh,
            [](const CardPick& p) { return std::pair(rank_of(p.family->difficulty), place_of(*p.family)); });
    return parts;
}

// In the order in which the filter names its questions.
std::vector<CardPick> in_order_of_filter(const StudyState& study, const DeckFilter& filter)
{
    auto all = families_of(study, filter);
    const auto place = [&](const FamilyInfo* family)
    {
        std::ptrdiff_t first = std::ssize(filter.questions);
        for (const std::string& question : family->questions)
        {
            const auto at = std::ranges::find_if(filter.questions, [&](const std::string& wanted)
                                                 { return stands_for(wanted, question); });
            first = std::min(first, at - filter.questions.begin());
        }
        return std::pair(first, place_of(*family));
    };
    sort_by(all, place);
    return list_of<CardPick>(
        all,
        [&](const FamilyInfo* family)
        {
            const int variant = next_variant(study, *family, filter);
            return CardPick{family, variant, &card_of(study.cards, card_name(family->id, variant))};
        });
}

std::vector<CardPick> chosen(const StudyState& study, const DeckRequest& request)
{
    if (request.kind == DeckKind::all)
    {
        return in_order_of_filter(study, request.filter);
    }
    Parts parts = parts_of(study, request);
    parts.fresh.resize(std::min(parts.fresh.size(), static_cast<std::size_t>(std::max(0, request.most_new))));
    std::vector<CardPick> all = interleaved(std::move(parts.seen));
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

std::vector<int> variants_for(const FamilyInfo& family, const DeckFilter& filter)
{
    std::vector<int> all(std::max<std::size_t>(1, family.variants.size()));
    std::iota(all.begin(), all.end(), 0);
    std::vector<int> fitting;
    for (std::size_t i = 0; i < family.variants.size(); ++i)
    {
        passes(filter, family.variants[i]) ? fitting.push_back(static_cast<int>(i)) : void();
    }
    return fitting.empty() ? all : fitting;
}

int next_variant(const StudyState& study, const FamilyInfo& family, const DeckFilter& filter)
{
    const auto picks = picks_of(study, family, filter);
    const auto fresh = first_fresh(picks);
    return fresh ? fresh->variant
                 : least_remembered(study, picks, [](const CardPick&) { return true; })->variant;
}

std::optional<int> due_variant(const StudyState& study, const FamilyInfo& family, const DeckFilter& filter)
{
    const auto due = least_remembered(study, picks_of(study, family, filter),
                                      [&](const CardPick& pick) { return is_due(study, pick); });
    return due ? std::optional(due->variant) : std::nullopt;
}

std::vector<const Card*> cards_of(const Cards& cards, const FamilyInfo& family)
{
    return list_of<const Card*>(variants_for(family, {}),
                                [&](int v) { return &card_of(cards, card_name(family.id, v)); });
}

const Card& latest_card(const Cards& cards, const FamilyInfo& family)
{
    const auto all = cards_of(cards, family);
    return **std::ranges::max_element(all, {}, [](const Card* card) { return card->last_ms; });
}

std::vector<DeckCard> make_deck(const StudyState& study, const DeckRequest& request)
{
    constexpr double kUntimed = 60; // [s] a question without a target is expected to take
    std::vector<DeckCard> deck;
    double seconds = 0;
    for (const auto& [family, variant, card] : chosen(study, request))
    {
        const auto count = static_cast<std::uint64_t>(card->reviews);
        const std::uint64_t seed = stable_hash(card_name(family->id, variant), request.seed + count) >> 32U;
        const double target = target_of(*family, variant);
        seconds += target > 0 ? target : kUntimed;
        const bool full = static_cast<int>(deck.size()) >= request.most || seconds > request.minutes * 60;
        if (full && !deck.empty())
        {
            break;
        }
        deck.push_back({family->id, seed, card->phase == CardPhase::fresh, target, variant});
    }
    return deck;
}

} // namespace ringside
