#include "core/lab/prediction.h"

#include "core/lab/team/team_traffic.h"
#include "core/model/sizes.h"
#include "core/performance/step_time.h"

#include <sstream>

namespace ringside
{

namespace
{

// [s] that kernels of their own take in a step: each residual is read, the sum read and written once more,
// and each tensor's update is another launch.
double unfused_seconds(const TrainerConfig& c, const Gpu& gpu)
{
    const Training& t = c.training;
    // Attention's is computed again with it; experts add theirs as they are put together.
    const std::int64_t residuals = (c.model.experts > 0 ? 1 : 2) + (t.recompute == Recompute::full ? 1 : 0);
    const auto passes = static_cast<double>(c.accumulation() * c.model.layers * residuals);
    const auto elements = static_cast<double>(t.micro_batch * t.sequence_length * c.model.hidden);
    const double bytes = passes * 3 * elements * element_bytes(t);
    const double launches = passes + static_cast<double>(tensors_of(c.model) - 1);
    return launches * gpu.calibration.kernel_us / kTrainerKernels * 1e-6 +
           bytes / (gpu.hbm_gb_per_s * 1e9 * gpu.calibration.hbm_efficiency);
}

} // namespace

std::int64_t tensors_of(const Model& m)
{
    const std::int64_t norm = m.norm == Norm::layernorm ? 2 : 1;
    const std::int64_t ends =
        1 + (m.positions == Positions::learned ? 1 : 0) + (m.tied_embeddings ? 0 : 1) + norm;
    const std::int64_t attention = 2 + (m.biases || m.qkv_bias ? 1 : 0) + (m.biases ? 1 : 0);
    const std::int64_t each = m.biases ? 4 : 2; // up and down, of the MLP or of an expert
    const std::int64_t mlp = m.experts > 0 ? (m.biases ? 2 : 1) + m.experts * each : each;
    return ends + m.layers * (attention + mlp + 2 * norm);
}

LabPrediction prediction_of(const TrainerConfig& config, const std::optional<Gpu>& device,
                            std::int64_t workspace)
{
    LabPrediction p;
    p.of = config;
    const auto ready = prepared(config);
    if (!ready)
    {
        return p;
    }
    const StageMemory memory = predicted_memory(*ready);
    std::ranges::transform(memory.parts, p.memory.parts.begin(),
                           [](Bytes part) { return static_cast<std::int64_t>(part.value); });
    p.memory.of(Component::buffers) += workspace;
    p.parameters = memory.parameters;
    Scenario scenario = scenario_of(*ready);
    scenario.cluster.gpu = device.value_or(scenario.cluster.gpu);
    const StepTime step = step_time(scenario);
    p.flops = step.model_flops;
    p.parameter_flops = step.parameter_flops;
    if (device)
    {
        const double apart = ready->recipe.fused ? 0 : unfused_seconds(*ready, *device);
        p.step_seconds = step.total() + apart;
        p.fixed_seconds = step.of(Slice::launch) + step.optimizer;
        p.tokens_per_second = step.tokens / p.step_seconds;
    }
    return p;
}

TeamPrediction prediction_of(const TeamConfig& config)
{
    const Scenario scenario = scenario_of(config);
    TeamPrediction p{config, memory_report(scenario), {}, {}, 0};
    TeamConfig plain = config;
    plain.compression = {.compressor = Compressor::none};
    const RankGrid grid(scenario, kMegatronOrder);
    for (std::int64_t rank = 0; rank < config.ranks; ++rank)
    {
        p.places.push_back(grid.coordinates(rank));
        p.traffic.push_back(predicted_traffic(config, p.places.back()));
        p.dense = std::max(p.dense,
                           sum_over(predicted_traffic(plain, p.places.back()), [](const RankTrace::Sent& sent)
                                    { return static_cast<double>(sent.bytes); }));
    }
    return p;
}

const Gpu* sheet_of(std::span<const Gpu> sheets, const std::string& device)
{
    const Gpu* best = nullptr;
    int most = 0;
    for (const Gpu& gpu : sheets)
    {
        std::istringstream words(gpu.name);
        int found = 0;
        int place = 0;
        for (std::string word; words >> word; ++place)
        {
            const bool there = device.find(word) != std::string::npos;
            found = place == 0 && !there ? -100 : found + (there ? 1 : 0);
        }
        if (found > most)
        {
            most = found;
            best = &gpu;
        }
    }
    return best;
}

} // namespace ringside
