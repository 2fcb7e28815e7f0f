#include "core/lab/ranks/team_config.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/model/sizes.h"
#include "core/model/stages.h"
#include "core/performance/compression/bucket.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ringside::parallel
{

namespace
{

constexpr std::int64_t kMostFactorRank = 64;

class TeamChecks
{
public:
    explicit TeamChecks(const TeamConfig& config) : c_(config), p_(config.parallel) {}

    Issues all()
    {
        ranks();
        absent();
        tensor();
        context();
        experts();
        pipeline();
        compression();
        return std::move(issues_);
    }

private:
    void fault_if(bool wrong, std::string path, std::string message, std::string hint)
    {
        add_if(issues_, wrong, {std::move(path), std::move(message), std::move(hint)});
    }
    void ranks()
    {
        const std::int64_t each = replica_gpus(p_);
        const bool good = c_.ranks >= 1 && c_.ranks <= kMostTeamRanks;
        fault_if(!good, "ranks", fmt::format("{} ranks", c_.ranks),
                 fmt::format("use 1 to {}", kMostTeamRanks));
        fault_if(good && (each < 1 || c_.ranks % each != 0), "ranks",
                 fmt::format("{} ranks do not make whole groups of {}", c_.ranks, each),
                 fmt::format("use a multiple of tensor x context x pipeline = {}", each));
    }
    void absent()
    {
        fault_if(c_.trainer.training.precision == Precision::fp8, "training.precision",
                 "8-bit copies of weights are not split here", "use fp32, bf16 or fp16");
        fault_if(p_.shard_group > 0, "parallel.shard_group", "all replicas share one sharded copy here",
                 "use 0");
        fault_if(c_.trainer.recipe.stochastic_rounding, "recipe.stochastic_rounding",
                 "would differ from rank to rank", "switch it off");
    }
    void tensor()
    {
        const Model& m = c_.trainer.model;
        const auto divides = [this](std::string_view what, std::int64_t count)
        {
            fault_if(p_.tensor > 0 && count % p_.tensor != 0, "parallel.tensor",
                     fmt::format("{} cannot split {} {}", p_.tensor, count, what),
                     fmt::format("use a divisor of {}", count));
        };
        divides("heads", m.heads);
        divides("key and value heads", m.kv_heads);
        divides("columns of the MLP", m.ffn);
        divides("words of the vocabulary", m.vocab);
        if (p_.sequence_parallel)
        {
            divides("tokens of a micro-batch", c_.trainer.training.micro_batch *
                                                   c_.trainer.training.sequence_length /
                                                   std::max<std::int64_t>(1, p_.context));
        }
    }
    void context()
    {
        const Training& t = c_.trainer.training;
        fault_if(p_.context > 1 && t.sequence_length % (2 * p_.context) != 0, "parallel.context",
                 fmt::format("{} tokens do not split into two chunks for each of {} ranks", t.sequence_length,
                             p_.context),
                 fmt::format("use a sequence of a multiple of {}", 2 * p_.context));
        fault_if(p_.context > 1 && !t.flash_attention, "training.flash_attention",
                 "in ring attention no rank has the probabilities of all keys",
                 "switch flash attention on, or use parallel.context 1");
    }
    void experts()
    {
        if (c_.trainer.model.experts == 0)
        {
            fault_if(p_.expert != 1, "parallel.expert",
                     fmt::format("{} ranks for them, but the model has no experts", p_.expert),
                     "use 1, or give it some: model.experts 8");
            return;
        }
        fault_if(p_.expert_tensor != 1, "parallel.expert_tensor", "an expert's matrices are not sharded here",
                 "use 1");
        fault_if(p_.tensor != 1, "parallel.tensor",
                 "a model with experts is not sharded by tensor parallelism here",
                 "use 1; data, expert and pipeline parallelism and ZeRO go with experts");
        fault_if(p_.context != 1, "parallel.context",
                 "expert capacity is counted over whole sequences, which context parallelism splits",
                 "use 1; data, expert and pipeline parallelism and ZeRO go with experts");
    }
    void pipeline()
    {
        const Training& t = c_.trainer.training;
        const bool twice = t.schedule->placement == Placement::two_way;
        fault_if(twice, "training.schedule", fmt::format("{} holds every stage twice", t.schedule->name),
                 "use 1f1b, interleaved, zb-v or another that holds it once");
        fault_if(!twice && p_.pipeline > 1 && c_.trainer.model.tied_embeddings && p_.zero >= 2,
                 "parallel.zero",
                 "with tied embeddings, the first and the last stage sum unsharded gradients",
                 "use zero 0 or 1, or model.tied_embeddings false");
    }

    void compression()
    {
        const CompressionOptions& o = c_.compression;
        if (o.compressor == Compressor::none)
        {
            return;
        }
        fault_if(!has_bucket_calls(o.compressor), "compression",
                 fmt::format("{} is not summed by collectives here", info_of(o.compressor).name),
                 "use bf16, fp16, top-k, random-k, sign or powersgd");
        fault_if(p_.zero != 0, "parallel.zero", "compressed gradients are summed whole",
                 "use zero 0, or no compression");
        const bool fp16 = c_.trainer.training.precision == Precision::fp16;
        fault_if(fp16, "training.precision",
                 "the loss scale of fp16 moves, and what was not sent yet does not",
                 "use fp32 or bf16, or no compression");
        fault_if(!fp16 && trainer::Formats(c_.trainer).gradient != trainer::DType::f32,
                 "training.gradient_dtype", "gradients have 16 bits already", "use fp32, or no compression");
        fault_if(!(o.keep > 0 && o.keep <= 1), "compression.keep", fmt::format("{} of the elements", o.keep),
                 "use more than 0, at most 1");
        fault_if(o.rank < 1 || o.rank > kMostFactorRank, "compression.rank", fmt::format("rank {}", o.rank),
                 fmt::format("use 1 to {}", kMostFactorRank));
    }

    const TeamConfig& c_;
    const Parallel& p_;
    Issues issues_;
};

std::vector<std::int64_t> layers_of_stages(const TeamConfig& c, std::int64_t stages)
{
    Model model;
    model.layers = c.trainer.model.layers;
    return list_of<std::int64_t>(stages, [&](std::int64_t k)
                                 { return layers_of_stage(model, c.parallel, stages, k); });
}

RankGrid grid_of(const TeamConfig& config)
{
    return {scenario_of(config), kMegatronOrder};
}

} // namespace

Result<TeamConfig> prepared(TeamConfig config)
{
    // One device has no pipeline, and so no schedule that could suit it or not.
    const ScheduleKind schedule = std::exchange(config.trainer.training.schedule, Training().schedule);
    auto alone = ringside::prepared(config.trainer);
    if (!alone)
    {
        return alone.issues();
    }
    config.trainer = *alone;
    config.trainer.training.schedule = schedule;
    Issues issues = TeamChecks(config).all();
    if (!issues.empty())
    {
        return issues;
    }
    // Batches, stages and schedules have rules of their own, which the engine knows.
    issues = faults_of_cut(config);
    if (!issues.empty())
    {
        return issues;
    }
    return config;
}

const RankPlan::Stage& RankPlan::stage(std::int64_t number) const
{
    return *std::ranges::find(stages, number, &Stage::number);
}

RankPlan plan_of(const TeamConfig& config, int rank)
{
    const Scenario scenario = scenario_of(config);
    const RankGrid grid = grid_of(config);
    const ScheduleShape shape = pipeline_shape(scenario);
    const ScheduleKind kind = config.trainer.training.schedule;
    RankPlan plan;
    plan.rank = rank;
    plan.place = grid.coordinates(rank);
    plan.micro_batches = shape.micro_batches;
    plan.all_stages = virtual_stages(kind, shape);
    plan.piece.tensor_ranks = config.parallel.tensor;
    plan.piece.tensor_rank = plan.place.tensor;
    plan.piece.expert_ranks = config.parallel.expert;
    plan.piece.expert_rank = plan.place.expert;
    const auto layers = layers_of_stages(config, plan.all_stages);
    const auto own = stages_of(kind->placement, shape.stages, shape.chunks, plan.place.pipeline);
    plan.piece.embedding = plan.piece.head = false;
    for (const std::int64_t stage : own)
    {
        const auto place = layers.begin() + stage;
        const std::int64_t first = std::accumulate(layers.begin(), place, std::int64_t{0});
        const trainer::Stretch stretch{static_cast<trainer::Index>(plan.piece.layers.size()), *place,
                                       stage == 0, stage == plan.all_stages - 1};
        for (std::int64_t i = first; i < first + *place; ++i)
        {
            plan.piece.layers.push_back(i);
        }
        plan.piece.embedding = plan.piece.embedding || stretch.embeds;
        plan.piece.head = plan.piece.head || stretch.heads;
        plan.stages.push_back({stage, stretch});
    }
    plan.order =
        (*make_order(kind, shape, stage_costs(scenario)))[static_cast<std::size_t>(plan.place.pipeline)];
    return plan;
}

int rank_of_stage(const TeamConfig& config, const Coordinates& place, std::int64_t stage)
{
    Coordinates there = place;
    there.pipeline = rank_of(config.trainer.training.schedule, pipeline_shape(scenario_of(config)), stage);
    return static_cast<int>(grid_of(config).rank(there));
}

std::vector<int> members_of(const TeamConfig& config, int rank, Group group)
{
    const auto members = grid_of(config).members(rank, group);
    return {members.begin(), members.end()};
}

} // namespace ringside::parallel
