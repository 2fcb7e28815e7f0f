// One file, since all of the search works on one state: the sizes, schedule and layer that are looked at.
#include "core/planner/search/layout_search.h"

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/planner/kept_layouts.h"
#include "core/scenario/choices.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <tuple>
#include <utility>

namespace ringside
{

namespace
{

// Alternate is torchtitan's: looked at where that is asked for.
constexpr std::array kRecomputes{Recompute::none, Recompute::selective, Recompute::full,
                                 Recompute::alternate};

// Schedules whose order is searched for, so that only simulating tells their idle time.
bool is_searched(ScheduleKind kind)
{
    return kind->kept == nullptr;
}

} // namespace

bool SearchLimits::keeps_fixed(const Layout& layout) const
{
    const auto kept = [&](const LayoutField& field) {
        return std::find(fixed.begin(), fixed.end(), field.name) == fixed.end() ||
               same_in(layout, like, field);
    };
    return fixed.empty() || std::ranges::all_of(layout_fields(), kept);
}

Scenario searched_scenario(const Scenario& scenario, const SearchLimits& limits)
{
    Scenario s = without_layout(scenario);
    if (limits.freed.tokens())
    {
        apply(works_of(s, limits.freed).front(), s);
    }
    s.cluster.gpus = gpus_of(s, limits.freed).front();
    if (limits.freed.recompute_layers)
    {
        s.training.recompute_layers = 0;
    }
    return s;
}

LayoutSearch::LayoutSearch(const Scenario& scenario, const SearchLimits& limits, std::size_t part,
                           std::size_t parts)
    : s_(scenario), limits_(limits), model_(scenario), counts_(part == 0), whole_(parts == 1)
{
    assert(parts > 0 && part < parts);
    s_.parallel.stage_layers.clear();
    if (limits_.freed.recompute_layers)
    {
        s_.training.recompute_layers = 0;
    }
    result_.capacity = memory_capacity(s_).value;
    list_units();
    keep_part(part, parts);
}

void LayoutSearch::reject(Rejection reason, std::int64_t times)
{
    result_.rejected[static_cast<std::size_t>(reason)] += times;
    result_.tried += times;
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
        if (s_.parallel.pipeline == 1 || limits_.zero_with_stages || !limits_.any_framework())
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

bool LayoutSearch::set_unit(const Unit& unit)
{
    s_.cluster.gpus = unit.gpus;
    Parallel& p = s_.parallel;
    p.tensor = unit.tensor;
    p.context = unit.context;
    p.pipeline = unit.pipeline;
    p.expert = unit.expert;
    p.expert_tensor = unit.expert_tensor;
    s_.training.micro_batch = unit.micro_batch;
    apply(unit.work, s_);
    Layout sizes = limits_.like;
    sizes.gpus = unit.gpus;
    sizes.tensor = unit.tensor;
    sizes.context = unit.context;
    sizes.pipeline = unit.pipeline;
    sizes.expert = unit.expert;
    sizes.expert_tensor = unit.expert_tensor;
    sizes.micro_batch = unit.micro_batch;
    sizes.global_batch = unit.work.global_batch;
    sizes.sequence_length = unit.work.sequence_length;
    return limits_.keeps_fixed(sizes);
}

// What all layouts of a unit have in common.
void LayoutSearch::share(const Unit& unit)
{
    const bool any = limits_.any_framework();
    shared_.plans.clear();
    // Those with a closed form first: what they reach spares simulating many of the others.
    const std::vector<Plan>& all = plans(unit, micro_batches(s_));
    for (const bool searched : {false, true})
    {
        for (const Plan& plan : all)
        {
            if (is_searched(plan.schedule) != searched)
            {
                continue;
            }
            s_.training.schedule = plan.schedule;
            s_.parallel.chunks = plan.chunks;
            const bool runs = any || runs_schedule(limits_.framework, s_);
            shared_.plans.push_back({plan, runs, runs ? memory_.pipeline(s_) : PipelineMemory()});
        }
    }
    shared_.units = work_units(s_, limits_.freed);
    shared_.next_draw = mixed(unit.index);
    shared_.zero.clear();
    for (const std::int64_t zero : zero_stages())
    {
        s_.parallel.zero = zero;
        shared_.zero.push_back({zero, any || runs_sharding(limits_.framework, s_)});
    }
    shared_.refused_zero = dense_replicas(s_) > 1 ? 4 - static_cast<std::int64_t>(shared_.zero.size()) : 0;
    const auto cut = cuts_.find(cut_of(layout_of(s_)));
    shared_.best = cut == cuts_.end() ? nullptr : &cut->second;
}

void LayoutSearch::look_at(const Unit& unit)
{
    if (!set_unit(unit))
    {
        reject(Rejection::allowed);
        return;
    }
    share(unit);
    for (const bool sequence : {false, true})
    {
        if (sequence && unit.tensor == 1)
        {
            continue;
        }
        s_.parallel.sequence_parallel = sequence;
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
            if (again == Recompute::alternate &&
                (limits_.any_framework() ||
                 std::ranges::find(limits_.framework.recompute, again) == limits_.framework.recompute.end()))
            {
                continue;
            }
            if (again == Recompute::full && !limits_.full_recompute)
            {
                reject(Rejection::allowed);
                continue;
            }
            look_at_layers();
            if (again == Recompute::full && limits_.freed.recompute_layers &&
                (limits_.any_framework() || limits_.framework.recompute_layers))
            {
                look_at_some_layers();
            }
        }
    }
}

// All schedules and ZeRO stages of what a layer does.
void LayoutSearch::look_at_layers()
{
    const auto all = static_cast<std::int64_t>(shared_.plans.size());
    if (!limits_.any_framework() && !runs_layers(limits_.framework, s_))
    {
        reject(Rejection::framework, all);
        return;
    }
    const LayerKept layer(s_);
    shared_.least = -1;
    for (const PlanShared& plan : shared_.plans)
    {
        if (!plan.runs)
        {
            reject(Rejection::framework);
            continue;
        }
        s_.training.schedule = plan.plan.schedule;
        s_.parallel.chunks = plan.plan.chunks;
        if (s_.training.recompute_layers > 0) // of each chunk, so that schedules differ
        {
            shared_.least = -1;
        }
        MemoryModel::fill_tokens(s_, layer, plan.memory, tokens_);
        look_at_plan(plan);
    }
}

// Full recomputation of some of a stage's layers. More of them take more time and less memory, so that only
// the fewest that fit are looked at: those that leave the headroom, and those that do not. Where nothing has
// to be recomputed, none are.
void LayoutSearch::look_at_some_layers()
{
    if (!limits_.any_framework() && !runs_layers(limits_.framework, s_))
    {
        return;
    }
    const LayerKept layer(s_);
    s_.training.recompute = Recompute::none;
    const LayerKept whole(s_);
    shared_.least = StepModel::least_seconds(s_, model_.profile(s_));
    for (const PlanShared& plan : shared_.plans)
    {
        s_.training.schedule = plan.plan.schedule;
        s_.parallel.chunks = plan.plan.chunks;
        for (const auto& [zero, runs] : shared_.zero)
        {
            if (!plan.runs || !runs)
            {
                continue;
            }
            s_.parallel.zero = zero;
            s_.training.recompute = Recompute::none;
            if (bytes_of(plan, whole).value > roomy_bytes(result_.capacity, limits_))
            {
                s_.training.recompute = Recompute::full;
                look_at_fewest(plan, layer);
                s_.training.recompute_layers = 0;
            }
        }
    }
    s_.training.recompute = Recompute::full;
}

Bytes LayoutSearch::bytes_of(const PlanShared& plan, const LayerKept& layer)
{
    MemoryModel::fill_tokens(s_, layer, plan.memory, tokens_);
    return MemoryModel::fullest(s_, plan.memory, tokens_);
}

void LayoutSearch::look_at_fewest(const PlanShared& plan, const LayerKept& layer)
{
    const std::int64_t stages = virtual_stages(plan.plan.schedule, pipeline_shape(s_));
    const std::int64_t most = (s_.model.layers + stages - 1) / stages; // layers of one: all of them
    std::int64_t last = 0;
    for (const double room : {result_.capacity, roomy_bytes(result_.capacity, limits_)})
    {
        std::int64_t few = 0; // too few
        std::int64_t enough = most;
        while (enough - few > 1)
        {
            s_.training.recompute_layers = (few + enough) / 2;
            (bytes_of(plan, layer).value <= room ? enough : few) = s_.training.recompute_layers;
        }
        s_.training.recompute_layers = enough;
        Candidate c;
        c.layout = layout_of(s_);
        if (enough < most && enough != last && limits_.keeps_fixed(c.layout))
        {
            look_at_sized(c, bytes_of(plan, layer).value);
        }
        last = enough;
    }
}

// Whether a layout that no time below `c.seconds` is possible for could be kept.
bool LayoutSearch::could_count(const Candidate& c) const
{
    if (c.bytes > kFarTooLarge * result_.capacity)
    {
        return !result_.nearest_miss || c.bytes <= result_.nearest_miss->bytes;
    }
    if (c.bytes > result_.capacity)
    {
        return on_frontier(c) || !result_.nearest_miss || better(Objective::memory, c, *result_.nearest_miss);
    }
    return shared_.best == nullptr || better(limits_.objective, c, *shared_.best) ||
           result_.best.size() < kMostKept || better(limits_.objective, c, result_.best.back()) ||
           on_frontier(c);
}

bool LayoutSearch::on_frontier(const Candidate& c) const
{
    const auto above = std::upper_bound(result_.frontier.begin(), result_.frontier.end(), c.bytes,
                                        [](double bytes, const Candidate& f) { return bytes < f.bytes; });
    return above == result_.frontier.begin() || std::prev(above)->pace() > c.pace();
}

void LayoutSearch::look_at_plan(const PlanShared& plan)
{
    reject(Rejection::allowed, shared_.refused_zero);
    Candidate c;
    c.layout = layout_of(s_);
    for (const auto& [zero, runs] : shared_.zero)
    {
        s_.parallel.zero = c.layout.zero = zero;
        if (!runs)
        {
            reject(Rejection::framework);
        }
        else if (!limits_.keeps_fixed(c.layout))
        {
            reject(Rejection::allowed);
        }
        else
        {
            look_at_sized(c, MemoryModel::fullest(s_, plan.memory, tokens_).value);
        }
    }
}

// That takes so much memory. What could not count even if it took no time needs none.
void LayoutSearch::look_at_sized(Candidate& c, double bytes)
{
    c.bytes = bytes;
    c.tight = c.bytes > roomy_bytes(result_.capacity, limits_);
    c.seconds = 0;
    c.units = shared_.units;
    count(c);
    sample(c);
    bool needed = could_count(c);
    if (needed)
    {
        if (shared_.least < 0)
        {
            shared_.least = StepModel::least_seconds(s_, model_.profile(s_));
        }
        c.seconds = shared_.least;
        needed = could_count(c);
    }
    if (needed)
    {
        fill_time(c);
        take(c);
    }
}

void LayoutSearch::fill_time(Candidate& c)
{
    const StepProfile& profile = model_.profile(s_);
    const ScheduleKind kind = s_.training.schedule;
    if (!is_searched(kind) || s_.parallel.pipeline == 1)
    {
        fill(c, model_.estimate(s_, profile));
        return;
    }
    fill(c, model_.estimate(s_, profile, 0));
    const bool simulated = c.bytes <= result_.capacity && could_count(c);
    fill(c, model_.estimate(s_, profile,
                            simulated ? idle_.idle(kind, pipeline_shape(s_), model_.stage_times(s_, profile))
                                      : -1));
}

void LayoutSearch::count(const Candidate& c)
{
    ++result_.tried;
    ++result_.legal;
    const bool fits = c.bytes <= result_.capacity;
    result_.tight += fits && c.tight ? 1 : 0;
    ++(fits ? result_.fit : result_.rejected[static_cast<std::size_t>(Rejection::memory)]);
}

// What is drawn follows from the layout alone, so that all parts together keep what one alone would.
void LayoutSearch::sample(const Candidate& c)
{
    const std::uint64_t draw = mixed(shared_.next_draw++);
    if (draw > most_drawn_)
    {
        return;
    }
    drawn_.emplace_back(c).draw = draw;
    if (drawn_.size() > kMostSampled + kMostSampled / 4)
    {
        thin_sample();
    }
}

void LayoutSearch::thin_sample()
{
    if (drawn_.size() > kMostSampled)
    {
        keep_smallest_draws(drawn_);
        most_drawn_ = drawn_.back().draw;
    }
}

// Most of what is drawn is displaced by what is drawn later, so a running search times its sample seldom.
void LayoutSearch::time_sample()
{
    if (!done() && result_.legal < next_timed_)
    {
        return;
    }
    next_timed_ = 4 * result_.legal;
    thin_sample();
    Scenario laid = s_;
    for (Candidate& c : drawn_)
    {
        if (c.seconds == 0)
        {
            laid.parallel.shard_group = s_.parallel.shard_group;
            apply(c.layout, laid);
            fill(c, model_.estimate(laid, model_.profile(laid)));
        }
    }
    result_.sample = drawn_;
}

void LayoutSearch::take(const Candidate& c)
{
    const Candidate* best = keep(result_, cuts_, limits_.objective, c);
    shared_.best = best == nullptr ? shared_.best : best;
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
    time_sample();
    result_.cuts = listed(cuts_, limits_.objective);
    if (done())
    {
        finished_ = true;
        // What was tried is legal or rejected, and what is legal fits or does not.
        assert(result_.tried + result_.count(Rejection::memory) ==
               result_.legal + sum_over<std::int64_t>(result_.rejected));
        assert(result_.fit + result_.count(Rejection::memory) == result_.legal &&
               result_.tight <= result_.fit);
        if (whole_)
        {
            result_ = timed(s_, std::move(result_), limits_.objective);
        }
    }
    return !done();
}

} // namespace ringside
