#include "core/lab/team/team_traffic.h"

#include "core/base/ranges.h"
#include "core/model/sizes.h"
#include "core/network/traffic.h"
#include "core/performance/compression/bucket.h"
#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

// One rank's place in the model, and what follows from it.
class RankTraffic
{
public:
    RankTraffic(const TeamConfig& config, const Coordinates& place)
        : scenario_(scenario_of(config)), compression_(config.compression),
          capacity_factor_(config.trainer.recipe.capacity_factor), shape_(pipeline_shape(scenario_)),
          kind_(config.trainer.training.schedule), place_(place), stages_(virtual_stages(kind_, shape_)),
          own_(stages_of(kind_->placement, shape_.stages, shape_.chunks, place.pipeline))
    {
    }

    double data() const
    {
        if (compression_.compressor != Compressor::none)
        {
            return static_cast<double>(compressed());
        }
        const auto k = static_cast<double>(shape_.micro_batches);
        const StageWeights own = stage_weights(scenario_.model, scenario_.parallel,
                                               kind_->placement)[static_cast<std::size_t>(place_.pipeline)];
        const Trips all = trips(scenario_);
        // The head's backward follows its forward, so its weights are gathered once a micro-batch.
        const double kept = scenario_.parallel.zero == 3 && holds(stages_ - 1) ? k * head_elements() : 0;
        const double passes = all.gradients + all.weights;
        return wire() * (share(dense_replicas(scenario_)) * (passes * static_cast<double>(own.dense) - kept) +
                         share(expert_replicas(scenario_)) * passes * static_cast<double>(own.expert));
    }

    // Tokens to their experts and back, in the backward again; as many rows as experts have room for.
    double expert() const
    {
        const double all = sum_over(own_, [&](std::int64_t stage) { return layers(stage); });
        const Model& m = scenario_.model;
        const std::int64_t length = scenario_.training.sequence_length;
        const std::int64_t slots = m.experts == 0 ? 0 : slots_of_expert(m, capacity_factor_, length);
        const double capacity = static_cast<double>(m.experts * slots) /
                                static_cast<double>(std::max<std::int64_t>(1, m.experts_per_token * length));
        return 2 * (forward_passes(scenario_) + 1) * share(scenario_.parallel.expert) * all *
               static_cast<double>(shape_.micro_batches) * capacity * expert_message(scenario_).value;
    }

    // Sums of one message: two a layer each way, one for the embedding, one for the head's input; with the
    // sequence split each is a gather and a scatter, and the backward gathers its own input once more.
    double tensor() const
    {
        const bool split = scenario_.parallel.sequence_parallel;
        double sums = sum_over(own_, [&](std::int64_t stage) { return layers(stage) * (split ? 5 : 4); });
        sums += holds(0) ? 1 : 0;
        sums += holds(stages_ - 1) ? (split ? 1.5 : 1) : 0;
        const std::int64_t t = scenario_.parallel.tensor;
        const double message = tensor_message(scenario_).value;
        double bytes = 2 * share(t) * sums * message;
        if (holds(stages_ - 1))
        {
            // Largest logit, sum and target of each token, from every other rank.
            bytes += static_cast<double>(t - 1) * micro_batch_tokens(scenario_) * 3 * 4;
        }
        bytes *= static_cast<double>(shape_.micro_batches);
        // Norms see their rank's tokens only, so their gradients are summed once a step.
        return bytes + (split ? 2 * share(t) * wire() * norm_elements() : 0);
    }

    // Round the ring: keys and values with every forward, and in the backward with their gradients.
    double context() const
    {
        const double all = sum_over(own_, [&](std::int64_t stage) { return layers(stage); });
        const double passes = scenario_.training.recompute == Recompute::full ? 4 : 3;
        return passes * all * static_cast<double>(shape_.micro_batches * (scenario_.parallel.context - 1)) *
               context_message(scenario_).value;
    }

    // Forward to where the next virtual stage runs, backward to where the one before does.
    double pipeline() const
    {
        std::int64_t messages = 0;
        for (const std::int64_t stage : own_)
        {
            const auto elsewhere = [&](std::int64_t other)
            { return other >= 0 && other < stages_ && rank_of(kind_, shape_, other) != place_.pipeline; };
            messages += (elsewhere(stage + 1) ? 1 : 0) + (elsewhere(stage - 1) ? 1 : 0);
        }
        return static_cast<double>(messages * shape_.micro_batches) * pipeline_message(scenario_).value;
    }

