// What a layout search looks at in one go, and which part of it all.
#include "core/planner/search/layout_search.h"
#include "core/scenario/choices.h"

#include <algorithm>
#include <tuple>

namespace ringside
{

namespace
{

constexpr std::int64_t kDeep = 8; // stages

} // namespace

// Pipelines of one shape stay together, because what is simulated for one serves all of them; the largest
// group goes to the one that has least.
void LayoutSearch::keep_part(std::size_t part, std::size_t parts)
{
    std::map<std::array<std::int64_t, 2>, std::int64_t> sizes;
    const auto group_of = [&](const Unit& u)
    {
        const std::int64_t data = u.gpus / (u.tensor * u.context * u.pipeline);
        return std::array{u.pipeline, u.work.global_batch / (data * u.micro_batch)};
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

void LayoutSearch::list_units()
{
    for (const StepWork& work : works_of(s_, limits_.freed))
    {
        list_all(work);
    }
    // What is usually good first, so that an early look already shows a good answer.
    const auto guess = [&](const Unit& u)
    { return std::tuple(u.context, u.micro_batch > 4, u.tensor * u.pipeline < 4, -u.gpus, u.pipeline); };
    std::stable_sort(units_.begin(), units_.end(),
                     [&](const Unit& a, const Unit& b) { return guess(a) < guess(b); });
    for (std::size_t i = 0; i < units_.size(); ++i)
    {
        units_[i].index = i;
    }
}

// What is freed; else all, and where they are paid for also half as many, and so on.
std::vector<std::int64_t> LayoutSearch::gpus_tried() const
{
    if (limits_.freed.gpus.on())
    {
        std::vector<std::int64_t> all = gpus_of(s_, limits_.freed);
        std::ranges::reverse(all);
        return all;
    }
    std::vector<std::int64_t> all{s_.cluster.gpus};
    while (limits_.objective == Objective::cost && all.back() % 2 == 0)
    {
        all.push_back(all.back() / 2);
    }
    return all;
}

void LayoutSearch::list_all(const StepWork& work)
{
    const Model& m = s_.model;
    for (const std::int64_t gpus : gpus_tried())
    {
        for (const std::int64_t tensor : divisors(gpus))
        {
            const bool groups = m.attention != Attention::shared_kv || m.output_groups % tensor == 0;
            if (m.heads % tensor != 0 || m.ffn % tensor != 0 || m.shared_kv_ffn % tensor != 0 || !groups ||
                !kv_heads_split(m, tensor) || !linear_heads_split(m, tensor))
            {
                reject(Rejection::heads, counts_ ? 1 : 0);
            }
            else if (tensor > s_.cluster.gpus_per_node && !limits_.tensor_across_nodes)
            {
                reject(Rejection::allowed, counts_ ? 1 : 0);
            }
            else
            {
                list_groups(gpus, tensor, work);
            }
        }
    }
}

// Lists the groups of context and pipeline parallelism.
void LayoutSearch::list_groups(std::int64_t gpus, std::int64_t tensor, const StepWork& work)
{
    for (const std::int64_t context : divisors(gpus / tensor))
    {
        if (work.sequence_length % context != 0)
        {
            reject(Rejection::sequence, counts_ ? 1 : 0);
            continue;
        }
        for (const std::int64_t pipeline : divisors(gpus / tensor / context))
        {
            if (s_.model.layers < pipeline)
            {
                reject(Rejection::layers, counts_ ? 1 : 0);
            }
            else if (pipeline > kDeep && !limits_.deep_pipelines)
            {
                reject(Rejection::allowed, counts_ ? 1 : 0);
            }
            else
            {
                list_experts({gpus, tensor, context, pipeline, 1, 1, 1, work});
            }
        }
    }
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
    if (unit.work.global_batch % data != 0)
    {
        reject(Rejection::batch, counts_ ? 1 : 0);
        return;
    }
    for (const std::int64_t micro_batch : divisors(unit.work.global_batch / data))
    {
        unit.micro_batch = micro_batch;
        units_.push_back(unit);
    }
}

} // namespace ringside
