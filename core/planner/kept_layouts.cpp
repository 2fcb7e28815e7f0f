#include "core/planner/kept_layouts.h"

#include "core/scenario/evidence.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

// Keeps `frontier` ascending in bytes and descending in pace().
void add_to_frontier(std::vector<Candidate>& frontier, const Candidate& c)
{
    const auto at = std::upper_bound(frontier.begin(), frontier.end(), c.bytes,
                                     [](double bytes, const Candidate& f) { return bytes < f.bytes; });
    if (at != frontier.begin())
    {
        Candidate& before = *std::prev(at);
        if (before.bytes == c.bytes && before.pace() == c.pace())
        {
            before = better(Objective::step_time, c, before) ? c : before;
            return;
        }
        if (before.pace() <= c.pace())
        {
            return;
        }
    }
    auto from = at;
    if (from != frontier.begin() && std::prev(from)->bytes == c.bytes)
    {
        --from;
    }
    auto to = at;
    while (to != frontier.end() && to->pace() >= c.pace())
    {
        ++to;
    }
    frontier.insert(frontier.erase(from, to), c);
}

void add_to_nearest_miss(std::optional<Candidate>& nearest, const Candidate& c)
{
    if (!nearest || better(Objective::memory, c, *nearest))
    {
        nearest = c;
    }
}

void add_to_best(std::vector<Candidate>& best, Objective objective, const Candidate& c)
{
    if (best.size() >= kMostKept && !better(objective, c, best.back()))
    {
        return;
    }
    best.insert(std::upper_bound(best.begin(), best.end(), c,
                                 [&](const Candidate& a, const Candidate& b)
                                 { return better(objective, a, b); }),
                c);
    if (best.size() > kMostKept)
    {
        best.pop_back();
    }
}

const Candidate* add_to_cuts(Cuts& cuts, Objective objective, const Candidate& c)
{
    const auto [at, fresh] = cuts.emplace(cut_of(c.layout), c);
    if (!fresh && better(objective, c, at->second))
    {
        at->second = c;
    }
    return &at->second;
}

// Keeps the first of layouts that differ in the order alone, and not even in that where they take the same
// time.
void drop_twins(std::vector<Candidate>& best)
{
    const auto twins = [](const Candidate& a, const Candidate& b)
    {
        Layout same = a.layout;
        same.schedule = b.layout.schedule;
        same.chunks = b.layout.chunks;
        return same == b.layout && std::abs(a.seconds - b.seconds) <= 1e-9 * a.seconds;
    };
    std::vector<Candidate> kept;
    for (const Candidate& c : best)
    {
        if (std::none_of(kept.begin(), kept.end(), [&](const Candidate& k) { return twins(k, c); }))
        {
            kept.push_back(c);
        }
    }
    best = std::move(kept);
}

} // namespace

Candidate sized(const Scenario& s, const SearchLimits& limits)
{
    const MemoryReport memory = memory_report(s);
    Candidate c;
    c.layout = layout_of(s);
    c.bytes = memory.worst().total().value;
    c.tight = c.bytes > roomy_bytes(memory.capacity.value, limits);
    c.units = work_units(s, limits.freed);
    return c;
}

void fill(Candidate& c, const StepTime& step)
{
    c.seconds = step.total();
    c.mfu = step.mfu();
    c.bubble = step.bubble / c.seconds;
}

void add_band(Candidate& c, const Scenario& scenario)
{
    const Band band = step_band(scenario, c.seconds);
    c.low = band.low;
    c.high = band.high;
}

std::array<std::int64_t, 7> cut_of(const Layout& l)
{
    return {l.gpus, l.tensor, l.context, l.pipeline, l.expert, l.global_batch, l.sequence_length};
}

std::vector<Candidate> listed(const Cuts& cuts, Objective objective)
{
    std::vector<Candidate> list;
    for (const auto& [key, c] : cuts)
    {
        list.push_back(c);
    }
    std::sort(list.begin(), list.end(),
              [&](const Candidate& a, const Candidate& b) { return better(objective, a, b); });
    return list;
}

const Candidate* keep(SearchResult& result, Cuts& cuts, Objective objective, const Candidate& c)
{
    add_to_frontier(result.frontier, c);
    if (c.bytes > result.capacity)
    {
        add_to_nearest_miss(result.nearest_miss, c);
        return nullptr;
    }
    add_to_best(result.best, objective, c);
    return add_to_cuts(cuts, objective, c);
}

