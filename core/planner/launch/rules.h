// Launch rules (core/scenario/launch_rule.h) at work: fields of a scenario as formulas name them, rules that
// write a launch, and rules that read settings back.
#pragma once

#include "core/planner/launch/draft.h"
#include "core/planner/launch/formula.h"
#include "core/scenario/framework.h"

#include <map>

namespace ringside
{

// Whether a rule, a file or a flavor is of this version; "" is the newest.
bool is_of_version(const std::vector<std::string>& versions, std::string_view version);
// The id, or that of the newest where there is none of the name.
std::string_view version_of(const Framework& framework, std::string_view id);

// A field by its path, "parallel.tensor". Lists are texts: "[4, 4, 3]".
std::optional<FormulaValue> field_of(const Scenario& scenario, std::string_view path);
// Whether there is such a field, and the value is one of its kind.
bool set_field(Scenario& scenario, std::string_view path, const FormulaValue& value);

// What formulas may name when a scenario is written: its fields; what a rule without a flag defines by its
// `value`; and counts:
//   data, micro_batches, steps, hosts, processes, dense_shards, dense_copies, blocks (layers of a stage or
//   chunk) uneven            layers of each stage where they differ: "[4, 3]"; else "" modules.NAME
//   torchtitan's names of each stage's modules, with NAME for the output projection expert_layers     indices
//   of the layers with experts within.AXIS, across.AXIS   the part of a mesh axis that stays in a node, and
//   the rest: tensor, sequence,
//                     context, expert, shards, replicas, pipeline
//   module, flavor, config, config_recompute, known   of the flavor whose shape is the model's
class ScenarioNames
{
public:
    ScenarioNames(const Scenario& scenario, const Framework& framework, std::string_view version);
    std::optional<FormulaValue> operator()(std::string_view name) const;
    void define(std::string name, FormulaValue value) { defined_[std::move(name)] = std::move(value); }

private:
    const Scenario& s_;
    const LaunchFlavor* flavor_ = nullptr;
    std::map<std::string, FormulaValue, std::less<>> defined_;
};

// What a flavor, which may be null, is called: module, flavor, config, config_recompute, known.
std::optional<FormulaValue> flavor_word_of(const LaunchFlavor* flavor, std::string_view name);
// The flavor with exactly this shape; null where there is none.
const LaunchFlavor* flavor_of(const Framework& framework, const Model& model, std::string_view version);

// Where settings are read from and what they come to.
struct RuleReading
{
    // The setting's text; nothing where it is left out.
    std::function<std::optional<std::string>(const LaunchRule&)> setting;
    FormulaNames names; // fields and counts that were said so far, and settings; `nothing` has no value
    std::function<void(const LaunchRule&, const FormulaValue&)> state;
    std::function<void(const LaunchRule&, const FormulaValue&)> follow;
    std::function<void(const LaunchRule&, const std::string&)> unknown; // a word that no rule has
};
void read_rules(const Framework& framework, std::string_view version, const RuleReading& reading);

// Every formula of the framework's rules that is none.
Issues formula_faults(const Framework& framework);

} // namespace ringside
