// The settings of serving engines, one table for writing a command and for reading it back.
#pragma once

#include "core/scenario/serving.h"

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace ringside
{

enum class ServingTool : std::uint8_t
{
    vllm,
    sglang,
    trtllm
};
struct ServingToolRow
{
    std::string_view id;
    std::string_view engine; // its id in assets, which Serving::engine has
    std::string_view start;  // the command that the flags stand behind
};
struct Served
{
    const Serving& s;
    const ServingLayout& layout;
    ServingTool tool;
    bool prefills = false; // one of disaggregated engines that only prefill
};

// What a field comes to: nothing to say, or a value; of a switch "on".
using Said = std::string;
inline const Said kSwitch = "on";

// What a command is read into.
struct ServingRead
{
    Serving& s;
    ServingLayout& layout; // of the engine that is read
    ServingTool tool;
    bool all_experts = false; // over all ranks
    bool all_data = false;    // attention replicas on all ranks
    bool prefills = false;
};

// A setting of each engine; empty: it has none. One that does not begin with a dash belongs into
// TensorRT-LLM's options file.
struct ServingFlag
{
    std::string_view field; // of `serving`
    std::string_view explains;
    std::array<std::string_view, 3> flags;
    std::array<std::string_view, 3> seen; // the earliest release that a source of the header has it in
    Said (*said)(const Served&);
    bool (*read)(ServingRead&, std::string_view); // false: no value of it
};

std::span<const ServingToolRow> serving_tool_rows(); // in the order of ServingTool
const ServingToolRow& row_of(ServingTool tool);
std::span<const ServingFlag> serving_flags();
std::string_view flag_of(const ServingFlag& row, ServingTool tool);

} // namespace ringside
