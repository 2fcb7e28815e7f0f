// What a training starts from: the options of the command line, and the file to go on from.
#pragma once

#include "app/train_command.h"
#include "core/lab/config.h"
#include "core/trainer/trainer.h"

namespace ringside
{

struct Beginning
{
    TrainerConfig config;
    std::optional<trainer::TrainerState> state;
};
// Faults: an option, the data, or a file to go on from that is none or fits the options not.
Result<Beginning> beginning(const CommonOptions& common, const TrainOptions& options);

} // namespace ringside
