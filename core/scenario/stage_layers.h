// How many layers each (virtual) stage of a pipeline holds: as parallel.stage_layers lists them, else dealt
// as evenly as they go. Of what is left over the first stage, which has the embedding, gets none, and the
// last, which has the output projection, is the last to get one: fewer on the first and the last, as
// Megatron-LM and Llama 3 have it (Grattafiori et al., arXiv 2407.21783, section 3.3.2).
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

// Layers of virtual stage `k` of `stages`, the last with its prediction layers, and the layers before it.
std::int64_t layers_of_stage(const Model& model, const Parallel& parallel, std::int64_t stages,
                             std::int64_t k);
std::int64_t layers_before_stage(const Model& model, const Parallel& parallel, std::int64_t stages,
                                 std::int64_t k);
// Whether all stages hold the same number.
bool even_stages(const Model& model, const Parallel& parallel, std::int64_t stages);
// How many of `layers` layers of one (virtual) stage, the first ones, training.recompute applies to.
std::int64_t recomputed_of(const Training& training, std::int64_t layers);
// The recomputed share of the whole model's layers.
double recomputed_share(const Scenario& scenario);
// Layers of every virtual stage of the scenario, as parallel.stage_layers lists them: without prediction
// layers; empty where all hold the same.
std::vector<std::int64_t> uneven_layers(const Scenario& scenario);

} // namespace ringside
