// The settings of a training framework and the fields of a scenario that they stand for: rules that write a
// launch, read one and explain it. They are data of assets/frameworks; core/planner/launch interprets them.
//
// Formulas are those of core/planner/launch/formula.h, over fields ("parallel.tensor"), counts that follow
// from them ("micro_batches") and, where a setting is read, its `value`.
#pragma once

#include "core/scenario/scenario.h"

#include <string>
#include <vector>

namespace ringside
{

// What a value of a field is called in a launch.
struct LaunchWord
{
    std::string is;   // "3"; "*" for all others
    std::string says; // "FULL_SHARD"
    std::string why;  // empty: it is that; else why this is only the nearest that there is

    bool operator==(const LaunchWord&) const = default;
};

// A setting of a launch and the field it stands for. Later rules overrule earlier ones.
struct LaunchRule
{
    std::string flag;                  // "--tensor-model-parallel-size"; empty: holds without a setting
    std::string field;                 // "parallel.tensor"; without a dot: a count of the reading, from 1
    std::vector<LaunchWord> words;     // none: as the field has it
    std::string says;                  // in a few words
    bool in_code = false;              // no setting: what your code must do
    std::string when;                  // formula; empty: always
    std::string value;                 // formula of what is written; empty: the field
    std::string reads;                 // formula of the field from `value`; empty: the value
    std::string without;               // formula of the field where the setting is left out; empty: not known
    std::vector<std::string> versions; // ids; none: all
    std::string file;                  // of LaunchFileRule; empty: the first

    bool operator==(const LaunchRule&) const = default;
};

// What a framework refuses or runs as something else, beside what Framework's own members say.
struct LaunchRefusal
{
    std::string when;  // formula
    std::string field; // that is not honored
    std::string says;  // why
    std::vector<std::string> versions;

    bool operator==(const LaunchRefusal&) const = default;
};

enum class LaunchFormat : std::uint8_t
{
    toml,
    yaml,
    json,
    options, // of a command in a shell script
    python,  // assignments in a function
    text     // lines alone
};
template <>
inline constexpr auto kNamesOf<LaunchFormat> = names<LaunchFormat>("toml", "yaml", "json", "options",
                                                                   "python", "text");

// A file of a launch: lines, its settings, lines. {name} stands for a count or a word that rules may use.
struct LaunchFileRule
{
    std::string name;
    LaunchFormat format = LaunchFormat::text;
    std::vector<std::string> head;
    std::vector<std::string> tail; // of options: the command they belong to
    std::vector<std::string> versions;
    std::string when; // formula; empty: always

    bool operator==(const LaunchFileRule&) const = default;
};

// A release or a commit whose names are written.
struct LaunchVersion
{
    std::string id;   // "v0.2.2"
    std::string says; // "v0.2.2 of December 2025, the last with TOML files"

    bool operator==(const LaunchVersion&) const = default;
};

// A model that the framework has ready. It is used where every field of the shape is equal.
struct LaunchFlavor
{
    std::string module;    // "llama3"
    std::string flavor;    // "8B"
    std::string config;    // a ready configuration of this flavor; empty: none
    std::string recompute; // of that configuration, in the words of training.recompute
    Model shape;
    std::vector<std::string> versions;

    bool operator==(const LaunchFlavor&) const = default;
};

} // namespace ringside
