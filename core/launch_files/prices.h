// What a setting that is not modeled would change, in bytes: the formula of its rule in assets/frameworks. It
// may name `value`, which is the setting's own, the scenario's fields, and of the first stage's GPU
//   tokens          of a micro-batch
//   stored          layers times micro-batches whose activations wait for the backward; one where all are
//                   recomputed
//   inputs          the same, of layers whose inputs wait
//   layer_weights   parameters of a mean layer
//   bytes.PART      what the engine counts there: weights, gradients, master_weights, momentum, variance,
//                   buffers, activations
//   bytes.layer     activations of the largest layer, of one micro-batch
#pragma once

#include "core/base/json/json.h"
#include "core/scenario/scenario.h"

#include <optional>
#include <string_view>

namespace ringside
{

// Bytes more on that GPU, or less; nothing where the formula has no value for this scenario.
std::optional<double> price_of(std::string_view formula, const nlohmann::json& value,
                               const Scenario& scenario);

} // namespace ringside
