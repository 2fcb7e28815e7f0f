// The command of a serving engine, vLLM, SGLang or TensorRT-LLM, read into a scenario's serving: what export
// writes (core/planner/launch/serving_launch.h), and what people have. Never executed.
#pragma once

#include "core/launch_files/launch_files.h"
#include "core/scenario/serving.h"

#include <string>
#include <vector>

namespace ringside
{

struct ServingCommand
{
    LaunchText script;
    LaunchText options = {}; // TensorRT-LLM's options file; empty: there is none
};
struct ServingReading
{
    Serving serving;
    std::vector<std::string> unread; // "--port 8000: no field has it"
};
// What commands do not say is `base`'s. Of two commands the first prefills.
Result<ServingReading> read_serving_commands(const std::vector<ServingCommand>& commands, const Serving& base,
                                             const Presets& presets);

} // namespace ringside
