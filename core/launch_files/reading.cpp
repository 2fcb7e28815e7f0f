// One file, since what a launch states, what follows and what is guessed are entered and ranked in one place.
#include "core/launch_files/reading.h"

#include <fmt/format.h>

#include "core/base/json/json_text.h"
#include "core/base/text/text.h"
#include "core/launch_files/prices.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

using nlohmann::json;

namespace
{

bool is_option(std::string_view name)
{
    return name.starts_with("--");
}

// Options are the same with - and with _; a last * stands for any ending.
bool matches_name(std::string_view pattern, std::string_view name)
{
    const bool any_ending = pattern.ends_with('*');
    const std::string_view begin = any_ending ? pattern.substr(0, pattern.size() - 1) : pattern;
    if (any_ending ? name.size() < begin.size() : name.size() != begin.size())
    {
        return false;
    }
    const auto same = [option = is_option(name)](char a, char b)
    { return a == b || (option && (a == '_' || a == '-') && (b == '_' || b == '-')); };
    return std::equal(begin.begin(), begin.end(), name.begin(), same);
}

bool any_matches(const std::vector<std::string>& patterns, std::string_view name)
{
    return std::ranges::any_of(patterns, [&](const std::string& p) { return matches_name(p, name); });
}

// Those are read in the order of the table, with what was said before (core/launch_files/by_rules.h).
bool has_formulas(const LaunchRule& rule)
{
    return !rule.reads.empty() || !rule.value.empty() || !rule.when.empty() || !rule.without.empty();
}

std::string where(const Setting& setting)
{
    const std::string place = to_text(setting.place);
    return place.empty() ? setting.name : place + ": " + setting.name;
}

} // namespace

LaunchReader::LaunchReader(std::vector<LaunchSource> sources, const Framework& framework,
                           const Presets& presets)
    : sources_(std::move(sources)), framework_(framework), presets_(presets)
{
    for (const LaunchSource& source : sources_)
    {
        settings_.add(source.settings);
        launcher_.add(source.launcher);
        for (const std::string& message : source.messages)
        {
            say(message);
        }
    }
}

std::string LaunchReader::entry() const
{
    for (const LaunchSource& source : sources_)
    {
        if (!source.entry.empty())
        {
            return source.entry;
        }
    }
    return {};
}

const Setting* LaunchReader::find(std::string_view name)
{
    const Setting* setting = settings_.find(name);
    if (setting == nullptr)
    {
        return nullptr;
    }
    read_[setting->name] = true;
    const bool off = is_option(setting->name) && setting->value == false;
    return off || setting->value.is_null() ? nullptr : setting;
}

const Setting* LaunchReader::find_any(std::initializer_list<std::string_view> names)
{
    const Setting* found = nullptr;
    for (const std::string_view name : names)
    {
        const Setting* setting = find(name); // all of them count as read
        found = found == nullptr ? setting : found;
    }
    return found;
}

std::optional<std::int64_t> LaunchReader::count(std::string_view name, std::int64_t least)
{
    const Setting* setting = find(name);
    if (setting == nullptr || !setting->unknown.empty())
    {
        return {};
    }
    const auto value = whole_number(setting->value);
    if (!value || *value < least)
    {
        fault(*setting, fmt::format("{} is no whole number from {} on", shown(setting->value), least),
              "write it as digits");
        return {};
    }
    return value;
}

std::optional<double> LaunchReader::number(std::string_view name)
{
    const Setting* setting = find(name);
    if (setting == nullptr || !setting->unknown.empty())
    {
        return {};
    }
    const auto value = any_number(setting->value);
    if (!value)
    {
        fault(*setting, fmt::format("{} is no number", shown(setting->value)), "write it as digits");
    }
    return value;
}

std::string LaunchReader::word(std::string_view name)
{
    const Setting* setting = find(name);
    return setting == nullptr || !setting->unknown.empty() ? std::string() : plain_text(setting->value);
}

bool LaunchReader::flag(std::string_view name)
{
    const Setting* setting = find(name);
    return setting != nullptr && typed(setting->value) != false && setting->value != 0;
}

void LaunchReader::state(const std::string& field, json value, const Setting& by)
{
    if (!by.unknown.empty())
    {
        guess(field, nullptr, fmt::format("{}: {} is known only when it runs", by.name, by.unknown));
        return;
    }
    read_[by.name] = true;
    if (settled_.contains(field))
    {
        return;
    }
    fields_[field] = {field, typed(value), Basis::stated, to_text(by), by.place};
}

void LaunchReader::settle(const std::string& field, json value, const std::string& by)
{
    fields_[field] = {field, std::move(value), Basis::stated, by, {}};
    settled_.insert(field);
}

void LaunchReader::follow(const std::string& field, json value, std::string why)
{
    fields_.try_emplace(field, ReadField{field, std::move(value), Basis::follows, std::move(why)});
}

