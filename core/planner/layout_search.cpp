#include "core/planner/layout_search.h"

#include "core/scenario/choices.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

using Cuts = std::map<std::array<std::int64_t, 5>, Candidate>;

constexpr std::int64_t kDeep = 8; // stages
constexpr std::array kRecomputes{Recompute::none, Recompute::selective, Recompute::full};

// Keeps `frontier` ascending in bytes and descending in seconds.
void add_to_frontier(std::vector<Candidate>& frontier, const Candidate& c)
{
    const auto at = std::upper_bound(frontier.begin(), frontier.end(), c.bytes,
                                     [](double bytes, const Candidate& f) { return bytes < f.bytes; });
    if (at != frontier.begin())
    {
        Candidate& before = *std::prev(at);
        if (before.bytes == c.bytes && before.seconds == c.seconds)
        {
            before = better(Objective::step_time, c, before) ? c : before;
            return;
        }
        if (before.seconds <= c.seconds)
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
    while (to != frontier.end() && to->seconds >= c.seconds)
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

// Schedules whose order is searched for, so that only simulating tells their idle time.
bool is_searched(ScheduleKind kind)
{
    return kind->kept == nullptr;
}

void fill(Candidate& c, const StepTime& step)
{
    c.seconds = step.total();
    c.mfu = step.mfu();
    c.bubble = step.bubble / c.seconds;
}

std::array<std::int64_t, 5> cut_of(const Layout& l)
{
    return {l.gpus, l.tensor, l.context, l.pipeline, l.expert};
}

void add_to_cuts(Cuts& cuts, Objective objective, const Candidate& c)
{
    const auto [at, fresh] = cuts.emplace(cut_of(c.layout), c);
    if (!fresh && better(objective, c, at->second))
    {
        at->second = c;
    }
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

// Where it is among the best of its kind.
void keep(SearchResult& result, Cuts& cuts, Objective objective, const Candidate& c)
{
    add_to_frontier(result.frontier, c);
    if (c.bytes > result.capacity)
    {
        add_to_nearest_miss(result.nearest_miss, c);
        return;
    }
    add_to_best(result.best, objective, c);
    add_to_cuts(cuts, objective, c);
}

// Of layouts that differ in the order alone, and not even in that where they take the same time, the first.
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

void thin(std::vector<Candidate>& sample)
{
    std::vector<Candidate> half;
    for (std::size_t i = 0; i < sample.size(); i += 2)
    {
        half.push_back(sample[i]);
    }
    sample = std::move(half);
}

} // namespace

// Ties go to what is simpler to run.
bool better(Objective objective, const Candidate& a, const Candidate& b)
{
    const auto key = [&](const Candidate& c)
    {
        const double first = objective == Objective::memory ? c.bytes
                             : objective == Objective::cost ? c.gpu_seconds()
                                                            : c.seconds;
        const Layout& l = c.layout;
        return std::tuple(first, c.seconds, c.bytes, l.zero, l.pipeline, l.tensor, l.context, l.chunks,
                          l.sequence_parallel, l.micro_batch, l.expert, l.expert_tensor, l.gpus, l.recompute,
                          l.schedule->id);
    };
    return key(a) < key(b);
}

SearchResult merged(const SearchResult& a, const SearchResult& b, Objective objective)
{
    SearchResult all = a;
    all.capacity = std::max(a.capacity, b.capacity);
    all.tried += b.tried;
    all.legal += b.legal;
    all.fit += b.fit;
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
    while (all.sample.size() > kMostSampled)
    {
        thin(all.sample);
    }
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
    const auto key = [&s](const Candidate& c)
    {
        const Layout& l = c.layout;
        const std::int64_t data = l.gpus / (l.tensor * l.context * l.pipeline);
        return std::tuple(l.schedule->id, l.pipeline, l.chunks,
                          s.training.global_batch / (data * l.micro_batch), l.tensor, l.context, l.expert,
                          l.expert_tensor, l.zero, l.recompute, l.sequence_parallel);
    };
    std::sort(kept.begin(), kept.end(),
              [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    kept.erase(std::unique(kept.begin(), kept.end(),
                           [](const Candidate& a, const Candidate& b) { return a.layout == b.layout; }),
               kept.end());
    Cuts cuts;
    for (Candidate& c : kept)
    {
        apply(c.layout, s);
        fill(c, step_time(s));
        keep(result, cuts, objective, c);
    }
    result.cuts = listed(cuts, objective);
    drop_twins(result.best);
    return result;
}

LayoutSearch::LayoutSearch(const Scenario& scenario, const SearchLimits& limits, std::size_t part,
                           std::size_t parts)
    : s_(scenario), limits_(limits), model_(scenario), counts_(part == 0), whole_(parts == 1)
{
    s_.parallel.stage_layers.clear();
    result_.capacity = std::max(0.0, (s_.cluster.gpu.memory_gb - s_.training.reserved_gb) * 1e9);
    list_units();
    keep_part(part, parts);
}

// Pipelines of one shape stay together, because what is simulated for one serves all of them; the largest
// group goes to whoever has least.
void LayoutSearch::keep_part(std::size_t part, std::size_t parts)
{
    std::map<std::array<std::int64_t, 2>, std::int64_t> sizes;
    const auto group_of = [&](const Unit& u)
    {
        const std::int64_t data = u.gpus / (u.tensor * u.context * u.pipeline);
        return std::array{u.pipeline, s_.training.global_batch / (data * u.micro_batch)};
    };
    for (const Unit& unit : units_)
    {
        ++sizes[group_of(unit)];
    }
    std::vector<std::pair<std::int64_t, std::array<std::int64_t, 2>>> groups;
    groups.reserve(sizes.size());
    for (const auto& [group, size] : sizes)
    {
        groups.emplace_back(size * (group[0] > 1 ? 8 : 1), group);
    }
    std::sort(groups.rbegin(), groups.rend());
    std::vector<std::int64_t> load(parts, 0);
    std::map<std::array<std::int64_t, 2>, std::size_t> owner;
    for (const auto& [work, group] : groups)
    {
        const auto least = std::min_element(load.begin(), load.end());
        *least += work;
        owner[group] = static_cast<std::size_t>(least - load.begin());
    }
    std::erase_if(units_, [&](const Unit& unit) { return owner[group_of(unit)] != part; });
}

void LayoutSearch::reject(Rejection reason, std::int64_t times)
{
    result_.rejected[static_cast<std::size_t>(reason)] += times;
    result_.tried += times;
}

void LayoutSearch::list_units()
{
    const Model& m = s_.model;
    const std::int64_t all = s_.cluster.gpus;
    for (std::int64_t gpus = all; gpus >= 1; gpus = gpus % 2 == 0 ? gpus / 2 : 0)
    {
        for (const std::int64_t tensor : divisors(gpus))
        {
            const bool kv =
                m.attention == Attention::mla || m.kv_heads % tensor == 0 || tensor % m.kv_heads == 0;
            if (m.heads % tensor != 0 || m.ffn % tensor != 0 || !kv)
            {
                reject(Rejection::heads, counts_ ? 1 : 0);
                continue;
            }
            if (tensor > s_.cluster.gpus_per_node && !limits_.tensor_across_nodes)
            {
                reject(Rejection::allowed, counts_ ? 1 : 0);
                continue;
            }
            for (const std::int64_t context : divisors(gpus / tensor))
            {
                if (s_.training.sequence_length % context != 0)
                {
                    reject(Rejection::sequence, counts_ ? 1 : 0);
                    continue;
                }
                for (const std::int64_t pipeline : divisors(gpus / tensor / context))
                {
                    if (m.layers < pipeline)
                    {
                        reject(Rejection::layers, counts_ ? 1 : 0);
                    }
                    else if (pipeline > kDeep && !limits_.deep_pipelines)
                    {
                        reject(Rejection::allowed, counts_ ? 1 : 0);
                    }
                    else
                    {
                        list_experts({gpus, tensor, context, pipeline, 1, 1, 1});
                    }
                }
            }
        }
        if (limits_.objective != Objective::cost)
        {
            break;
        }
    }
    // What is usually good first, so that an early look already shows a good answer.
    const auto guess = [&](const Unit& u)
    { return std::tuple(u.context, u.micro_batch > 4, u.tensor * u.pipeline < 4, -u.gpus, u.pipeline); };
    std::stable_sort(units_.begin(), units_.end(),
                     [&](const Unit& a, const Unit& b) { return guess(a) < guess(b); });
}

void LayoutSearch::list_experts(Unit unit)
{
    const Model& m = s_.model;
    if (m.experts == 0)
    {
        list_micro_batches(unit);
        return;
    }
    const std::int64_t ranks = unit.gpus / unit.pipeline;
    for (const std::int64_t expert : divisors(m.experts))
    {
        // Experts are cut as the dense part is, or not at all.
        for (const std::int64_t cut : {std::int64_t{1}, unit.tensor})
        {
            if (ranks % (expert * cut) != 0 || m.expert_ffn % cut != 0)
            {
                reject(Rejection::experts, counts_ ? 1 : 0);
            }
            else
            {
                unit.expert = expert;
                unit.expert_tensor = cut;
                list_micro_batches(unit);
            }
            if (unit.tensor == 1)
            {
                break;
            }
        }
    }
}

void LayoutSearch::list_micro_batches(Unit unit)
{
    const std::int64_t data = unit.gpus / (unit.tensor * unit.context * unit.pipeline);
    if (s_.training.global_batch % data != 0)
    {
        reject(Rejection::batch, counts_ ? 1 : 0);
        return;
    }
    for (const std::int64_t micro_batch : divisors(s_.training.global_batch / data))
    {
        unit.micro_batch = micro_batch;
        units_.push_back(unit);
    }
}

// The schedules for so many stages and micro-batches; what they refuse is counted with them.
const std::vector<LayoutSearch::Plan>& LayoutSearch::plans(const Unit& unit, std::int64_t micro_batches)
{
    auto& [list, refused] = plans_[{unit.pipeline, micro_batches}];
    if (list.empty() && refused[0] + refused[1] == 0)
    {
        if (unit.pipeline == 1)
        {
            list.push_back({schedule("1f1b"), 1});
        }
        for (const ScheduleKind kind : schedules())
        {
            const std::int64_t layers = s_.model.layers / unit.pipeline;
            for (std::int64_t chunks = kind->least_chunks;
                 unit.pipeline > 1 && chunks <= std::min(kind->most_chunks, layers); ++chunks)
            {
                // An uneven cut is tried with the fewest chunks only.
                const std::int64_t all = virtual_stages(kind, {unit.pipeline, micro_batches, chunks});
                if (s_.model.layers % all != 0 && chunks > kind->least_chunks)
                {
                    ++refused[0];
                }
                else if (!check_shape(kind, {unit.pipeline, micro_batches, chunks}).empty())
                {
                    ++refused[1];
                }
                else
                {
                    list.push_back({kind, chunks});
                }
            }
        }
    }
    reject(Rejection::layers, refused[0]);
    reject(Rejection::schedule, refused[1]);
    return list;
}

std::vector<std::int64_t> LayoutSearch::zero_stages() const
{
    std::vector<std::int64_t> stages{0};
    if (dense_replicas(s_) > 1)
    {
        stages = {0, 1};
        if (s_.parallel.pipeline == 1 || limits_.zero_with_stages)
        {
            stages.push_back(2);
            if (limits_.zero3)
            {
                stages.push_back(3);
            }
        }
    }
    return stages;
}

void LayoutSearch::look_at(const Unit& unit)
{
    s_.cluster.gpus = unit.gpus;
    Parallel& p = s_.parallel;
    p.tensor = unit.tensor;
    p.context = unit.context;
    p.pipeline = unit.pipeline;
    p.expert = unit.expert;
    p.expert_tensor = unit.expert_tensor;
    s_.training.micro_batch = unit.micro_batch;
    const std::vector<Plan>& all = plans(unit, micro_batches(s_));
    for (const bool sequence : {false, true})
    {
        if (sequence && unit.tensor == 1)
        {
            continue;
        }
        p.sequence_parallel = sequence;
        if (sequence && s_.training.sequence_length % (unit.tensor * unit.context) != 0)
        {
            reject(Rejection::sequence);
            continue;
        }
        for (const Recompute again : kRecomputes)
        {
            s_.training.recompute = again;
            if (again == Recompute::selective && s_.training.flash_attention)
            {
                continue; // drops the scores, which flash attention never keeps: the same layout
            }
            if (again == Recompute::full && !limits_.full_recompute)
            {
                reject(Rejection::allowed);
                continue;
            }
            // Those with a closed form first: what they reach spares simulating many of the others.
            for (const bool searched : {false, true})
            {
                for (const Plan& plan : all)
                {
                    if (is_searched(plan.schedule) == searched)
                    {
                        look_at_plan(plan);
                    }
                }
            }
        }
    }
}

// Whether a layout that no time below `c.seconds` is possible for could be kept anywhere but in the sample.
bool LayoutSearch::could_count(const Candidate& c) const
{
    if (c.bytes > result_.capacity)
    {
        return false;
    }
    const auto cut = cuts_.find(cut_of(c.layout));
    if (cut == cuts_.end() || better(limits_.objective, c, cut->second) || result_.best.size() < kMostKept ||
        better(limits_.objective, c, result_.best.back()))
    {
        return true;
    }
    const auto above = std::upper_bound(result_.frontier.begin(), result_.frontier.end(), c.bytes,
                                        [](double bytes, const Candidate& f) { return bytes < f.bytes; });
    return above == result_.frontier.begin() || std::prev(above)->seconds > c.seconds;
}

void LayoutSearch::look_at_plan(const Plan& plan)
{
    s_.training.schedule = plan.schedule;
    s_.parallel.chunks = plan.chunks;
    const StepProfile& profile = model_.profile(s_);
    const Cut& cut = memory_.cut(s_);
    const auto worst = memory_.worst(s_, cut, memory_.kept(s_));
    const std::vector<std::int64_t> stages = zero_stages();
    reject(Rejection::allowed, dense_replicas(s_) > 1 ? 4 - static_cast<std::int64_t>(stages.size()) : 0);
    for (const std::int64_t zero : stages)
    {
        s_.parallel.zero = zero;
        Candidate c;
        c.layout = layout_of(s_);
        c.bytes = memory_.fullest(s_, cut, worst).value;
        if (is_searched(plan.schedule) && s_.parallel.pipeline > 1)
        {
            fill(c, model_.estimate(s_, profile, 0));
            const double waits = could_count(c) ? idle_.idle(plan.schedule, pipeline_shape(s_),
                                                             model_.stage_times(s_, profile))
                                                : -1;
            fill(c, model_.estimate(s_, profile, waits));
        }
        else
        {
            fill(c, model_.estimate(s_, profile));
        }
        take(c);
    }
}

void LayoutSearch::take(const Candidate& c)
{
    ++result_.tried;
    ++result_.legal;
    if (result_.legal % every_ == 0)
    {
        result_.sample.push_back(c);
        if (result_.sample.size() > kMostSampled)
        {
            thin(result_.sample);
            every_ *= 2;
        }
    }
    const bool fits = c.bytes <= result_.capacity;
    ++(fits ? result_.fit : result_.rejected[static_cast<std::size_t>(Rejection::memory)]);
    keep(result_, cuts_, limits_.objective, c);
}

double LayoutSearch::progress() const
{
    return units_.empty() ? 1 : static_cast<double>(next_) / static_cast<double>(units_.size());
}

bool LayoutSearch::advance(std::int64_t layouts)
{
    if (finished_)
    {
        return false;
    }
    const std::int64_t until = result_.legal + layouts;
    while (!done() && result_.legal < until)
    {
        look_at(units_[next_++]);
    }
    result_.cuts = listed(cuts_, limits_.objective);
    if (done())
    {
        finished_ = true;
        if (whole_)
        {
            result_ = timed(s_, std::move(result_), limits_.objective);
        }
    }
    return !done();
}

} // namespace ringside
