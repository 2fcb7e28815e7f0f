// One file, since what is written is read back by the same steps, in the opposite order.
#include "core/planner/launch/framework_launch.h"

#include "core/planner/launch/rules.h"
#include "core/scenario/fields.h"
#include "core/scenario/stage_layers.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <array>
#include <set>

namespace ringside
{

namespace
{

std::string_view unquoted(std::string_view text)
{
    const bool quotes =
        text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
    return quotes ? text.substr(1, text.size() - 2) : text;
}

// A value as the format has it; rules have it plain.
std::string in_format(const std::string& text, LaunchFormat format)
{
    const bool python = format == LaunchFormat::python;
    if (python && (text == "true" || text == "false"))
    {
        return text == "true" ? "True" : "False";
    }
    const FormulaValue value = FormulaValue::of(text);
    const bool plain = value.is_number || text.empty() || text.front() == '[' || text.front() == '"' ||
                       text == "null" || (python && (text == "None" || text.ends_with(')')));
    const bool quotes = format == LaunchFormat::toml || format == LaunchFormat::json || python;
    return plain || !quotes ? text : quoted(std::string_view(text));
}

bool holds(const std::string& formula, const FormulaNames& names)
{
    const auto value =
        formula.empty() ? Result<FormulaValue>(FormulaValue::of(1.0)) : evaluate_formula(formula, names);
    return value && value->truth();
}

// "@{torchrun} train.py": each formula between brackets as its value.
std::string filled(std::string_view line, const FormulaNames& names)
{
    std::string text;
    for (std::size_t at = line.find("@{"); at != std::string_view::npos; at = line.find("@{"))
    {
        const std::size_t end = std::min(line.find('}', at), line.size() - 1);
        const auto value = evaluate_formula(line.substr(at + 2, end - at - 2), names);
        text += line.substr(0, at);
        text += value ? value->text : "";
        line.remove_prefix(end + 1);
    }
    return text += line;
}

// A launch by the framework's rules. Each setting is written once, in the file that its rule names.
class RuleWriter
{
public:
    RuleWriter(const Framework& framework, const Scenario& scenario, std::string_view version)
        : f_(framework), version_(version), d_(scenario), names_(scenario, framework, version)
    {
    }

    Launch write()
    {
        define();
        for (const LaunchFileRule& file : f_.files)
        {
            if (is_of_version(file.versions, version_) && holds(file.when, lookup()))
            {
                write_file(file);
            }
        }
        leave_to_code();
        refuse();
        name_differences();
        check_hosts(d_);
        return d_.take();
    }

private:
    FormulaNames lookup() const
    {
        return [this](std::string_view name) { return names_(name); };
    }

    void define()
    {
        for (const LaunchRule& rule : f_.launch)
        {
            const bool named = rule.flag.empty() && !rule.value.empty();
            const auto value = named && is_of_version(rule.versions, version_)
                                   ? evaluate_formula(rule.value, lookup())
                                   : Result<FormulaValue>(Issue{});
            if (value)
            {
                names_.define(rule.field, *value);
            }
        }
    }

    bool is_first(const LaunchFileRule& file) const
    {
        const auto first = std::ranges::find_if(
            f_.files, [&](const LaunchFileRule& each)
            { return each.format != LaunchFormat::text && is_of_version(each.versions, version_); });
        return first != f_.files.end() && first->name == file.name;
    }

    void write_file(const LaunchFileRule& file)
    {
        for (const LaunchRule& rule : f_.launch)
        {
            const bool here = rule.file.empty() ? is_first(file) : rule.file == file.name;
            if (here && !rule.flag.empty() && !rule.in_code && is_of_version(rule.versions, version_) &&
                holds(rule.when, lookup()))
            {
                write_rule(rule, file.format);
            }
        }
        std::vector<std::string> head;
        std::vector<std::string> tail;
        for (const auto& [from, to] : {std::pair{&file.head, &head}, std::pair{&file.tail, &tail}})
        {
            for (const std::string& line : *from)
            {
                to->push_back(filled(line, lookup()));
            }
        }
        switch (file.format)
        {
        case LaunchFormat::toml:
            return d_.config_file(file.name, ConfigFormat::toml);
        case LaunchFormat::yaml:
            return d_.config_file(file.name, ConfigFormat::yaml);
        case LaunchFormat::json:
            return d_.config_file(file.name, ConfigFormat::json);
        case LaunchFormat::options:
            return d_.command_file(file.name, head, tail.empty() ? "" : tail.front());
        case LaunchFormat::python:
            return d_.code_file(file.name, head, tail);
        case LaunchFormat::text:
            return d_.plain_file(file.name, std::move(tail));
        }
    }

