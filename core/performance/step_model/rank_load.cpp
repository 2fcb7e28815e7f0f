#include "core/performance/step_model/rank_load.h"

#include "core/base/units.h"
#include "core/memory/memory.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>

namespace ringside
{

namespace
{

void add(StageCost& sum, const StageCost& cost, double times)
{
    sum.forward += times * cost.forward;
    sum.backward_input += times * cost.backward_input;
    sum.backward_weight += times * cost.backward_weight;
}

class Ranks
{
public:
    Ranks(const StepProfile& profile, const Scenario& s)
        : profile_(profile), m_(s.model), p_(s.parallel), kind_(s.training.schedule),
          placement_(kind_->placement)
    {
        virtual_stages_ = placement_ == Placement::two_way ? p_.pipeline : p_.pipeline * p_.chunks;
        const WeightFetch fetch = weight_fetch(s);
        for (std::size_t i = 0; i < kUnits; ++i)
        {
            costs_[i] = stage_cost(profile.units[i]);
            fetches_[i] = fetch.of(profile.units[i]);
        }
        // Activations that wait on the host go down beside the forward and come up before the backward.
        for (const bool experts : {false, true})
        {
            const double bytes =
                s.training.offload_activations > 0 && (!experts || s.model.experts > 0)
                    ? layer_activations(s.model, s.training, s.parallel, experts, s.training.recompute)
                    : 0;
            const double rate = s.cluster.gpu.pcie_gb_per_s * 1e9;
            fetches_[experts ? 1 : 0] += rate > 0 ? s.training.offload_activations * bytes / rate : 0;
        }
    }

    PipelineLoad all()
    {
        // Ranks between the ends are alike where layers are alike and cut evenly.
        const bool alike = p_.stage_layers.empty() && m_.mtp_layers == 0 &&
                           m_.layers % virtual_stages_ == 0 && (m_.experts == 0 || all_experts()) &&
                           placement_ != Placement::two_way;
        if (!alike || p_.pipeline <= 3)
        {
            for (std::int64_t rank = 0; rank < p_.pipeline; ++rank)
            {
                take(rank, 1);
            }
            return load_;
        }
        take(0, 1);
        take(1, static_cast<double>(p_.pipeline - 2));
        take(p_.pipeline - 1, 1);
        return load_;
    }

private:
    bool all_experts() const { return m_.dense_layers == 0 && m_.moe_interval == 1; }

    // Adds virtual stage `stage` to a rank that sees `share` of the micro-batches there.
    void put(RankLoad& rank, std::int64_t stage, double share) const
    {
        const std::int64_t layers = layers_of_stage(m_, p_, virtual_stages_, stage);
        const std::int64_t experts =
            m_.experts > 0
                ? layers_with_experts(m_, layers_before_stage(m_, p_, virtual_stages_, stage), layers)
                : 0;
        const bool last = stage + 1 == virtual_stages_;
        const bool embeds = stage == 0 || (last && embeds_again(m_, p_, placement_));
        const std::array<double, kUnits> here{static_cast<double>(layers - experts),
                                              static_cast<double>(experts), embeds ? 1.0 : 0.0,
                                              last ? 1.0 : 0.0};
        for (std::size_t i = 0; i < kUnits; ++i)
        {
            rank.units[i] += share * here[i];
            rank.fetch += share * here[i] * fetches_[i];
            add(rank.alone, costs_[i], share * here[i]);
            rank.dense += here[i] * profile_.units[i].dense;
            rank.expert += here[i] * profile_.units[i].expert;
        }
    }

    RankLoad load_of(std::int64_t r) const
    {
        RankLoad rank;
        const std::int64_t p = p_.pipeline;
        if (placement_ == Placement::two_way)
        {
            put(rank, r, 0.5);
            put(rank, p - 1 - r, 0.5);
        }
        for (std::int64_t k = 0; placement_ != Placement::two_way && k < p_.chunks; ++k)
        {
            const bool back = placement_ == Placement::v && k % 2 == 1;
            put(rank, back ? (k + 1) * p - 1 - r : k * p + r, 1);
        }
        rank.passes = with_wait(rank.alone, rank.fetch, kind_);
        return rank;
    }

    // `times` ranks like `r`.
    void take(std::int64_t r, double times)
    {
        const RankLoad rank = load_of(r);
        const double seconds = rank.passes.forward + rank.passes.backward();
        load_.all_seconds += times * seconds;
        if (seconds > load_.slowest_seconds)
        {
            load_.slowest_seconds = seconds;
            load_.slowest = rank;
        }
        load_.layers = std::max(load_.layers, rank.units[0] + rank.units[1]);
        if (rank.dense + rank.expert > load_.dense + load_.expert)
        {
            load_.dense = rank.dense;
            load_.expert = rank.expert;
        }
    }

    const StepProfile& profile_;
    const Model& m_;
    const Parallel& p_;
    ScheduleKind kind_;
    Placement placement_;
    std::int64_t virtual_stages_ = 1;
    std::array<StageCost, kUnits> costs_{};
    std::array<double, kUnits> fetches_{}; // [s]
    PipelineLoad load_;
};

} // namespace

WeightFetch weight_fetch(const Scenario& s)
{
    if (!offloads_weights(s.training.offload))
    {
        return {};
    }
    // Through the disks too where they lie there; all that this GPU needs, or its shard.
    const double pcie = s.cluster.gpu.pcie_gb_per_s;
    const double rate = uses_nvme(s.training.offload) ? std::min(pcie, s.cluster.nvme_gb_per_s) : pcie;
    const double each = element_bytes(s.training) / std::max(1.0, rate * 1e9);
    const bool sharded = s.parallel.zero >= 3;
    const auto copies = static_cast<double>(weight_copies(s.training.schedule));
    return {each / (sharded ? copies * real(dense_shards(s)) : 1),
            each / (sharded ? copies * real(expert_shards(s)) : 1)};
}

StageCost stage_cost(const UnitProfile& unit)
{
    return {unit.forward.total(), unit.again.total() + unit.input.total(), unit.weight.total()};
}

StageCost with_wait(StageCost cost, double fetch, ScheduleKind kind)
{
    cost.forward = std::max(cost.forward, fetch);
    cost.backward_input =
        std::max(cost.backward_input, fetch - (kind->splits_backward ? 0 : cost.backward_weight));
    return cost;
}

std::int64_t layers_with_experts(const Model& m, std::int64_t first, std::int64_t count)
{
    const std::int64_t step = std::max<std::int64_t>(1, m.moe_interval);
    const auto before = [&](std::int64_t end)
    { return end <= m.dense_layers ? 0 : (end - m.dense_layers + step - 1) / step; };
    return m.experts > 0 ? before(first + count) - before(first) : 0;
}

PipelineLoad pipeline_load(const StepProfile& profile, const Scenario& scenario)
{
    return Ranks(profile, scenario).all();
}

} // namespace ringside
