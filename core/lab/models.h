// The sizes of model that the lab offers, small enough to be trained while one watches.
#pragma once

#include "core/lab/config.h"

#include <optional>
#include <span>

namespace ringside
{

struct LabModel
{
    std::string_view name;
    std::int64_t layers;
    std::int64_t hidden;
    std::int64_t heads;
    std::int64_t context; // tokens of a sequence
    std::int64_t micro_batch;
    double learning_rate;
    std::int64_t experts = 0; // half as wide as the MLP they stand for, two a token
};
std::span<const LabModel> lab_models();

// `config` with another shape, and with the batch and the learning rate that suit it.
TrainerConfig with_model(TrainerConfig config, const LabModel& model);
// The one whose shape this is.
std::optional<std::size_t> model_of(const TrainerConfig& config);

} // namespace ringside
