// How well the topics stand, and what the coming days ask for.
#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/find_by.h"
#include "core/base/text/text.h"
#include "core/study/sessions/deck.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::array<StudyTopic, 24> kTopics{{{"memory", "Memory"},
                                              {"zero", "ZeRO"},
                                              {"fsdp", "FSDP"},
                                              {"activations", "Activations"},
                                              {"precision", "Precision"},
                                              {"checkpointing", "Checkpoints"},
                                              {"dp", "Data"},
                                              {"tp", "Tensor"},
                                              {"pp", "Pipeline"},
                                              {"3d", "3D layouts"},
                                              {"cp", "Context"},
                                              {"sp", "Sequence"},
                                              {"collectives", "Collectives"},
                                              {"overlap", "Overlap"},
                                              {"ep/moe", "Experts"},
                                              {"mfu", "MFU"},
                                              {"scaling-laws", "Scaling laws"},
                                              {"design", "Design"},
                                              {"failures", "Failures"},
                                              {"training-basics", "Basics"},
                                              {"finetuning", "Fine-tuning"},
                                              {"alignment", "Alignment"},
                                              {"serving", "Serving"},
                                              {"long-context", "Long context"}}};

// Sums of recalls until the cell is closed.
struct Sums
{
    double today = 0;
    double then = 0;
};

void add(HeatCell& cell, Sums& sums, const Card& card, const StudyState& study)
{
    ++cell.cards;
    if (card.phase == CardPhase::fresh)
    {
        return;
    }
    ++cell.seen;
    cell.right += is_first_try(card) ? 1 : 0;
    cell.attempts += card.reviews;
    if (!is_settled(card, study.now))
    {
        return;
    }
    ++cell.settled;
    const Progress& p = study.progress;
    sums.today += recall_at(card, study.now, p.weights).value_or(0);
    if (p.interview)
    {
        sums.then +=
            recall_at(card, {study.now.noon_of(*p.interview), study.now.offset_ms}, p.weights).value_or(0);
    }
}

void close(HeatCell& cell, const Sums& sums, const StudyState& study)
{
    if (cell.settled == 0)
    {
        return;
    }
    cell.today = sums.today / cell.settled;
    if (study.progress.interview && *study.progress.interview >= study.now.day())
    {
        cell.then = sums.then / cell.settled;
    }
}

std::pair<double, double> key_of(const HeatTopic& topic)
{
    const HeatCell& all = topic.all;
    return {static_cast<double>(all.right) / all.seen, all.then.value_or(all.today.value_or(1))};
}

} // namespace

std::span<const StudyTopic> study_topics()
{
    return kTopics;
}

const StudyTopic* find_topic(std::string_view id)
{
    return find_by(kTopics, id, &StudyTopic::id);
}

std::optional<Issue> no_topic(std::string_view id)
{
    if (find_topic(id) != nullptr)
    {
        return std::nullopt;
    }
    auto known =
        list_of<std::string>(study_topics(), [&](const StudyTopic& topic) { return std::string(topic.id); });
    return Issue{"", fmt::format("there is no topic \"{}\"", id),
                 did_you_mean(id, known, "the study view has them")};
}

KindGroup group_of(std::string_view kind)
{
    const bool numeric = kind == "numeric" || kind == "ordering";
    const bool design = kind == "design" || kind == "diagnosis";
    return numeric ? KindGroup::numeric : design ? KindGroup::design : KindGroup::recall;
}

KindGroup group_of(const FamilyInfo& family)
{
    return group_of(family.kind);
}

std::vector<HeatTopic> heat_map(const StudyState& study)
{
    std::vector<HeatTopic> heat(kTopics.size());
    std::vector<std::array<Sums, kKindGroups + 1>> sums(kTopics.size());
    for (const FamilyInfo& family : study.families)
    {
        const StudyTopic* topic = find_topic(family.topic);
        if (topic == nullptr || study.progress.suspended.contains(family.id))
        {
            continue;
        }
        const auto at = static_cast<std::size_t>(topic - kTopics.data());
        const auto kind = static_cast<std::size_t>(group_of(family));
        for (const Card* card : cards_of(study.cards, family))
        {
            add(heat[at].all, sums[at][kKindGroups], *card, study);
            add(heat[at].kinds[kind], sums[at][kind], *card, study);
        }
        const int due = due_variant(study, family) ? 1 : 0;
        heat[at].all.due += due;
        heat[at].kinds[kind].due += due;
    }
    for (std::size_t i = 0; i < heat.size(); ++i)
    {
        heat[i].topic = &kTopics[i];
        close(heat[i].all, sums[i][kKindGroups], study);
        for (std::size_t kind = 0; kind < kKindGroups; ++kind)
        {
            close(heat[i].kinds[kind], sums[i][kind], study);
        }
    }
    return heat;
}

std::vector<std::size_t> weakest(const std::vector<HeatTopic>& heat, std::size_t count)
{
    auto order = list_where<std::size_t>(heat.size(), [&](std::size_t i) { return heat[i].all.seen > 0; });
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return key_of(heat[a]) < key_of(heat[b]); });
    order.resize(std::min(order.size(), count));
    return order;
}

std::vector<int> forecast(const StudyState& study, int days)
{
    std::vector<int> counts(static_cast<std::size_t>(std::max(0, days)));
    const Schedule schedule = schedule_of(study.progress, study.now.offset_ms);
    const StudyDay today = study.now.day();
    for (const FamilyInfo& family : study.families)
    {
        const auto cards = cards_of(study.cards, family);
        std::set<StudyDay> reviewed_on; // at most once a day, whatever its variants
        for (std::size_t v = 0; v < cards.size() && !study.progress.suspended.contains(family.id); ++v)
        {
            Card card = *cards[v];
            for (StudyDay day = std::max(today, study.now.day_of(card.due_ms));
                 card.phase != CardPhase::fresh && day < today + days; day = study.now.day_of(card.due_ms))
            {
                reviewed_on.insert(day);
                const std::int64_t at = std::max(card.due_ms, study.now.ms);
                card = reviewed(card, Grade::good, at, schedule, card_name(family.id, static_cast<int>(v)));
            }
        }
        for (const StudyDay day : reviewed_on)
        {
            ++counts[static_cast<std::size_t>(day - today)];
        }
    }
    return counts;
}

std::vector<Leech> leeches(const StudyState& study)
{
    std::vector<Leech> found;
    for (const FamilyInfo& family : study.families)
    {
        int lapses = 0;
        for (const Card* card : cards_of(study.cards, family))
        {
            lapses = std::max(lapses, card->lapses);
        }
        if (lapses >= kLeechLapses && !study.progress.suspended.contains(family.id))
        {
            found.push_back({family.id, lapses,
                             fmt::format("Forgotten {} times after it was learned. Write a note in your own "
                                         "words, look at its picture, or suspend it.",
                                         lapses)});
        }
    }
    return found;
}

FamilyInfo family_of(const PersonalCard& card)
{
    FamilyInfo family;
    family.id = card.id;
    family.topic = "design";
    family.kind = "recall";
    family.difficulty = "medium";
    family.interview = false;
    for (const std::string& tag : card.tags)
    {
        if (find_topic(tag) != nullptr)
        {
            family.topic = tag;
            break;
        }
    }
    return family;
}

} // namespace ringside
