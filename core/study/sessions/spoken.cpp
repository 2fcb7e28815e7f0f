#include "core/study/sessions/spoken.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ringside
{

namespace
{

using Changes = std::vector<ProgressChange>;

void stop(SpokenSession& s, std::int64_t now_ms)
{
    s.spoken_ms = std::clamp<std::int64_t>(now_ms - s.started_ms, 0, s.limit_ms);
    s.stage = SpokenStage::ticking;
}

Changes accept(SpokenSession& s, std::int64_t now_ms)
{
    s.stage = SpokenStage::over;
    Review r;
    r.card = s.card.family;
    r.time_ms = now_ms;
    r.rating = s.grade();
    r.automatic = r.rating;
    r.duration_ms = s.spoken_ms;
    r.seed = s.card.seed;
    r.variant = s.card.variant;
    return {AddReview{std::move(r)}};
}

Changes press_ticking(SpokenSession& s, SpokenKey key, std::int64_t now_ms)
{
    if (key == SpokenKey::teach)
    {
        s.could_teach = !s.could_teach;
    }
    return key == SpokenKey::accept ? accept(s, now_ms) : Changes{};
}

Changes press(SpokenSession& s, SpokenKey key, std::int64_t now_ms)
{
    if (key == SpokenKey::leave)
    {
        s.stage = SpokenStage::over;
        return {};
    }
    if (s.stage == SpokenStage::ready && key == SpokenKey::start)
    {
        s.stage = SpokenStage::speaking;
        s.started_ms = now_ms;
        return {};
    }
    if (s.stage == SpokenStage::speaking)
    {
        if (key == SpokenKey::stop || now_ms - s.started_ms >= s.limit_ms)
        {
            stop(s, now_ms);
        }
        return {};
    }
    return s.stage == SpokenStage::ticking ? press_ticking(s, key, now_ms) : Changes{};
}

} // namespace

Grade SpokenSession::grade() const
{
    const auto made = static_cast<int>(std::ranges::count(points, true));
    return rubric_grade(made, static_cast<int>(points.size()), could_teach);
}

std::optional<DeckCard> pick_spoken(const StudyState& study, const DeckFilter& filter, std::uint64_t seed)
{
    for (const DeckKind kind : {DeckKind::due, DeckKind::weak})
    {
        DeckRequest request{kind, filter};
        request.most = request.most_new = std::numeric_limits<int>::max();
        request.minutes = std::numeric_limits<double>::max();
        request.seed = seed;
        for (DeckCard& card : make_deck(study, request))
        {
            const auto family = std::ranges::find(study.families, card.family, &FamilyInfo::id);
            const auto& variants = family->variants;
            const auto aloud = std::ranges::find_if(variants, [](const VariantInfo& v)
                                                    { return v.kind == "recall" || v.kind == "design"; });
            if (aloud != variants.end())
            {
                card.variant = static_cast<int>(aloud - variants.begin());
                card.target_s = aloud->target_s;
                return std::move(card);
            }
        }
    }
    return std::nullopt;
}

SpokenSession start_spoken(const DeckCard& card, std::size_t points, double limit_s)
{
    SpokenSession s;
    s.card = card;
    s.limit_ms = std::llround(limit_s * 1000);
    s.points.assign(std::max<std::size_t>(1, points), false);
    return s;
}

std::vector<ProgressChange> apply(SpokenSession& s, const SpokenInput& input, std::int64_t now_ms)
{
    if (const auto* key = std::get_if<SpokenKey>(&input))
    {
        return press(s, *key, now_ms);
    }
    const std::size_t point = std::get<TickPoint>(input).point;
    if (s.stage == SpokenStage::ticking && point < s.points.size())
    {
        s.points[point] = !s.points[point];
    }
    return {};
}

} // namespace ringside
