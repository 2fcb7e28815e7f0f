// The parts of Megatron-LM's reader: what its validate_args and its arguments' defaults make of the settings
// (megatron/training/arguments.py, commit d98e8a64dd). Megatron-DeepSpeed's are the same with older names.
#pragma once

#include "core/launch_files/reading.h"

namespace ringside
{

void read_megatron_model(LaunchReader& reader);
// The layers with experts of a list as Python writes it, "[0]*3+[1]*58": leading dense ones, then every n-th.
void state_expert_layers(LaunchReader& reader, const Setting& setting);
void read_megatron_layout(LaunchReader& reader);
// Layers on each virtual stage by --pipeline-model-parallel-layout: "Et*2|(tt|)*5t|tmL" has 2, 2, 2, 2, 2, 2,
// 1, 1. Empty where it is no such text.
std::vector<std::int64_t> layers_of_layout(std::string_view layout);
// A list of ones and zeros as Python writes it: "([0]*3+[1]*58)". Empty where it is none.
std::vector<std::int64_t> python_list(std::string_view text);

} // namespace ringside
