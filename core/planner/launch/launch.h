// A scenario as the launch of a training framework: its command, its configuration file, what every setting
// says, and what the framework has no setting for. Pure text; nothing is written or started.
//
// Every setting names its field, and every field without a setting is named. What a framework cannot do is
// written as the nearest thing it can, so a launch starts but need not take the memory shown. Data,
// tokenizer and learning rate are marked stand-ins: a scenario has none of them. Checks of Megatron-LM's own
// (twice the context size, experts with tensor parallelism, FSDP without stages, narrow moments only with
// the distributed optimizer) are made here too. nanotron's expert groups are left out, since its released
// configuration cannot lay them over the replicas.
#pragma once

#include "core/scenario/scenario.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// One setting of the framework.
struct LaunchFlag
{
    std::string flag;     // "--tensor-model-parallel-size", "parallelism.tensor_parallel_degree"
    std::string value;    // as it is written; empty for a switch
    std::string explains; // in a few words
    std::string field;    // of the scenario: "parallel.tensor"; empty: not of the scenario
};

// A field of the scenario that the framework has no setting for, and what is done about it.
struct NotExpressed
{
    std::string field;
    std::string value;
    std::string says;
};

struct LaunchLine
{
    std::string text;
    std::ptrdiff_t flag = -1; // which of the flags it sets
};

struct LaunchFile
{
    std::string name;           // "launch.sh"
    std::string comment = "# "; // that begins one at the end of a line; empty: the format has none
    std::vector<LaunchLine> lines;
};

struct Launch
{
    std::vector<LaunchFile> files;
    std::vector<LaunchFlag> flags;
    std::vector<NotExpressed> not_expressed;

    // Why the setting is only the nearest there is to its field; null where it says just that.
    const NotExpressed* missed(const LaunchFlag& flag) const;
};

// Frameworks with a writer of their own; all others are written by the rules of their file in
// assets/frameworks. Use write_launch() of framework_launch.h, which knows both.
struct LaunchTool
{
    std::string_view id; // "megatron"
    Launch (*write)(const Scenario&);
};
std::span<const LaunchTool> launch_tools();
const LaunchTool* find_launch_tool(std::string_view id);

// The file as it is saved: each setting with its explanation behind it, and a mark where it is not what the
// scenario says, where the format has comments.
std::string text_of(const Launch& launch, const LaunchFile& file);

} // namespace ringside