void LaunchReader::guess(const std::string& field, json value, std::string why)
{
    fields_.try_emplace(field, ReadField{field, std::move(value), Basis::guessed, std::move(why)});
}

std::int64_t LaunchReader::said(const std::string& field, std::int64_t otherwise) const
{
    return whole_number(said(field)).value_or(otherwise);
}

json LaunchReader::said(const std::string& field) const
{
    const auto found = fields_.find(field);
    if (found != fields_.end())
    {
        return found->second.value;
    }
    return model_ && field.starts_with("model.") && model_->value.contains(field.substr(6))
               ? model_->value[field.substr(6)]
               : json();
}

void LaunchReader::model(const Model& model, Basis from, std::string by, FilePlace place)
{
    json shape = model.preset.empty() ? json::object() : json{{"preset", model.preset}};
    shape.update(fields_json(model));
    shape["name"] = model.name;
    model_ = ReadField{"model", std::move(shape), from, std::move(by), std::move(place)};
}

void LaunchReader::guess_model(std::string why)
{
    const ModelPreset* usual = presets_.model("llama-3.1-8b");
    if (!model_ && usual != nullptr)
    {
        model(usual->model, Basis::guessed, std::move(why));
    }
}

void LaunchReader::unsayable(const Setting& setting, std::string changes)
{
    read_[setting.name] = true;
    unsayable_.push_back({setting.name, setting.place, std::move(changes)});
}

void LaunchReader::unsayable(std::string setting, std::string changes)
{
    unsayable_.push_back({std::move(setting), {}, std::move(changes)});
}

void LaunchReader::say(std::string message)
{
    if (std::ranges::find(messages_, message) == messages_.end())
    {
        messages_.push_back(std::move(message));
    }
}

void LaunchReader::refuse(std::string why)
{
    say(why);
    refusals_.push_back(std::move(why));
}

void LaunchReader::fault(const Setting& setting, std::string message, std::string hint)
{
    faults_.push_back({where(setting), std::move(message), std::move(hint)});
}

void LaunchReader::pass(std::string_view name)
{
    (void)find(name);
}

void LaunchReader::apply_words(const Setting& setting, const std::string& field,
                               const std::vector<LaunchWord>& words)
{
    const std::string text = plain_text(setting.value);
    const auto word = std::ranges::find_if(
        words, [&](const LaunchWord& w)
        { return small_letters(w.says) == small_letters(text) || (w.says.empty() && text == "true"); });
    if (word == words.end() && text == "auto")
    {
        return; // up to others, so to the framework's reader
    }
    if (word == words.end() && !words.empty())
    {
        unsayable(setting, fmt::format("{} is no value that {} has here", text, field));
    }
    else if (words.empty() || !word->is.empty())
    {
        state(field, words.empty() ? setting.value : json(word->is), setting);
    }
}

void LaunchReader::apply(const Setting& setting)
{
    for (const LaunchRule& rule : framework_.launch)
    {
        if (!rule.in_code && !has_formulas(rule) && rule.field.find('.') != std::string::npos &&
            matches_name(rule.flag, setting.name))
        {
            read_[setting.name] = true;
            apply_words(setting, rule.field, rule.words);
            return;
        }
    }
    for (const SettingRule& rule : framework_.settings)
    {
        if (!any_matches(rule.names, setting.name))
        {
            continue;
        }
        read_[setting.name] = true;
        if (rule.in_code)
        {
            return; // the framework's reader asks for it
        }
        const std::string text = plain_text(setting.value);
        const bool usual = std::ranges::any_of(rule.words, [&](const LaunchWord& w)
                                               { return w.is.empty() && w.says == text; });
        if (!rule.field.empty() && !usual)
        {
            apply_words(setting, rule.field, rule.words);
        }
        else if (!rule.changes.empty() && !usual)
        {
            unsayable(setting, rule.changes);
            if (!rule.bytes.empty() && setting.unknown.empty())
            {
                prices_.push_back({unsayable_.size() - 1, rule.bytes, setting.value});
            }
        }
        return;
    }
}

void LaunchReader::apply_rules()
{
    for (const Setting& setting : settings_.all())
    {
        if (settings_.find(setting.name) != &setting)
        {
            read_[setting.name] = true; // overruled further down
        }
        else if (!setting.value.is_null() && !(is_option(setting.name) && setting.value == false))
        {
            apply(setting);
        }
        else
        {
            read_[setting.name] = true;
        }
    }
}

void LaunchReader::apply_defaults()
{
    for (const SettingRule& rule : framework_.settings)
    {
        if (!rule.without.empty())
        {
            follow(rule.field, typed(std::string_view(rule.without)),
                   fmt::format("default of {} in {}", rule.names.front(), framework_.name));
        }
    }
}

