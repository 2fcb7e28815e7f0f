#include "core/study/mock.h"

#include <algorithm>
#include <limits>

namespace ringside
{

namespace
{

using Changes = std::vector<ProgressChange>;

// Of five questions.
constexpr std::array kMix{KindGroup::recall, KindGroup::numeric, KindGroup::recall, KindGroup::numeric,
                          KindGroup::design};
constexpr std::uint64_t kFollowUpOneIn = 3; // of those that can be drawn again
constexpr double kUntimed = 60;             // [s]

using Families = std::vector<const FamilyInfo*>;

// By kind, each in an order of its own that the seed gives.
std::array<Families, kKindGroups> shuffled(const StudyState& study, std::uint64_t seed)
{
    std::array<Families, kKindGroups> groups;
    for (const FamilyInfo* family : families_of(study, {}))
    {
        groups[static_cast<std::size_t>(group_of(*family))].push_back(family);
    }
    for (Families& group : groups)
    {
        std::stable_sort(group.begin(), group.end(),
                         [seed](const FamilyInfo* a, const FamilyInfo* b)
                         { return stable_hash(a->id, seed) < stable_hash(b->id, seed); });
    }
    return groups;
}

// The next of this kind, of another topic than the last where there is one; of another kind where none is
// left.
const FamilyInfo* draw(std::array<Families, kKindGroups>& groups, KindGroup wanted,
                       std::string_view last_topic)
{
    for (std::size_t turn = 0; turn < kKindGroups; ++turn)
    {
        Families& group = groups[(static_cast<std::size_t>(wanted) + turn) % kKindGroups];
        if (group.empty())
        {
            continue;
        }
        const auto other = std::find_if(group.begin(), group.end(),
                                        [&](const FamilyInfo* f) { return f->topic != last_topic; });
        const auto chosen = other == group.end() ? group.begin() : other;
        const FamilyInfo* family = *chosen;
        group.erase(chosen);
        return family;
    }
    return nullptr;
}

// Any of its variants of the family's kind.
MockItem item_of(const FamilyInfo& family, std::uint64_t seed)
{
    MockItem item;
    const std::uint64_t own = stable_hash(family.id, seed) >> 32U;
    DeckFilter filter;
    filter.kind = group_of(family);
    const int variant = variant_to_ask(family, filter, std::numeric_limits<int>::max(), own);
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
    const bool drawn = item.group != KindGroup::recall;
    return written || (drawn && stable_hash(family.id, seed + 1) % kFollowUpOneIn == 0);
}

double seconds_of(const MockItem& item)
{
    return item.card.target_s > 0 ? item.card.target_s : kUntimed;
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
    return std::none_of(s.items.begin(), s.items.end(),
                        [](const MockItem& i) { return i.answered() && !i.grade; });
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
    double seconds = 0;
    for (std::size_t turn = 0; seconds < s.minutes * 60; ++turn)
    {
        const std::string last = s.items.empty() ? "" : s.items.back().topic;
        const FamilyInfo* family = draw(groups, kMix[turn % kMix.size()], last);
        if (family == nullptr)
        {
            break;
        }
        MockItem item = item_of(*family, seed);
        seconds += seconds_of(item);
        if (seconds > s.minutes * 60 && !s.items.empty())
        {
            break;
        }
        s.items.push_back(item);
        if (is_followed_up(*family, item, seed) && seconds + seconds_of(item) / 2 <= s.minutes * 60)
        {
            MockItem next = item;
            next.card.seed = item_of(*family, seed + 1).card.seed;
            next.follows = s.items.size() - 1;
            next.card.target_s /= 2; // the way is known by now
            seconds += seconds_of(next);
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
