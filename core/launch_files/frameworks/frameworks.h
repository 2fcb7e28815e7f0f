// The readers of single frameworks: how a file of each is known, and what of it no table of rules says.
#pragma once

#include "core/launch_files/reading.h"

namespace ringside
{

bool is_megatron(const LaunchSource& source);
void read_megatron(LaunchReader& reader);
bool is_deepspeed(const LaunchSource& source);
void read_deepspeed(LaunchReader& reader);
bool is_torchtitan(const LaunchSource& source);
void read_torchtitan(LaunchReader& reader);
bool is_nanotron(const LaunchSource& source);
void read_nanotron(LaunchReader& reader);
bool is_automodel(const LaunchSource& source);
void read_automodel(LaunchReader& reader);
bool is_nemo(const LaunchSource& source);
void read_nemo(LaunchReader& reader);
bool is_megatron_bridge(const LaunchSource& source);
void read_megatron_bridge(LaunchReader& reader);
bool is_accelerate(const LaunchSource& source);
void read_accelerate(LaunchReader& reader);
bool is_axolotl(const LaunchSource& source);
void read_axolotl(LaunchReader& reader);
bool is_llama_factory(const LaunchSource& source);
void read_llama_factory(LaunchReader& reader);
// An adapter_config.json of PEFT, beside a launch or alone.
bool is_adapter(const LaunchSource& source);
void read_adapter_config(LaunchReader& reader, const LaunchSource& source);
void read_axolotl_adapter(LaunchReader& reader);
void read_llama_factory_adapter(LaunchReader& reader);
bool is_maxtext(const LaunchSource& source);
void read_maxtext(LaunchReader& reader);

} // namespace ringside
