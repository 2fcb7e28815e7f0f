#include "core/lab/team/team_request.h"

#include <fmt/format.h>

#include "core/model/sizes.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

constexpr std::array kStrategies{
    TeamStrategy{"ddp", "Data parallel", "every rank has the whole model; gradients are summed"},
    TeamStrategy{"zero1", "ZeRO-1", "optimizer state is sharded over the ranks"},
    TeamStrategy{"zero2", "ZeRO-2", "gradients are sharded too, and reduced with every micro-batch"},
    TeamStrategy{"zero3", "ZeRO-3", "weights are sharded too, and gathered layer by layer"},
    TeamStrategy{"tp", "Tensor parallel", "every matrix is split; two all-reduces per layer, each way"},
    TeamStrategy{"sp", "Tensor and sequence", "norms and residuals are split by token as well"},
    TeamStrategy{"pp", "Pipeline", "every rank has some of the layers"},
    TeamStrategy{"dp-tp", "Data \u00d7 tensor", "pairs split the matrices; the pairs are replicas"},
    TeamStrategy{"dp-tp-pp", "Data \u00d7 tensor \u00d7 pipeline", "two stages of pairs, replicated"},
    TeamStrategy{"cp", "Context", "every sequence is split; keys and values go around a ring"},
    TeamStrategy{"ep", "Experts", "MLPs become 8 experts spread over the ranks; tokens go there and back"},
};
constexpr std::int64_t kTeamExperts = 8;
constexpr double kPlainRate = 0.1; // of SGD, for a model of this size

// What with_strategy() reads; empty where so many ranks do not divide.
std::string words_for(std::string_view id, std::int64_t ranks)
{
    if (ranks == 1)
    {
        return id.starts_with("dp-") ? "" : "none";
    }
    if (id == "dp-tp")
    {
        return ranks % 2 == 0 ? fmt::format("dp{}-tp2", ranks / 2) : "";
    }
    if (id == "dp-tp-pp")
    {
        return ranks % 4 == 0 ? fmt::format("dp{}-tp2-pp2", ranks / 4) : "";
    }
    return id == "ep" && kTeamExperts % ranks != 0 ? "" : std::string(id);
}

std::string_view ranks_for(std::string_view id)
{
    return id == "dp-tp" ? "use 2, 4, 6 or 8" : id == "ep" ? "use 1, 2, 4 or 8" : "use 4 or 8";
}

// Turns the MLPs into experts: a token goes through two of eight, each half as wide as the MLP.
void give_experts(Model& model)
{
    model.experts = kTeamExperts;
    model.experts_per_token = 2;
    model.expert_ffn = model.ffn / 2;
}

// So many micro-batches in the step, or the next number that every replica can share.
void set_micro_batches(TeamConfig& config, std::int64_t micro_batches)
{
    const Parallel& p = config.parallel;
    const std::int64_t replicas = std::max<std::int64_t>(1, config.ranks / replica_gpus(p));
    Training& t = config.trainer.training;
    std::int64_t each = (std::max<std::int64_t>(1, micro_batches) + replicas - 1) / replicas;
    if (p.pipeline > 1)
    {
        const std::int64_t legal = nearest_micro_batches(t.schedule, {p.pipeline, each, p.chunks});
        each = std::max(each, legal);
    }
    t.global_batch = t.micro_batch * each * replicas;
}

} // namespace

std::span<const TeamStrategy> team_strategies()
{
    return kStrategies;
}

std::span<const TeamCompression> team_compressions()
{
    static const auto all = []
    {
        std::vector<TeamCompression> list;
        const auto add = [&list](const CompressionOptions& options)
        {
            const bool lost = info_of(options.compressor).feeds_back && !options.feedback;
            const bool none = options.compressor == Compressor::none;
            list.push_back(
                {options, none ? "No compression" : label_of(options) + (lost ? ", no feedback" : "")});
        };
        add({Compressor::none});
        add({.compressor = Compressor::bf16});
        add({.compressor = Compressor::top_k, .keep = 0.01});
        add({.compressor = Compressor::top_k, .keep = 0.01, .feedback = false});
        add({.compressor = Compressor::sign});
        add({.compressor = Compressor::power_sgd, .rank = 2});
        add({.compressor = Compressor::top_k, .keep = 0.001});
        add({.compressor = Compressor::random_k, .keep = 0.01});
        add({.compressor = Compressor::sign, .feedback = false});
        add({.compressor = Compressor::power_sgd, .rank = 4});
        return list;
    }();
    return all;
}

std::span<const std::size_t> compared_compressions()
{
    static constexpr std::array<std::size_t, 6> kCompared{0, 1, 2, 3, 4, 5};
    return kCompared;
}

std::string run_name(const TeamConfig& config)
{
    const bool sgd = config.trainer.training.optimizer == Optimizer::sgd_momentum;
    return strategy_name(config) + (sgd ? ", SGD" : "");
}

bool can_compress(const TeamConfig& config)
{
    const Scenario scenario = scenario_of(config);
    return config.parallel.zero == 0 && dense_replicas(scenario) > 1;
}

TrainerConfig team_trainer_config()
{
    TrainerConfig c = default_trainer_config();
    Model& m = c.model;
    m.layers = 8;
    m.hidden = 64;
    m.heads = m.kv_heads = 8;
    m.head_dim = 8;
    m.ffn = 256;
    m.tied_embeddings = false;
    c.data.task = LabTask::sort;
    c.data.symbols = 15; // and one separator
    Training& t = c.training;
    t.precision = Precision::fp32;
    t.sequence_length = 64;
    t.micro_batch = 2;
    t.global_batch = 16;
    t.recompute = Recompute::none;
    return c;
}

Result<TeamConfig> config_of(TrainerConfig trainer, const TeamRequest& request)
{
    const TeamStrategy& strategy = kStrategies.at(std::min(request.strategy, kStrategies.size() - 1));
    const std::string words = words_for(strategy.id, request.ranks);
    if (words.empty())
    {
        return Issue{"ranks", fmt::format("{} ranks for {}", request.ranks, strategy.name),
                     std::string(ranks_for(strategy.id))};
    }
    if (strategy.id == "ep")
    {
        give_experts(trainer.model);
    }
    auto team = with_strategy(std::move(trainer), words, request.ranks);
    if (!team)
    {
        return team;
    }
    Parallel& p = team->parallel;
    const ScheduleKind kind = p.pipeline > 1 ? request.schedule : ringside::schedule("1f1b");
    team->trainer.training.schedule = kind;
    p.chunks = p.pipeline > 1 ? kind->least_chunks : 1;
    set_micro_batches(*team, request.micro_batches);
    if (request.plain_sgd)
    {
        team->trainer.training.optimizer = Optimizer::sgd_momentum;
        Recipe& r = team->trainer.recipe;
        r.momentum = 0;
        r.clip = 0;
        r.learning_rate = kPlainRate;
    }
    if (can_compress(*team))
    {
        const auto all = team_compressions();
        team->compression = all[std::min(request.compression, all.size() - 1)].options;
    }
    return team;
}

Result<TeamConfig> without_one(TeamConfig config)
{
    if (replica_gpus(config.parallel) * config.parallel.expert != 1 || config.ranks < 2)
    {
        return Issue{"ranks", "no other rank has what the missing one had",
                     "resume with all ranks, from the state that was kept"};
    }
    config.ranks -= 1;
    set_micro_batches(config, config.trainer.accumulation());
    return config;
}

} // namespace ringside
