// A launch while it is written: settings in sections, in order, and what cannot be said. The formats of the
// files follow from the settings, so that text, table and explanations cannot disagree.
#pragma once

#include <fmt/format.h>

#include "core/planner/launch/launch.h"

namespace ringside
{

enum class ConfigFormat
{
    toml, // [section] and key = value
    yaml, // nested by indentation
    json  // without explanations: it has no comments
};

class LaunchDraft
{
public:
    explicit LaunchDraft(const Scenario& scenario) : s(scenario) {}

    const Scenario& s;
    const Launch& launch() const { return launch_; }

    // The settings that follow belong to this section: "training", "optimizer.learning_rate_scheduler", or
    // the title of a group of options.
    void section(std::string name) { section_ = std::move(name); }
    // A setting that comes from a field of the scenario; with an empty field, from nothing in it.
    void set(std::string key, std::string value, std::string explains, std::string field = {});
    template <class Number>
    requires std::is_arithmetic_v<Number>
    void set(std::string key, Number value, std::string explains, std::string field = {})
    {
        set(std::move(key), fmt::format("{}", value), std::move(explains), std::move(field));
    }
    void not_expressed(std::string field, std::string value, std::string says);

    // Where the number of steps comes from, in a few words.
    std::string steps_explained() const;

    // What was set since the last file, as a configuration file.
    void config_file(std::string name, ConfigFormat format);
    // What was set since the last file, as options of a command in a shell script; `before` are lines above.
    void command_file(std::string name, const std::vector<std::string>& before, const std::string& command);
    // What was set since the last file, as assignments to `config` in the function that `head` begins.
    void code_file(std::string name, const std::vector<std::string>& head,
                   const std::vector<std::string>& tail);
    // Lines as they are.
    void plain_file(std::string name, std::vector<std::string> lines);

    // With what is predicted for the scenario and what is not honoured at the top of each file.
    Launch take();

private:
    struct Placed
    {
        std::string section;
        std::string key;
        std::ptrdiff_t flag;
    };

    LaunchFile begin(std::string name) const;
    void finish(LaunchFile file);
    void toml(LaunchFile& file) const;
    void yaml(LaunchFile& file) const;
    void json(LaunchFile& file) const;

    Launch launch_;
    std::string section_;
    std::vector<Placed> open_; // not yet in a file
};

// A text between quotes, as JSON, TOML and YAML all read it.
std::string quoted(std::string_view text);
// A name as one line of printable characters. Names are anybody's: a line break in one would end a comment.
std::string one_line(std::string_view name);
// "Llama 3.1 70B on 256 x H100 ...", fit for a comment.
std::string headline(const Scenario& scenario);
// Processes of a host, and hosts.
std::int64_t processes_per_host(const Scenario& scenario);
std::int64_t hosts(const Scenario& scenario);
// "torchrun --nproc-per-node 8 --nnodes 32 ...", which needs NODE_RANK and MASTER_ADDR beyond one host.
std::string torchrun(const Scenario& scenario);
// Names the overlaps that the scenario asks for, has something to hide with, and a tool has not.
void no_overlap(LaunchDraft& draft, const Overlaps& tool);
// Names what sets the model's blocks apart from those of 2024, which no tool's settings reach; but windows of
// attention where the tool has them.
void no_special_blocks(LaunchDraft& draft, bool windows = false);
// GPUs that do not fill their hosts are named, once for each tool.
void check_hosts(LaunchDraft& draft);
// Optimizer steps of the whole run.
std::int64_t train_steps(const Scenario& scenario);

Launch write_megatron(const Scenario& scenario);
Launch write_deepspeed(const Scenario& scenario);

} // namespace ringside