// The least GPUs that the layout can be on, so that every group is whole.
void LaunchReader::guess_the_rest()
{
    if (!has("model.layers"))
    {
        guess_model("the files name no model");
    }
    const std::int64_t cut =
        said("parallel.tensor", 1) * said("parallel.context", 1) * said("parallel.pipeline", 1);
    const std::int64_t experts = said("parallel.expert", 1) * said("parallel.expert_tensor", 1);
    const std::int64_t inner = said("parallel.tensor", 1) * said("parallel.context", 1);
    const std::int64_t copies = std::max<std::int64_t>(1, experts / std::gcd(experts, inner));
    guess("cluster.gpus", cut * copies, "the fewest that the layout can be on");
    std::int64_t node = std::min<std::int64_t>(8, said("cluster.gpus", 1));
    while (node > 1 && said("cluster.gpus", 1) % node != 0)
    {
        --node;
    }
    guess("cluster.gpus_per_node", node, "nodes of up to 8 GPUs");
    guess("cluster.gpu", "h100-sxm-80gb", "launch files name no GPU");
    guess("training.sequence_length", 4096, "no file says it");
    guess("training.micro_batch", 1, "no file says it");
    const std::int64_t data =
        std::max<std::int64_t>(1, said("cluster.gpus", 1) / std::max<std::int64_t>(1, cut));
    guess("training.global_batch", said("training.micro_batch", 1) * data,
          "one micro-batch for each replica");
    guess("training.recompute", "none", "no file says it");
    guess("training.tokens", 1e12, "no file says how long the run is");
}

json LaunchReader::document() const
{
    json document = json::object();
    if (model_)
    {
        document["model"] = model_->value;
    }
    for (const auto& [path, field] : fields_)
    {
        if (field.value.is_null())
        {
            continue;
        }
        json* section = &document;
        std::string_view rest = path;
        for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.'))
        {
            section = &(*section)[std::string(rest.substr(0, dot))];
            if (section->is_string())
            {
                *section = json{{"preset", *section}};
            }
            rest.remove_prefix(dot + 1);
        }
        (*section)[std::string(rest)] = field.value;
    }
    return document;
}

namespace
{

// What a launch says of GPUs, layout and batch that cannot all be true. Said, never mended.
void check_counts(const Scenario& s, std::vector<std::string>& messages)
{
    const Parallel& p = s.parallel;
    const std::int64_t cut = p.tensor * p.context * p.pipeline;
    if (s.cluster.gpus % cut != 0)
    {
        messages.push_back(fmt::format("{} GPUs are stated, TP {} x {}PP {} needs {}{}", s.cluster.gpus,
                                       p.tensor, p.context > 1 ? fmt::format("CP {} x ", p.context) : "",
                                       p.pipeline, s.cluster.gpus < cut ? "" : "a multiple of ", cut));
        return;
    }
    const std::int64_t data = s.cluster.gpus / cut;
    if (s.training.global_batch % (data * s.training.micro_batch) != 0)
    {
        messages.push_back(fmt::format("global batch {} over {} {} x micro-batch {} = {} does not divide",
                                       s.training.global_batch, data, cut == 1 ? "GPUs" : "replicas",
                                       s.training.micro_batch, data * s.training.micro_batch));
    }
}

} // namespace

void LaunchReader::name_the_unread()
{
    for (const Setting& setting : settings_.all())
    {
        if (read_.contains(setting.name))
        {
            continue;
        }
        if (any_matches(framework_.no_bearing, setting.name))
        {
            no_bearing_.push_back(setting.name);
        }
        else
        {
            unsayable(setting, "is not known here, so neither is what it changes");
        }
    }
}

Result<LaunchReading> LaunchReader::take()
{
    name_the_unread();
    guess_the_rest();
    if (!faults_.empty())
    {
        return faults_;
    }
    auto scenario = scenario_from_json(document(), presets_);
    if (!scenario)
    {
        Issues issues = scenario.issues();
        for (Issue& issue : issues)
        {
            const auto found = fields_.find(issue.path);
            const std::string place = found == fields_.end() ? "" : to_text(found->second.place);
            issue.path = place.empty() ? issue.path : place + ": " + issue.path;
        }
        return issues;
    }
    for (const Price& price : prices_)
    {
        unsayable_[price.of].bytes = price_of(price.formula, price.value, *scenario);
    }
    LaunchReading reading{.kind = framework_.id,
                          .name = framework_.name,
                          .scenario = std::move(*scenario),
                          .unsayable = std::move(unsayable_),
                          .messages = std::move(messages_),
                          .no_bearing = std::move(no_bearing_),
                          .refusals = std::move(refusals_),
                          .issues = {}};
    if (model_)
    {
        for (const Field<Model>& field : fields_of(Model{}))
        {
            const std::string path = "model." + std::string(field.name);
            fields_.try_emplace(path, ReadField{path, {}, model_->from, model_->by, model_->place});
        }
    }
    for (auto& [path, field] : fields_)
    {
        field.value = field_value(reading.scenario, path);
        reading.fields.push_back(std::move(field));
    }
    check_counts(reading.scenario, reading.messages);
    reading.issues = validate(reading.scenario);
    return reading;
}

} // namespace ringside
