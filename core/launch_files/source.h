// One launch file as it is read: a shell script, a list of arguments, or a tree in TOML, YAML or JSON.
// Never executed: what a shell script would only know while it runs is marked as not known.
#pragma once

#include "core/base/names.h"
#include "core/launch_files/settings.h"

#include <functional>

namespace ringside
{

inline constexpr std::size_t kMaxLaunchBytes = 16U << 20U; // [B]

enum class SourceFormat
{
    arguments, // --name value, and nothing that starts a program
    shell,
    toml,
    yaml,
    json,
    python // a registry of configurations, its functions by name
};
template <>
inline constexpr auto kNamesOf<SourceFormat> = names<SourceFormat>("arguments", "shell", "toml", "yaml",
                                                                   "json", "python");

struct LaunchSource
{
    SourceFormat format = SourceFormat::arguments;
    std::string file;
    std::string entry;    // the program that is started: "pretrain_gpt.py"; empty: none is named
    SettingList settings; // of the program, or of the tree
    SettingList launcher; // what starts it: "torchrun --nproc-per-node", "sbatch --nodes", "env NNODES"
    nlohmann::json tree;  // of TOML, YAML and JSON, whole
    std::vector<std::string> messages; // what its reader has to say
    std::string text;                  // of Python
};

// What the text is follows from what it says; `arguments` are those of a shell script. Faults have line and
// column.
Result<LaunchSource> read_source(std::string_view text, const std::string& file,
                                 const std::vector<std::string>& arguments = {});

// The formats one by one; for tests, and for those who know which it is.
Result<LaunchSource> read_shell(std::string_view text, const std::string& file,
                                const std::vector<std::string>& arguments = {});
Result<LaunchSource> read_toml(std::string_view text, const std::string& file);
Result<LaunchSource> read_yaml(std::string_view text, const std::string& file);
Result<LaunchSource> read_json_source(std::string_view text, const std::string& file);
// Settings of each function by its name: "llama3_8b/training.steps".
Result<LaunchSource> read_python(std::string_view text, const std::string& file);
// The leaves of a tree by their paths; a list with objects in it is a leaf. `place_of` says where one stands.
void add_leaves(const nlohmann::json& tree, const std::string& path,
                const std::function<FilePlace(const std::string&)>& place_of, SettingList& settings);

} // namespace ringside
