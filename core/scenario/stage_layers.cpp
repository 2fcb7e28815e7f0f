#include "core/scenario/stage_layers.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace ringside
{

namespace
{

bool listed(const Parallel& parallel, std::int64_t stages)
{
    return parallel.stage_layers.size() == static_cast<std::size_t>(stages);
}

std::int64_t decoder_layers(const Model& model, const Parallel& parallel, std::int64_t stages, std::int64_t k)
{
    assert(stages > 0 && k >= 0 && k < stages);
    if (listed(parallel, stages))
    {
        return parallel.stage_layers[static_cast<std::size_t>(k)];
    }
    // What is left over goes to stages 1, 2, ...
    return model.layers / stages + (k >= 1 && k <= model.layers % stages ? 1 : 0);
}

bool even_decoder(const Model& model, const Parallel& parallel, std::int64_t stages)
{
    const auto& each = parallel.stage_layers;
    return listed(parallel, stages)
               ? std::adjacent_find(each.begin(), each.end(), std::not_equal_to<>()) == each.end()
               : model.layers % stages == 0;
}

} // namespace

std::int64_t layers_of_stage(const Model& model, const Parallel& parallel, std::int64_t stages,
                             std::int64_t k)
{
    return decoder_layers(model, parallel, stages, k) + (k + 1 == stages ? model.mtp_layers : 0);
}

std::int64_t layers_before_stage(const Model& model, const Parallel& parallel, std::int64_t stages,
                                 std::int64_t k)
{
    assert(stages > 0 && k >= 0 && k <= stages);
    if (listed(parallel, stages))
    {
        return std::accumulate(parallel.stage_layers.begin(), parallel.stage_layers.begin() + k,
                               std::int64_t{0});
    }
    return k * (model.layers / stages) + std::clamp<std::int64_t>(k - 1, 0, model.layers % stages);
}

bool even_stages(const Model& model, const Parallel& parallel, std::int64_t stages)
{
    return even_decoder(model, parallel, stages) && (model.mtp_layers == 0 || stages == 1);
}

std::int64_t recomputed_of(const Training& training, std::int64_t layers)
{
    const bool some = training.recompute == Recompute::full && training.recompute_layers > 0;
    return some ? std::min(layers, training.recompute_layers) : layers;
}

double recomputed_share(const Scenario& s)
{
    if (s.training.recompute_layers == 0 || s.training.recompute != Recompute::full || s.model.layers < 1)
    {
        return 1;
    }
    const std::int64_t stages = virtual_stages(s.training.schedule, pipeline_shape(s));
    std::int64_t again = 0;
    for (std::int64_t k = 0; k < stages; ++k)
    {
        again += recomputed_of(s.training, layers_of_stage(s.model, s.parallel, stages, k));
    }
    return static_cast<double>(again) / static_cast<double>(all_layers(s.model));
}

std::vector<std::int64_t> uneven_layers(const Scenario& s)
{
    const std::int64_t stages = virtual_stages(s.training.schedule, pipeline_shape(s));
    std::vector<std::int64_t> all;
    for (std::int64_t k = 0; k < stages && !even_decoder(s.model, s.parallel, stages); ++k)
    {
        all.push_back(decoder_layers(s.model, s.parallel, stages, k));
    }
    return all;
}

} // namespace ringside