    // Where both ends of a pipeline have the words, they add up their gradients.
    double embedding() const
    {
        const bool shared = scenario_.model.tied_embeddings && holds(0) != holds(stages_ - 1);
        const std::int64_t share = scenario_.model.vocab * scenario_.model.hidden / scenario_.parallel.tensor;
        return shared ? wire() * static_cast<double>(share) : 0;
    }

private:
    // Every unit's gradients are summed once a step.
    std::int64_t compressed() const
    {
        const Model& m = scenario_.model;
        std::int64_t sent = 0;
        if (holds(0))
        {
            sent += sent_of(embedding_weights(m, scenario_.parallel));
        }
        for (const std::int64_t stage : own_)
        {
            sent += static_cast<std::int64_t>(layers(stage)) *
                    sent_of(layer_weights(m, scenario_.parallel, m.experts > 0));
        }
        if (holds(stages_ - 1))
        {
            sent += sent_of(head_weights(m, scenario_.parallel, m.tied_embeddings && holds(0)));
        }
        return sent;
    }
    // Experts are a bucket of their own, among other ranks.
    std::int64_t sent_of(const std::vector<Weight>& unit) const
    {
        std::int64_t sent = 0;
        for (const bool expert : {false, true})
        {
            auto tensors = list_where<GradientBlock>(
                unit, [&](const Weight& w) { return w.expert == expert; },
                [&](const Weight& w) {
                    return GradientBlock{w.local_rows, w.local_cols, w.local_copies};
                });
            const std::int64_t ranks = expert ? expert_replicas(scenario_) : dense_replicas(scenario_);
            if (ranks > 1 && !tensors.empty())
            {
                for (const BucketCall& call : bucket_calls(compression_, bucket_of(tensors), ranks))
                {
                    sent += call.sent_per_rank(ranks);
                }
            }
        }
        return sent;
    }
    static double share(std::int64_t n)
    {
        return static_cast<double>(n - 1) / static_cast<double>(std::max<std::int64_t>(1, n));
    }
    double wire() const { return element_bytes(scenario_.training); }
    bool holds(std::int64_t stage) const { return std::ranges::find(own_, stage) != own_.end(); }
    double layers(std::int64_t stage) const
    {
        return static_cast<double>(layers_of_stage(scenario_.model, scenario_.parallel, stages_, stage));
    }
    double norm_elements() const
    {
        const double norms = sum_over(
            own_, [&](std::int64_t stage) { return 2 * layers(stage); }, holds(stages_ - 1) ? 1 : 0);
        return norms * per_norm();
    }
    double per_norm() const
    {
        const Model& m = scenario_.model;
        return static_cast<double>(m.hidden * (m.norm == Norm::layernorm ? 2 : 1));
    }
    // Output projection, cut over the tensor group, and the last norm.
    double head_elements() const
    {
        const Model& m = scenario_.model;
        const std::int64_t rows = m.vocab / scenario_.parallel.tensor;
        return static_cast<double>(rows * m.hidden) + per_norm();
    }

    Scenario scenario_;
    CompressionOptions compression_;
    double capacity_factor_;
    ScheduleShape shape_;
    ScheduleKind kind_;
    Coordinates place_;
    std::int64_t stages_;
    std::vector<std::int64_t> own_;
};

} // namespace

std::vector<RankTrace::Sent> predicted_traffic(const TeamConfig& config, const Coordinates& place)
{
    const RankTraffic rank(config, place);
    std::vector<RankTrace::Sent> all;
    const auto add = [&all](std::string_view axis, double bytes)
    {
        if (bytes > 0)
        {
            all.push_back({std::string(axis), std::llround(bytes), 0});
        }
    };
    add("data", rank.data());
    add("tensor", rank.tensor());
    add("context", rank.context());
    add("expert", rank.expert());
    add("pipeline", rank.pipeline());
    add("embedding", rank.embedding());
    return all;
}

} // namespace ringside
