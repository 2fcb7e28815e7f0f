// What a demonstration does to a training on purpose, between two steps.
#pragma once

#include "core/lab/trainer/checkpoint.h"

namespace ringside::trainer
{

Issues intervene(Trainer& trainer, const Intervention& intervention);

} // namespace ringside::trainer