    void write_rule(const LaunchRule& rule, LaunchFormat format)
    {
        const auto value = rule.value.empty() ? field(rule) : evaluate_formula(rule.value, lookup());
        if (!value)
        {
            return;
        }
        const auto word = std::ranges::find_if(rule.words, [&](const LaunchWord& w)
                                               { return w.is == "*" || w.is == value->text; });
        if (word == rule.words.end() && !rule.words.empty())
        {
            return;
        }
        const std::string& text = rule.words.empty() ? value->text : word->says;
        set(rule, text, format);
        if (word != rule.words.end() && !word->why.empty())
        {
            miss(rule.field, word->why);
        }
    }

    // Options are told by two dashes, and a switch by its name alone; in trees the last name is the key.
    void set(const LaunchRule& rule, const std::string& text, LaunchFormat format)
    {
        const bool option = format == LaunchFormat::options;
        const std::size_t dot = option ? rule.flag.find('.') : rule.flag.rfind('.');
        const bool dotted = dot != std::string::npos;
        d_.section(dotted ? rule.flag.substr(0, dot) : option ? "arguments" : "");
        const std::string key = option && !rule.flag.starts_with("-") ? "--" + rule.flag
                                : option || !dotted                   ? rule.flag
                                                                      : rule.flag.substr(dot + 1);
        const bool of_scenario = rule.field.find('.') != std::string::npos;
        d_.set(key, option && text == "true" ? std::string() : in_format(text, format),
               filled(rule.says, lookup()), of_scenario ? rule.field : std::string());
    }

    Result<FormulaValue> field(const LaunchRule& rule) const
    {
        const auto value = names_(rule.field);
        return value ? Result<FormulaValue>(*value) : Result<FormulaValue>(Issue{});
    }

    void miss(const std::string& field, const std::string& why)
    {
        if (missed_.insert(field).second)
        {
            const auto value = field_of(d_.s, field);
            d_.not_expressed(field, value ? one_line(value->text) : one_line(d_.s.model.name),
                             filled(why, lookup()));
        }
    }

    void leave_to_code()
    {
        for (const LaunchRule& rule : f_.launch)
        {
            const auto usual = field_of(Scenario{.training = {.recompute = Recompute::none}}, rule.field);
            const auto value = field_of(d_.s, rule.field);
            if (rule.in_code && value && (!usual || usual->text != value->text))
            {
                miss(rule.field, rule.says);
            }
        }
    }

    void refuse()
    {
        for (const LaunchRefusal& refusal : f_.refuses)
        {
            if (is_of_version(refusal.versions, version_) && holds(refusal.when, lookup()))
            {
                miss(refusal.field, refusal.says);
            }
        }
    }

    // Every field that would start as something else is named.
    void name_differences()
    {
        const Scenario wanted = without_idle_fields(d_.s);
        const Scenario got = without_idle_fields(read_scenario(f_, version_, d_.launch(), d_.s));
        const bool other_attention = wanted.model.attention != got.model.attention;
        for (const std::string& path : launch_fields(f_))
        {
            const bool of_latent = path.find("lora_rank") != std::string::npos || path.ends_with("head_dim");
            if (other_attention && path.starts_with("model.") && of_latent)
            {
                continue; // the kind of attention says it
            }
            const auto a = field_of(wanted, path);
            const auto b = field_of(got, path);
            if (a && b && a->text != b->text)
            {
                miss(path,
                     fmt::format("no setting says it; starts with {}", b->text.empty() ? "none" : b->text));
            }
        }
    }

