#include "core/lab/prediction.h"

#include "core/lab/team/team_traffic.h"
#include "core/performance/step_time.h"

#include <sstream>

namespace ringside
{

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
        p.step_seconds = step.total();
        p.tokens_per_second = step.tokens_per_second();
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
