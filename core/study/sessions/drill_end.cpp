// What a drill has changed: the card at its end.
#include "core/base/ranges.h"
#include "core/study/sessions/drill.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::vector<Improved> improved_in(const DrillSession& session, const StudyState& study)
{
    std::map<std::string, std::string> asked; // card to family
    std::set<std::string> families;
    for (const DrillItem& item : session.items)
    {
        if (item.given)
        {
            asked.emplace(card_name(item.card.family, item.card.variant), item.card.family);
            families.insert(item.card.family);
        }
    }
    auto earlier =
        list_where<Review>(study.progress.reviews, [&](const Review& r)
                           { return families.contains(r.card) && r.time_ms < session.started_ms; });
    const Cards before = replay(earlier, schedule_of(study.progress, study.now.offset_ms));
    std::vector<Improved> all;
    for (const auto& [card, family] : asked)
    {
        const double old = card_of(before, card).memory.stability;
        const double now = card_of(study.cards, card).memory.stability;
        if (now > old)
        {
            all.push_back({family, old, now});
        }
    }
    std::ranges::stable_sort(all, [](const Improved& a, const Improved& b)
                             { return a.after_d - a.before_d > b.after_d - b.before_d; });
    return all;
}

void find_weakest(EndCard& end, const StudyState& study)
{
    double least = 2;
    for (const HeatTopic& topic : heat_map(study))
    {
        for (std::size_t kind = 0; kind < kKindGroups; ++kind)
        {
            const HeatCell& cell = topic.kinds[kind];
            const double recall = cell.then.value_or(cell.today.value_or(2));
            if (recall < least)
            {
                least = recall;
                end.weakest = topic.topic;
                end.weakest_kind = static_cast<KindGroup>(kind);
                end.weakest_recall = recall;
            }
        }
    }
}

void find_next_due(EndCard& end, const StudyState& study)
{
    for (const FamilyInfo& family : study.families)
    {
        for (const Card* card : cards_of(study.cards, family))
        {
            if (card->phase != CardPhase::fresh && !study.progress.suspended.contains(family.id))
            {
                end.next_due_ms = std::min(end.next_due_ms.value_or(card->due_ms), card->due_ms);
            }
        }
    }
}

} // namespace

EndCard end_card(const DrillSession& session, const StudyState& study)
{
    EndCard end;
    for (const DrillItem& item : session.items)
    {
        end.answered += item.given ? 1 : 0;
        end.passed += item.given && *item.given != Grade::again ? 1 : 0;
    }
    std::map<std::string, Grade> last;
    for (const DrillItem& item : session.items)
    {
        if (item.given)
        {
            last[item.card.family] = *item.given;
        }
    }
    for (const auto& [family, grade] : last)
    {
        if (grade == Grade::again)
        {
            end.wrong.push_back(family);
        }
    }
    end.best_streak = session.best_streak;
    const std::int64_t until = session.stage == DrillStage::over ? session.ended_ms : study.now.ms;
    end.minutes = static_cast<double>(until - session.started_ms) / static_cast<double>(kMinuteMs);
    end.improved = improved_in(session, study);
    find_weakest(end, study);
    find_next_due(end, study);
    return end;
}

} // namespace ringside