    const Framework& f_;
    std::string_view version_;
    LaunchDraft d_;
    ScenarioNames names_;
    std::set<std::string> missed_;
};

const LaunchFlag* flag_of(const Launch& launch, std::string_view name)
{
    const auto found = std::ranges::find_if(
        launch.flags, [&](const LaunchFlag& each)
        { return each.flag == name || (each.flag.starts_with("--") && each.flag.substr(2) == name); });
    return name.empty() || found == launch.flags.end() ? nullptr : &*found;
}

// Without quotes, and switches as "true".
std::string plain_value(const LaunchFlag& flag)
{
    const std::string text(unquoted(flag.value));
    return text == "True" ? "true" : text == "False" ? "false" : text;
}

// The first schedule that the framework has for so many chunks, where no setting says which.
void guess_schedule(const Framework& f, Scenario& s)
{
    const auto found =
        std::ranges::find_if(f.schedules, [&](const FrameworkSchedule& schedule)
                             { return (schedule.least_chunks > 1) == (s.parallel.chunks > 1); });
    if (found != f.schedules.end())
    {
        s.training.schedule = schedule(found->id);
    }
}

// The scenario of a launch before anything is read: what no rule says is neutral, what no launch says stays.
Scenario unread(const Framework& f, const Scenario& s)
{
    Scenario start = s;
    start.parallel = {};
    start.training.schedule = schedule("1f1b");
    start.training.recompute = Recompute::none;
    start.training.offload = Offload::none;
    start.training.micro_batch = 1;
    const bool shaped = std::ranges::find(f.launch, "model.layers", &LaunchRule::field) != f.launch.end();
    if (shaped)
    {
        Model model;
        model.preset = s.model.preset;
        model.name = s.model.name;
        start.model = model;
    }
    return start;
}

void name_version(Launch& launch, const Framework& framework, std::string_view version)
{
    const auto of = std::ranges::find(framework.versions, version, &LaunchVersion::id);
    if (of == framework.versions.end())
    {
        return;
    }
    const LaunchLine line{one_line(fmt::format("# written for {}, {}", framework.name, of->says)), -1};
    for (LaunchFile& file : launch.files)
    {
        const auto headline = std::ranges::find_if(file.lines, [](const LaunchLine& each)
                                                   { return each.text.starts_with("# "); });
        if (!file.comment.empty() && headline != file.lines.end())
        {
            file.lines.insert(headline + 1, line);
        }
    }
}

// One task a node starts launch.sh there, which starts a process for each GPU.
void add_slurm(Launch& launch, const Scenario& s)
{
    const bool shell = std::ranges::find(launch.files, "launch.sh", &LaunchFile::name) != launch.files.end();
    if (!shell)
    {
        return;
    }
    LaunchFile file{"launch.sbatch", "# ", {}};
    for (std::string& line : std::vector<std::string>{
             "#!/usr/bin/env bash", "# " + headline(s), fmt::format("#SBATCH --nodes={}", hosts(s)),
             "#SBATCH --ntasks-per-node=1", fmt::format("#SBATCH --gpus-per-node={}", processes_per_host(s)),
             "set -euo pipefail",
             "export MASTER_ADDR=\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\"",
             "export MASTER_PORT=\"${MASTER_PORT:-29500}\"",
             "srun bash -c 'NODE_RANK=\"$SLURM_NODEID\" exec bash launch.sh \"$@\"' launch \"$@\""})
    {
        file.lines.push_back({std::move(line), -1});
    }
    launch.files.push_back(std::move(file));
}

// What a name in a formula means while a launch is read: a setting, a count read before, a field.
std::optional<FormulaValue> value_named(std::string_view name, const Launch& launch,
                                        const std::map<std::string, FormulaValue, std::less<>>& counts,
                                        const Scenario& s, const LaunchFlavor* flavor)
{
    if (name == "nothing")
    {
        return {};
    }
    if (const LaunchFlag* flag = flag_of(launch, name))
    {
        return FormulaValue::of(plain_value(*flag));
    }
    if (const auto count = counts.find(name); count != counts.end())
    {
        return count->second;
    }
    if (name == "data")
    {
        return FormulaValue::of(static_cast<double>(data_parallel(s)));
    }
    const auto word = flavor_word_of(flavor, name);
    return word ? word : name.find('.') == std::string_view::npos ? FormulaValue::of(1.0) : field_of(s, name);
}

} // namespace

std::vector<std::string> launch_fields(const Framework& framework)
{
    std::vector<std::string> fields;
    const bool shaped =
        std::ranges::find(framework.launch, "model.layers", &LaunchRule::field) != framework.launch.end();
    const auto listed = [&](const std::string& path)
    { return std::ranges::find(framework.launch, path, &LaunchRule::field) != framework.launch.end(); };
    const Scenario any;
    each_section(any,
                 [&](std::string_view section, const auto& object)
                 {
                     const bool layout = section == "parallel";
                     for (const auto& field : fields_of(object))
                     {
                         const std::string path = fmt::format("{}.{}", section, field.name);
                         const bool always = layout || (section == "model" && shaped) ||
                                             path == "training.recompute" || path == "training.offload";
                         if ((always || listed(path)) && path != "model.max_sequence_length")
                         {
                             fields.push_back(path);
                         }
                     }
                 });
    return fields;
}

Scenario without_idle_fields(Scenario s)
{
    s.model = resolved(s.model);
    s.parallel.stage_layers = uneven_layers(s);
    Model& m = s.model;
    m.ffn = m.experts > 0 && m.dense_layers == 0 && m.moe_interval == 1 ? 0 : m.ffn;
    Parallel& p = s.parallel;
    const Overlaps can = possible_overlaps(s);
    p.overlap_tensor = p.overlap_tensor && can.tensor;
    p.overlap_expert = p.overlap_expert && can.expert;
    p.overlap_pipeline = p.overlap_pipeline && can.pipeline;
    p.sequence_parallel = p.sequence_parallel && p.tensor > 1;
    p.expert_tensor = m.experts > 0 && p.expert > 1 ? p.expert_tensor : 1;
    p.zero = dense_replicas(s) > 1 ? p.zero : 0;
    p.whole_shards = p.whole_shards && p.zero > 0;
    p.shard_group = p.zero > 0 && dense_shards(s) < dense_replicas(s) ? p.shard_group : 0;
    if (p.pipeline == 1)
    {
        p.chunks = 1;
        s.training.schedule = schedule("1f1b");
    }
    Training& t = s.training;
    t.recompute_layers = t.recompute == Recompute::full ? t.recompute_layers : 0;
    t.fp8_recipe = is_narrow(t.precision) ? t.fp8_recipe : Fp8Recipe::bf16_weights;
    t.gradient_dtype = t.precision == Precision::fp32 ? GradientDtype::fp32 : t.gradient_dtype;
    // A number of steps is whole.
    t.tokens = static_cast<double>(train_steps(s)) * static_cast<double>(t.global_batch) *
               static_cast<double>(t.sequence_length);
    return s;
}

Scenario read_scenario(const Framework& framework, std::string_view version, const Launch& launch,
                       const Scenario& about)
{
    Scenario s = unread(framework, about);
    const LaunchFlavor* flavor = flavor_of(framework, about.model, version);
    std::map<std::string, FormulaValue, std::less<>> counts;
    std::set<std::string> stated;
    const auto put = [&](const LaunchRule& rule, const FormulaValue& value)
    {
        if (rule.field.find('.') == std::string::npos)
        {
            counts[rule.field] = value;
            return;
        }
        set_field(s, rule.field, value);
    };
    RuleReading reading;
    reading.setting = [&](const LaunchRule& rule) -> std::optional<std::string>
    {
        const LaunchFlag* flag = flag_of(launch, rule.flag);
        return flag == nullptr ? std::nullopt : std::optional(plain_value(*flag));
    };
    reading.names = [&](std::string_view name) { return value_named(name, launch, counts, s, flavor); };
    reading.state = [&](const LaunchRule& rule, const FormulaValue& value)
    {
        stated.insert(rule.field);
        put(rule, value);
    };
    reading.follow = [&](const LaunchRule& rule, const FormulaValue& value)
    {
        if (!stated.contains(rule.field))
        {
            put(rule, value);
        }
    };
    reading.unknown = [](const LaunchRule&, const std::string&) {};
    read_rules(framework, version, reading);
    for (const LaunchRule& rule : framework.launch)
    {
        const auto left = std::ranges::find(launch.not_expressed, rule.field, &NotExpressed::field);
        if (rule.in_code && left != launch.not_expressed.end())
        {
            set_field(s, rule.field, FormulaValue::of(left->value));
        }
    }
    if (s.parallel.pipeline > 1 && !stated.contains("training.schedule"))
    {
        guess_schedule(framework, s);
    }
    return s;
}

Launch write_launch(const Framework& framework, const Scenario& scenario, std::string_view version)
{
    const std::string_view of = version_of(framework, version);
    const LaunchTool* tool = find_launch_tool(framework.id);
    Launch launch = tool != nullptr ? tool->write(scenario) : RuleWriter(framework, scenario, of).write();
    name_version(launch, framework, of);
    add_slurm(launch, scenario);
    return launch;
}

Layout read_launch(const Framework& framework, const Launch& launch, const Scenario& scenario)
{
    return layout_of(read_scenario(framework, version_of(framework, ""), launch, scenario));
}

Issues launch_rule_faults(const Framework& framework)
{
    return formula_faults(framework);
}

} // namespace ringside
