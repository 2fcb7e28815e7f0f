// What a launch comes to: a scenario, and for each of its fields who says so. `stated` by a setting,
// `follows` from the framework's own default or from other fields, or `guessed`, which nobody said and the
// user should confirm. Settings that bear on memory or time and are not modeled are listed with what they
// would change.
#pragma once

#include "core/base/names.h"
#include "core/launch_files/source.h"
#include "core/scenario/presets.h"

#include <set>

namespace ringside
{

enum class Basis
{
    stated,
    follows,
    guessed
};
template <>
inline constexpr auto kNamesOf<Basis> = names<Basis>("stated", "follows", "guessed");

struct ReadField
{
    std::string field;    // "parallel.tensor"
    nlohmann::json value; // as the scenario has it
    Basis from = Basis::guessed;
    std::string by; // the setting as written, or why
    FilePlace place = {};
};

struct UnsayableSetting
{
    std::string setting; // "--deterministic-mode"
    FilePlace place;
    std::string changes;              // of memory or time
    std::optional<double> bytes = {}; // of that on a GPU, more or less, where it is known
};
// What it would change, with its price: "a second buffer: 1.74 GB more".
std::string to_text(const UnsayableSetting& setting);

struct LaunchReading
{
    std::string kind;  // "megatron", an id of assets/frameworks
    std::string name;  // "Megatron-LM"
    Scenario scenario; // valid where there are no `issues`
    std::vector<ReadField> fields;
    std::vector<UnsayableSetting> unsayable;
    std::vector<std::string> messages;   // what the user must know, a sentence each
    std::vector<std::string> no_bearing; // settings read and passed over
    std::vector<std::string> refusals;   // of the messages, what the framework refuses to start with
    Issues issues;                       // of validate(): why it cannot run as it is written

    bool starts() const { return refusals.empty() && !has_errors(issues); }
};

// A launch while it is read. Frameworks' readers ask for settings by name and say which field they state.
class LaunchReader
{
public:
    LaunchReader(std::vector<LaunchSource> sources, const Framework& framework, const Presets& presets);

    const SettingList& settings() const { return settings_; }
    const SettingList& launcher() const { return launcher_; }
    const std::vector<LaunchSource>& sources() const { return sources_; }
    const Presets& presets() const { return presets_; }
    const Framework& framework() const { return framework_; }
    std::string entry() const; // the program that is started

    // The setting, which then counts as read. Null where it is left out, null or switched off ("--bf16:
    // false").
    const Setting* find(std::string_view name);
    const Setting* find_any(std::initializer_list<std::string_view> names);
    // Values of it; what is no such value is a fault with its place. Nothing where it is left out or not
    // known.
    std::optional<std::int64_t> count(std::string_view name, std::int64_t least = 0);
    std::optional<double> number(std::string_view name);
    std::string word(std::string_view name);
    bool flag(std::string_view name);

    // Later statements of one field overrule earlier ones; what follows or is guessed overrules none.
    void state(const std::string& field, nlohmann::json value, const Setting& by);
    void follow(const std::string& field, nlohmann::json value, std::string why);
    void guess(const std::string& field, nlohmann::json value, std::string why);
    // A statement that no other overrules: of the user, beside the files.
    void settle(const std::string& field, nlohmann::json value, const std::string& by);
    // Takes back what was said of a field.
    void forget(const std::string& field)
    {
        if (!settled_.contains(field))
        {
            fields_.erase(field);
        }
    }
    bool has(const std::string& field) const { return fields_.contains(field); }
    // What was said of it so far, as a whole number; `otherwise` where nothing was.
    std::int64_t said(const std::string& field, std::int64_t otherwise) const;
    nlohmann::json said(const std::string& field) const;
    // The whole model: a preset, or a shape that was read elsewhere.
    void model(const Model& model, Basis from, std::string by, FilePlace place = {});

    // A usual model where the files name none.
    void guess_model(std::string why);

    void unsayable(const Setting& setting, std::string changes);
    void unsayable(std::string setting, std::string changes);
    void say(std::string message);
    // The framework does not start with these settings.
    void refuse(std::string why);
    void fault(const Setting& setting, std::string message, std::string hint);
    // The setting is read elsewhere, or changes nothing.
    void pass(std::string_view name);

    // Everything the framework's table says of the settings by itself.
    void apply_rules();
    // What the framework takes where a setting is left out, by the same table.
    void apply_defaults();
    // Names every setting that nobody has read; guesses what every scenario needs.
    Result<LaunchReading> take();

private:
    void apply(const Setting& setting);
    void apply_words(const Setting& setting, const std::string& field, const std::vector<LaunchWord>& words);
    void name_the_unread();
    void guess_the_rest();
    nlohmann::json document() const;

    std::vector<LaunchSource> sources_;
    SettingList settings_;
    SettingList launcher_;
    const Framework& framework_;
    const Presets& presets_;
    std::map<std::string, ReadField> fields_;
    std::set<std::string> settled_;
    std::optional<ReadField> model_;   // whose value is the whole shape
    std::map<std::string, bool> read_; // settings by name
    std::vector<UnsayableSetting> unsayable_;
    struct Price
    {
        std::size_t of = 0; // index of unsayable_
        std::string formula;
        nlohmann::json value;
    };
    std::vector<Price> prices_; // to be computed of the whole scenario
    std::vector<std::string> messages_;
    std::vector<std::string> no_bearing_;
    std::vector<std::string> refusals_;
    Issues faults_;
};

// The whole answer as JSON (ringside.imported/1).
nlohmann::json to_json(const LaunchReading& reading, const Presets& presets);
// A field of a scenario by its path, as JSON: "parallel.tensor" -> 8. Null where there is none of the name.
nlohmann::json field_value(const Scenario& scenario, std::string_view path);
// A model by the name it has on the Hugging Face hub: "meta-llama/Llama-3.1-8B" -> the preset.
const ModelPreset* preset_of_repository(std::string_view repository, const Presets& presets);
// GPUs and GPUs of a node, from what starts the program: torchrun, deepspeed, SLURM. A framework whose files
// state them says so before.
void read_gpus(LaunchReader& reader);

} // namespace ringside