void keep_smallest_draws(std::vector<Candidate>& sample)
{
    if (sample.size() > kMostSampled)
    {
        const auto last = sample.begin() + kMostSampled - 1;
        std::ranges::nth_element(sample, last, {}, &Candidate::draw);
        sample.erase(last + 1, sample.end());
    }
}

// Ties go to what is simpler to run.
bool better(Objective objective, const Candidate& a, const Candidate& b)
{
    const auto first = [&](const Candidate& c)
    {
        return objective == Objective::memory ? c.bytes
               : objective == Objective::cost ? c.gpu_seconds()
                                              : c.pace();
    };
    if (a.tight != b.tight || first(a) != first(b))
    {
        return a.tight != b.tight ? b.tight : first(a) < first(b);
    }
    const auto key = [&](const Candidate& c)
    {
        const Layout& l = c.layout;
        return std::tuple(c.seconds, c.bytes, l.zero, l.pipeline, l.tensor, l.context, l.chunks,
                          l.sequence_parallel, l.micro_batch, l.expert, l.expert_tensor, l.gpus, l.recompute,
                          l.schedule->id);
    };
    return key(a) < key(b);
}

double roomy_bytes(double capacity, const SearchLimits& limits)
{
    assert(capacity >= 0 && limits.headroom >= 0 && limits.headroom < 1);
    return capacity * (1 - limits.headroom);
}

SearchResult merged(const SearchResult& a, const SearchResult& b, Objective objective)
{
    SearchResult all = a;
    all.capacity = std::max(a.capacity, b.capacity);
    all.tried += b.tried;
    all.legal += b.legal;
    all.fit += b.fit;
    all.tight += b.tight;
    for (std::size_t r = 0; r < kRejections; ++r)
    {
        all.rejected[r] += b.rejected[r];
    }
    for (const Candidate& c : b.best)
    {
        add_to_best(all.best, objective, c);
    }
    for (const Candidate& c : b.frontier)
    {
        add_to_frontier(all.frontier, c);
    }
    Cuts cuts;
    for (const std::vector<Candidate>* part : {&a.cuts, &b.cuts})
    {
        for (const Candidate& c : *part)
        {
            add_to_cuts(cuts, objective, c);
        }
    }
    all.cuts = listed(cuts, objective);
    all.sample.insert(all.sample.end(), b.sample.begin(), b.sample.end());
    keep_smallest_draws(all.sample);
    if (b.nearest_miss)
    {
        add_to_nearest_miss(all.nearest_miss, *b.nearest_miss);
    }
    return all;
}

// Layouts of one schedule and shape come after each other, since they share orders.
SearchResult timed(Scenario s, SearchResult result, Objective objective)
{
    s.parallel.stage_layers.clear();
    std::vector<Candidate> kept = std::exchange(result.best, {});
    for (const std::vector<Candidate>& more :
         {std::exchange(result.frontier, {}), std::exchange(result.cuts, {})})
    {
        kept.insert(kept.end(), more.begin(), more.end());
    }
    if (const auto miss = std::exchange(result.nearest_miss, {}))
    {
        kept.push_back(*miss);
    }
    const auto key = [](const Candidate& c)
    {
        const Layout& l = c.layout;
        const std::int64_t data = l.gpus / (l.tensor * l.context * l.pipeline);
        return std::tuple(l.schedule->id, l.pipeline, l.chunks, l.global_batch / (data * l.micro_batch),
                          l.tensor, l.context, l.expert, l.expert_tensor, l.zero, l.recompute,
                          l.recompute_layers, l.sequence_parallel, l.sequence_length);
    };
    std::sort(kept.begin(), kept.end(),
              [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    kept.erase(std::unique(kept.begin(), kept.end(),
                           [](const Candidate& a, const Candidate& b) { return a.layout == b.layout; }),
               kept.end());
    Cuts cuts;
    const std::int64_t shard_group = s.parallel.shard_group; // apply() drops one that does not divide
    for (Candidate& c : kept)
    {
        s.parallel.shard_group = shard_group;
        apply(c.layout, s);
        fill(c, step_time(s));
        add_band(c, s);
        keep(result, cuts, objective, c);
    }
    result.cuts = listed(cuts, objective);
    drop_twins(result.best);
    std::ranges::sort(result.sample, {}, &Candidate::draw);
    return result;
}

} // namespace ringside
