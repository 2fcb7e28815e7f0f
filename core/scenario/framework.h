// What a training framework can run: one file each in assets/frameworks. A search that is asked for a
// framework's layouts leaves out what it would refuse, or would run as something else than what is timed.
#pragma once

#include "core/base/names.h"
#include "core/base/result.h"
#include "core/scenario/launch_rule.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct FrameworkSchedule
{
    std::string id; // of a ScheduleInfo
    std::int64_t least_chunks = 1;
    std::int64_t most_chunks = 0; // 0: any number

    bool operator==(const FrameworkSchedule&) const = default;
};

enum class ContextMethod : std::uint8_t
{
    ring, // the one that is timed
    all_gather,
    ulysses
};
template <>
inline constexpr auto kNamesOf<ContextMethod> = names<ContextMethod>("ring", "all-gather", "ulysses");

enum class SequenceUse : std::uint8_t
{
    never,
    optional,
    with_experts, // optional, but always where there are experts
    always
};
template <>
inline constexpr auto kNamesOf<SequenceUse> = names<SequenceUse>("never", "optional", "with experts",
                                                                 "always");

// What the sequence must be a multiple of.
enum class SequenceMultiple : std::uint8_t
{
    any,
    twice_context,           // where there is context parallelism
    twice_tensor_and_context // always
};
template <>
inline constexpr auto kNamesOf<SequenceMultiple> = names<SequenceMultiple>("any", "twice context",
                                                                           "twice tensor x context");

// A setting of the framework's files that LaunchRules do not have, as it is read. Rules of both kinds that
// depend on other settings are in the framework's reader (core/launch_files).
struct SettingRule
{
    std::vector<std::string> names; // today's, then older spellings; a last * stands for any ending
    std::string field;              // of the scenario that it states; empty: none
    std::vector<LaunchWord> words;  // none: as the field has it; one that is nothing changes nothing
    std::string without;            // what the field is where the setting is left out; empty: up to others
    std::string changes;            // what of memory or time it would change that no field says
    std::string bytes;              // of those on a GPU, more or less: see core/launch_files/prices.h
    bool in_code = false;           // read by the framework's reader

    bool operator==(const SettingRule&) const = default;
};

struct Framework
{
    std::string id;
    std::string name;
    std::vector<std::string> also; // other names of the program whose files these are
    std::string version;           // whose abilities these are
    std::vector<std::string> sources;
    std::string note;                  // what the layouts leave out, or leave to your code
    std::vector<std::string> software; // ids in assets/software that are this framework, of whichever year
    bool tensor = true;                // has tensor parallelism
    std::vector<FrameworkSchedule> schedules; // none: no pipeline
    bool uneven_stages = false;
    bool rounds_of_stages = false;  // micro-batches are a multiple of the stages
    std::vector<std::int64_t> zero; // stages without tensor parallelism and pipeline
    std::optional<std::vector<std::int64_t>> zero_with_tensor; // where other than zero
    std::optional<std::vector<std::int64_t>> zero_with_stages; // where other than zero
    std::vector<Recompute> recompute;
    bool recompute_layers = false; // recomputes some of a stage's layers
    bool shard_groups = false;     // shards within groups of replicas (HSDP)
    SequenceUse sequence_parallel = SequenceUse::optional;
    SequenceMultiple sequence_multiple = SequenceMultiple::any;
    bool whole_kv_heads = false; // tensor parallelism cuts between key/value heads, and copies none
    std::vector<ContextMethod> context_methods; // none: no context parallelism
    bool experts = false;                       // has expert parallelism
    bool expert_tensor = false;                 // and shards single experts
    // Experts are cut over whole tensor and context groups of sharded replicas.
    bool whole_expert_groups = false;
    bool experts_in_replicas = false; // experts are cut over replicas alone
    std::vector<LaunchRule> launch;
    std::vector<SettingRule> settings;
    std::vector<std::string> no_bearing; // settings that change neither memory nor time; a last * as above
    std::vector<LaunchVersion> versions; // that are exported, the newest first; none: no export
    std::vector<LaunchFileRule> files;
    std::vector<LaunchRefusal> refuses;
    std::vector<LaunchFlavor> flavors;

    bool operator==(const Framework&) const = default;
};

// Whether it runs the scenario's schedule with its stages and chunks; everything else but the ZeRO stage; and
// that.
bool runs_schedule(const Framework& framework, const Scenario& scenario);
bool runs_layers(const Framework& framework, const Scenario& scenario);
bool runs_sharding(const Framework& framework, const Scenario& scenario);
inline bool runs(const Framework& framework, const Scenario& scenario)
{
    return runs_layers(framework, scenario) && runs_schedule(framework, scenario) &&
           runs_sharding(framework, scenario);
}

Result<Framework> framework_from_json(const nlohmann::json& document);

} // namespace ringside
