#include "core/study/sessions/mock.h"

#include <algorithm>
#include <limits>

namespace ringside
{

namespace
{

using Changes = std::vector<ProgressChange>;

// The mix of five questions.
constexpr std::array kMix{KindGroup::recall, KindGroup::numeric, KindGroup::recall, KindGroup::numeric,
                          KindGroup::design};
constexpr std::uint64_t kFollowUpOneIn = 3; // of those that can be drawn again
constexpr double kUntimed = 60;             // [s]
constexpr double kLongestShare = 0.6;       // of the interview, for one question

using Families = std::vector<const FamilyInfo*>;

// By kind, each in an order of its own that the seed gives.
std::array<Families, kKindGroups> shuffled(const StudyState& study, std::uint64_t seed)
{
    std::array<Families, kKindGroups> groups;
    for (const FamilyInfo* family : families_of(study, {}))
    {
        if (!family->interview)
        {
            continue;
        }
        groups[static_cast<std::size_t>(group_of(*family))].push_back(family);
    }
    for (Families& group : groups)
    {
        std::ranges::stable_sort(group, [seed](const FamilyInfo* a, const FamilyInfo* b)
                                 { return stable_hash(a->id, seed) < stable_hash(b->id, seed); });
    }
    return groups;
}

// Any of its variants of the family's kind.
MockItem item_of(const FamilyInfo& family, std::uint64_t seed)
{
    MockItem item;
    const std::uint64_t own = stable_hash(family.id, seed) >> 32U;
    DeckFilter filter;
    filter.kind = group_of(family);
    const auto fitting = variants_for(family, filter);
    const int variant = fitting[own % fitting.size()];
    item.card = {family.id, own, false, target_of(family, variant), variant};
    item.topic = family.topic;
    item.group = group_of(family);
    return item;
}

// Those that have follow-ups written for them, and one in three of the others that can be drawn again.
bool is_followed_up(const FamilyInfo& family, const MockItem& item, std::uint64_t seed)
{
    const auto variant = static_cast<std::size_t>(item.card.variant);
    const bool written = variant < family.variants.size() && family.variants[variant].follow_ups > 0;
    const bool drawn = item.group != KindGroup::recall &&
                       (variant >= family.variants.size() || family.variants[variant].draws);
    return written || (drawn && stable_hash(family.id, seed + 1) % kFollowUpOneIn == 0);
}

double time_for(const MockItem& item)
{
    return item.card.target_s > 0 ? item.card.target_s : kUntimed;
}

// The next of this kind that takes at most so long [s], of another topic than the last where there is one; of
// another kind where none is left.
const FamilyInfo* draw(std::array<Families, kKindGroups>& groups, KindGroup wanted,
                       std::string_view last_topic, double most, std::uint64_t seed)
{
    for (std::size_t turn = 0; turn < kKindGroups; ++turn)
    {
        Families& group = groups[(static_cast<std::size_t>(wanted) + turn) % kKindGroups];
        const auto fits = [&](const FamilyInfo* f) { return time_for(item_of(*f, seed)) <= most; };
        auto chosen = std::ranges::find_if(group, [&](const FamilyInfo* f)
                                           { return f->topic != last_topic && fits(f); });
        chosen = chosen == group.end() ? std::ranges::find_if(group, fits) : chosen;
        if (chosen != group.end())
        {
            const FamilyInfo* family = *chosen;
            group.erase(chosen);
            return family;
        }
    }
    return nullptr;
}

void bring_up(MockSession& s, std::size_t item)
{
    s.at = item;
    s.items[item].visited = true;
}

// The next one not answered yet, from here round; here when all are.
std::size_t next_open(const MockSession& s)
{
    for (std::size_t step = 1; step <= s.items.size(); ++step)
    {
        const std::size_t i = (s.at + step) % s.items.size();
        if (!s.items[i].answered())
        {
            return i;
        }
    }
    return s.at;
}

void judge_checked(MockSession& s)
{
    for (MockItem& item : s.items)
    {
        if (item.correct)
        {
            Attempt attempt;
            attempt.correct = *item.correct;
            attempt.seconds = static_cast<double>(item.spent_ms) / 1000;
            attempt.target_s = item.card.target_s;
            item.grade = automatic_grade(attempt);
        }
    }
}

Changes reviews_of(const MockSession& s)
{
    Changes changes;
    for (const MockItem& item : s.items)
    {
        if (!item.grade)
        {
            continue;
        }
        Review r;
        r.card = item.card.family;
        r.time_ms = s.ended_ms + std::ssize(changes); // one after the other
        r.rating = *item.grade;
        r.automatic = item.grade;
        r.duration_ms = item.spent_ms;
        r.seed = item.card.seed;
        r.variant = item.card.variant;
        r.mistake = item.mistake;
        r.answer = item.answer;
        changes.emplace_back(AddReview{std::move(r)});
    }
    return changes;
}

bool all_judged(const MockSession& s)
{
    return std::ranges::none_of(s.items, [](const MockItem& i) { return i.answered() && !i.grade; });
}

void stop_clock(MockSession& s, std::int64_t now_ms)
{
    s.stage = MockStage::judging;
    s.ended_ms = now_ms;
    s.paused = false;
    judge_checked(s);
}

// Lets the clock run up to now; whether it ran out.
bool run_clock(MockSession& s, std::int64_t now_ms)
{
    const std::int64_t passed = std::clamp<std::int64_t>(now_ms - s.seen_ms, 0, s.left_ms());
    s.seen_ms = now_ms;
    if (!s.paused && !s.items.empty())
    {
        s.elapsed_ms += passed;
        s.items[s.at].spent_ms += passed;
    }
    return s.left_ms() == 0;
}

Changes press(MockSession& s, MockKey key, std::int64_t now_ms)
{
    const std::size_t count = s.items.size();
    switch (key)
    {
    case MockKey::tick:
        break;
    case MockKey::skip:
        s.items[s.at].skipped = !s.items[s.at].answered();
        bring_up(s, next_open(s));
        break;
    case MockKey::next:
        bring_up(s, (s.at + 1) % count);
        break;
    case MockKey::previous:
        bring_up(s, (s.at + count - 1) % count);
        break;
    case MockKey::pause:
        s.paused = !s.paused;
        break;
    case MockKey::finish:
        stop_clock(s, now_ms);
        break;
    }
    return {};
}

Changes answer(MockSession& s, const std::string& text, std::optional<bool> correct, std::string mistake)
{
    MockItem& item = s.items[s.at];
    item.answer = text;
    item.correct = correct;
    item.mistake = std::move(mistake);
    item.skipped = false;
    bring_up(s, next_open(s));
    return {};
}

Changes run(MockSession& s, const MockInput& input, std::int64_t now_ms)
{
    if (const auto* key = std::get_if<MockKey>(&input))
    {
        return press(s, *key, now_ms);
    }
    if (const auto* checked = std::get_if<AnswerInput>(&input))
    {
        return answer(s, checked->text, checked->correct, checked->mistake);
    }
    if (const auto* said = std::get_if<FreeAnswerInput>(&input))
    {
        return answer(s, said->text, std::nullopt, {});
    }
    return {};
}

Changes judge(MockSession& s, const MockInput& input)
{
    const auto* points = std::get_if<JudgeInput>(&input);
    if (points != nullptr && points->item < s.items.size())
    {
        MockItem& item = s.items[points->item];
        if (item.answered() && !item.correct)
        {
            item.grade =
                rubric_grade(points->points.ticked, points->points.points, points->points.could_teach);
        }
        return {};
    }
    const auto* key = std::get_if<MockKey>(&input);
    if (key == nullptr || *key != MockKey::finish || !all_judged(s))
    {
        return {};
    }
    s.stage = MockStage::over;
    return reviews_of(s);
}

} // namespace

MockSession start_mock(const StudyState& study, int minutes, std::uint64_t seed)
{
    MockSession s;
    s.minutes = std::clamp(minutes, 1, 180);
    s.seed = seed;
    s.started_ms = study.now.ms;
    s.seen_ms = study.now.ms;
    auto groups = shuffled(study, seed);
    const double all = s.minutes * 60;
    double seconds = 0;
    for (std::size_t turn = 0; seconds < all; ++turn)
    {
        const std::string last = s.items.empty() ? "" : s.items.back().topic;
        const double most = std::min(all - seconds, kLongestShare * all);
        const FamilyInfo* family = draw(groups, kMix[turn % kMix.size()], last, most, seed);
        if (family == nullptr && s.items.empty()) // nothing is short enough: one all the same
        {
            family = draw(groups, kMix[turn % kMix.size()], last, std::numeric_limits<double>::max(), seed);
        }
        if (family == nullptr)
        {
            break;
        }
        MockItem item = item_of(*family, seed);
        seconds += time_for(item);
        s.items.push_back(item);
        if (is_followed_up(*family, item, seed) && seconds + time_for(item) / 2 <= all)
        {
            MockItem next = item;
            next.card.seed = item_of(*family, seed + 1).card.seed;
            next.follows = s.items.size() - 1;
            next.card.target_s /= 2; // the way is known by now
            seconds += time_for(next);
            s.items.push_back(std::move(next));
        }
    }
    if (s.items.empty())
    {
        s.stage = MockStage::over;
        s.ended_ms = s.started_ms;
        return s;
    }
    bring_up(s, 0);
    return s;
}

std::vector<ProgressChange> apply(MockSession& s, const MockInput& input, std::int64_t now_ms)
{
    const auto* to = std::get_if<GoToInput>(&input);
    if (s.stage != MockStage::running)
    {
        s.at = to != nullptr && to->item < s.items.size() ? to->item : s.at; // its answer is read again
        return s.stage == MockStage::judging ? judge(s, input) : Changes{};
    }
    if (run_clock(s, now_ms))
    {
        stop_clock(s, now_ms); // an answer that comes after the bell does not count
        return {};
    }
    const auto* key = std::get_if<MockKey>(&input);
    const bool rests = key != nullptr && (*key == MockKey::tick || *key == MockKey::pause);
    s.paused = s.paused && rests; // anything else goes on
    if (to != nullptr && to->item < s.items.size())
    {
        bring_up(s, to->item);
    }
    return run(s, input, now_ms);
}

} // namespace ringside
