#include "core/study/sessions/round.h"

#include "core/study/progress/fsrs.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace ringside
{

namespace
{

constexpr double kMostOfChains = 0.75;
constexpr double kLeastSingle = 45; // [s] shorter ones only fill the end

struct RoleTopics
{
    MockRole role;
    std::array<std::string_view, 7> topics; // "" where there are fewer
};
constexpr std::array<RoleTopics, 5> kRoleTopics{{
    {MockRole::training_infrastructure,
     {"memory", "network", "parallelism", "performance", "pipeline", "reliability", "planner"}},
    {MockRole::inference, {"serving", "performance", "memory", "parallelism", "network", "", ""}},
    {MockRole::research_engineer,
     {"training", "scaling", "memory", "performance", "parallelism", "reliability", "lab"}},
    {MockRole::rl_systems, {"serving", "parallelism", "memory", "network", "training", "reliability", ""}},
    {MockRole::gpu_kernels, {"performance", "training", "network", "memory", "", "", ""}},
}};

// What its file is in: "questions/serving/slo.json" is in serving.
std::string_view folder_of(std::string_view file)
{
    const auto end = file.rfind('/');
    const auto begin = end == std::string_view::npos ? end : file.rfind('/', end - 1);
    return begin == std::string_view::npos ? file.substr(0, end) : file.substr(begin + 1, end - begin - 1);
}

// Levels are as far apart as difficulties are.
int levels_apart(MockLevel level, int other)
{
    return std::abs(static_cast<int>(level) - other);
}

std::vector<const Chain*> chains_of(std::span<const Chain> chains, const RoundRequest& r)
{
    std::vector<const Chain*> own;
    for (const Chain& chain : chains)
    {
        if (std::ranges::find(chain.roles, r.role) != chain.roles.end())
        {
            own.push_back(&chain);
        }
    }
    std::ranges::stable_sort(own,
                             [&](const Chain* a, const Chain* b)
                             {
                                 const auto key = [&](const Chain* c) {
                                     return std::pair(levels_apart(r.level, static_cast<int>(c->level)),
                                                      stable_hash(c->id, r.seed));
                                 };
                                 return key(a) < key(b);
                             });
    return own;
}

// One variant of each family, as hard as the level where there is one.
std::vector<RoundItem> singles_of(const QuestionBank& bank, const RoundRequest& r)
{
    const auto topics = topics_of(r.role);
    std::vector<RoundItem> all;
    for (const QuestionFamily& family : bank.families)
    {
        if (!family.interview || family.variants.empty() ||
            std::ranges::find(topics, folder_of(family.file)) == topics.end())
        {
            continue;
        }
        std::size_t best = 0;
        const auto far = [&](std::size_t v)
        {
            const QuestionVariant& variant = family.variants[v];
            return std::pair(levels_apart(r.level, static_cast<int>(variant.difficulty)),
                             stable_hash(variant.id, r.seed));
        };
        for (std::size_t v = 1; v < family.variants.size(); ++v)
        {
            best = far(v) < far(best) ? v : best;
        }
        const double seconds = std::max(5.0, family.variants[best].target_s);
        all.push_back({nullptr, VariantRef{&family, best}, stable_hash(family.id, r.seed) >> 32U, seconds});
    }
    std::ranges::stable_sort(all,
                             [&](const RoundItem& a, const RoundItem& b)
                             {
                                 const auto key = [&](const RoundItem& i)
                                 {
                                     const auto& v = *i.question;
                                     return std::pair(
                                         levels_apart(r.level, static_cast<int>(v.get().difficulty)),
                                         stable_hash(v.family->id, r.seed));
                                 };
                                 return key(a) < key(b);
                             });
    return all;
}

class RoundFiller
{
public:
    explicit RoundFiller(double seconds) : all_(seconds) {}

    void take_chains(const std::vector<const Chain*>& chains, std::uint64_t seed)
    {
        for (const Chain* chain : chains)
        {
            if (used_ + chain->seconds() <= kMostOfChains * all_)
            {
                take({chain, {}, stable_hash(chain->id, seed) >> 32U, chain->seconds()});
            }
        }
    }
    // Two of a topic do not follow each other where another is left.
    void take_singles(std::vector<RoundItem> singles)
    {
        while (true)
        {
            const auto fits = [&](const RoundItem& i)
            { return i.seconds >= kLeastSingle && used_ + i.seconds <= all_; };
            auto next =
                std::ranges::find_if(singles, [&](const RoundItem& i)
                                     { return fits(i) && folder_of(i.question->family->file) != last_; });
            next = next == singles.end() ? std::ranges::find_if(singles, fits) : next;
            if (next == singles.end())
            {
                break;
            }
            last_ = folder_of(next->question->family->file);
            take(*next);
            singles.erase(next);
        }
        fill_rest(singles);
    }
    RoundPlan plan() { return {std::move(items_), used_ / all_}; }

private:
    // The longest that still fits, again and again.
    void fill_rest(std::vector<RoundItem>& singles)
    {
        while (true)
        {
            auto longest = singles.end();
            for (auto i = singles.begin(); i != singles.end(); ++i)
            {
                const bool fits = used_ + i->seconds <= all_;
                longest = fits && (longest == singles.end() || i->seconds > longest->seconds) ? i : longest;
            }
            if (longest == singles.end())
            {
                return;
            }
            take(*longest);
            singles.erase(longest);
        }
    }
    void take(const RoundItem& item)
    {
        items_.push_back(item);
        used_ += item.seconds;
    }

    double all_;
    double used_ = 0;
    std::string_view last_;
    std::vector<RoundItem> items_;
};

} // namespace

std::span<const std::string_view> topics_of(MockRole role)
{
    const auto* row = std::ranges::find(kRoleTopics, role, &RoleTopics::role);
    const auto end = std::ranges::find(row->topics, std::string_view());
    return {row->topics.data(), static_cast<std::size_t>(end - row->topics.begin())};
}

RoundPlan plan_round(const QuestionBank& bank, std::span<const Chain> chains, const RoundRequest& request)
{
    RoundFiller filler(std::clamp(request.minutes, 5, 180) * 60.0);
    filler.take_chains(chains_of(chains, request), request.seed);
    filler.take_singles(singles_of(bank, request));
    return filler.plan();
}

} // namespace ringside
