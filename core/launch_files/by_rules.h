// Settings that the rules of a framework's file read: those of its launches, with their formulas
// (core/planner/launch/rules.h), and interpolations of OmegaConf in them, "${multiply:4, ${.hidden_size}}".
#pragma once

#include "core/launch_files/reading.h"

namespace ringside
{

struct RuleSource
{
    std::string version;                  // of the framework's versions; empty: the newest
    std::string prefix = {};              // before the names of settings: "llama3_8b/"
    const LaunchFlavor* flavor = nullptr; // that the files name
};
void read_by_rules(LaunchReader& reader, const RuleSource& source = {});
// A setting's text, with interpolations replaced by what they refer to; nothing where it is left out.
std::optional<std::string> setting_text(const LaunchReader& reader, std::string_view name);

} // namespace ringside
