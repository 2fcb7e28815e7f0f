// The model among the options of Megatron-LM: its shape, attention, positions and experts.
#pragma once

#include "core/planner/launch/draft.h"

namespace ringside
{

void megatron_model(LaunchDraft& draft);

} // namespace ringside
