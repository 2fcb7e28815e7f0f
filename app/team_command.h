// `ringside train --ranks N --strategy ...`: the lab's model on several ranks, which are threads here.
#pragma once

#include "app/train_setup.h"

namespace ringside
{

int run_team(const Beginning& from, const TrainOptions& options);

} // namespace ringside
