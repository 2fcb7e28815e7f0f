// The readers of single frameworks: how a file of each is known, and what of it no table of rules says.
#pragma once

#include "core/launch_files/reading.h"

namespace ringside
{

bool is_megatron(const LaunchSource& source);
void read_megatron(LaunchReader& reader);
bool is_deepspeed(const LaunchSource& source);
void read_deepspeed(LaunchReader& reader);

} // namespace ringside
