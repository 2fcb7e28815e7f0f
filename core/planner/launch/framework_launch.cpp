#include "core/planner/launch/framework_launch.h"

#include <fmt/format.h>

#include "core/planner/launch/draft.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace ringside
{

namespace
{

const LayoutField* layout_field(std::string_view name)
{
    const auto found = std::ranges::find(layout_fields(), name, &LayoutField::name);
    return found == layout_fields().end() ? nullptr : &*found;
}

// 0 for what is no number.
std::int64_t count_in(std::string_view text)
{
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

void set_field(Layout& l, const LayoutField& which, std::string_view text)
{
    std::visit(
        [&](auto field)
        {
            auto& value = l.*field;
            using T = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<T, bool>)
            {
                value = text == "true";
            }
            else if constexpr (std::is_same_v<T, std::int64_t>)
            {
                value = std::max<std::int64_t>(0, count_in(text));
            }
            else if constexpr (std::is_same_v<T, Recompute>)
            {
                value = kNamesOf<Recompute>.find(text).value_or(value);
            }
            else
            {
                const ScheduleKind found = find_schedule(text);
                value = found != nullptr ? found : value;
            }
        },
        which.member);
}

// The mesh, innermost first. Experts are cut over the replicas; the rest of those hold shards or copies.
struct MeshAxis
{
    std::string_view name;
    std::int64_t size;
};
std::vector<MeshAxis> mesh_of(const Scenario& s)
{
    const Parallel& p = s.parallel;
    const std::int64_t rest = data_parallel(s) / std::gcd(data_parallel(s), p.expert);
    return {{"tensor", p.sequence_parallel ? 1 : p.tensor},
            {"tensor and sequence", p.sequence_parallel ? p.tensor : 1},
            {"context", p.context},
            {"expert", p.expert},
            {"shards", p.zero == 3 ? rest : 1},
            {"replicas", p.zero == 3 ? 1 : rest},
            {"pipeline", p.pipeline}};
}

std::optional<std::int64_t> mesh_part(const Scenario& s, std::string_view part)
{
    const bool within = part.starts_with("within ");
    std::int64_t room = std::min(s.cluster.gpus, s.cluster.gpus_per_node);
    for (const MeshAxis& axis : mesh_of(s))
    {
        const std::int64_t inside = std::gcd(axis.size, room);
        room /= inside;
        if (part.ends_with(axis.name) && part.size() == axis.name.size() + 7)
        {
            return within ? inside : axis.size / inside;
        }
    }
    return {};
}

// What a rule writes; nothing where it does not apply.
std::optional<std::string> rule_value(const LaunchRule& rule, const Scenario& s)
{
    if (const LayoutField* field = layout_field(rule.field))
    {
        return text_of(layout_of(s), *field);
    }
    const Parallel& p = s.parallel;
    std::optional<std::int64_t> count = mesh_part(s, rule.field);
    if (rule.field == "sequences per GPU")
    {
        return fmt::format("{}",
                           static_cast<double>(s.training.global_batch) /
                               static_cast<double>(s.cluster.gpus * (p.pipeline > 1 ? 1 : micro_batches(s))));
    }
    if (rule.field == "training.sequence_length")
    {
        count = s.training.sequence_length;
    }
    if (rule.field == "layers per chunk" && p.pipeline > 1)
    {
        count = s.model.layers / (p.pipeline * p.chunks);
    }
    else if (rule.field == "micro-batches" ||
             rule.field == (p.pipeline > 1 ? "micro-batches with stages" : "micro-batches without stages"))
    {
        count = micro_batches(s);
    }
    return count ? std::optional(fmt::format("{}", *count)) : std::nullopt;
}

constexpr std::array<std::string_view, 7> kCounts{"layers per chunk",
                                                  "stages",
                                                  "micro-batches",
                                                  "micro-batches with stages",
                                                  "micro-batches without stages",
                                                  "sequences per GPU",
                                                  "training.sequence_length"};

bool is_known(std::string_view field)
{
    return layout_field(field) != nullptr || std::ranges::find(kCounts, field) != kCounts.end() ||
           ((field.starts_with("within ") || field.starts_with("across ")) &&
            mesh_part(Scenario(), field).has_value());
}

void write_rule(LaunchDraft& d, const LaunchRule& rule)
{
    const std::optional<std::string> value = rule_value(rule, d.s);
    if (!value)
    {
        return;
    }
    const bool of_scenario = rule.field.find('.') != std::string::npos;
    if (rule.in_code)
    {
        const LayoutField* field = layout_field(rule.field);
        if (field == nullptr || *value != text_of(Layout(), *field))
        {
            d.not_expressed(rule.field, *value, rule.says);
        }
        return;
    }
    const auto word = std::ranges::find(rule.words, *value, &LaunchWord::is);
    if (word != rule.words.end() || rule.words.empty())
    {
        d.set(rule.flag, word != rule.words.end() ? word->says : *value, rule.says,
              of_scenario ? rule.field : std::string());
    }
}

std::string_view unquoted(std::string_view text)
{
    const bool quotes = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return quotes ? text.substr(1, text.size() - 2) : text;
}

std::int64_t times(std::string_view text, std::string_view what)
{
    std::int64_t n = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1))
    {
        ++n;
    }
    return n;
}

// What the launch says where the rule looks; nothing where it says nothing.
std::optional<std::string> said(const Launch& launch, const LaunchRule& rule)
{
    if (rule.in_code)
    {
        const auto found = std::ranges::find(launch.not_expressed, rule.field, &NotExpressed::field);
        return found == launch.not_expressed.end() ? std::nullopt : std::optional(found->value);
    }
    const auto found = std::ranges::find(launch.flags, rule.flag, &LaunchFlag::flag);
    if (found == launch.flags.end())
    {
        return {};
    }
    const std::string text(unquoted(found->value));
    const auto word = std::ranges::find(rule.words, text, &LaunchWord::says);
    return word != rule.words.end() ? std::optional(word->is)
           : rule.words.empty()     ? std::optional(text)
                                    : std::nullopt;
}

// Groups first: the counts are read with them.
class LaunchReader
{
public:
    LaunchReader(const Framework& f, const Launch& launch, const Scenario& s) : f_(f), launch_(launch), s_(s)
    {
        l_.gpus = s.cluster.gpus;
        l_.global_batch = s.training.global_batch;
        l_.sequence_length = s.training.sequence_length;
        l_.recompute_layers = s.training.recompute_layers;
    }

    Layout read()
    {
        for (const LaunchRule& rule : f_.launch)
        {
            const std::optional<std::string> text = said(launch_, rule);
            const LayoutField* field = layout_field(rule.field);
            if (text && field != nullptr)
            {
                scheduled_ = scheduled_ || rule.field == "training.schedule";
                set_field(l_, *field, *text);
            }
            else if (text)
            {
                read_mesh(rule.field, count_in(*text));
            }
        }
        for (const LaunchRule& rule : f_.launch)
        {
            if (const std::optional<std::string> text = said(launch_, rule))
            {
                read_count(rule.field, *text);
            }
        }
        l_.sequence_parallel =
            l_.tensor > 1 && (l_.sequence_parallel || f_.sequence_parallel == SequenceUse::always);
        read_schedule();
        return l_;
    }

private:
    void read_mesh(std::string_view part, std::int64_t size)
    {
        const std::string_view axis = part.substr(std::min<std::size_t>(7, part.size()));
        constexpr std::array kAxes{std::pair{std::string_view("tensor"), &Layout::tensor},
                                   std::pair{std::string_view("tensor and sequence"), &Layout::tensor},
                                   std::pair{std::string_view("context"), &Layout::context},
                                   std::pair{std::string_view("expert"), &Layout::expert},
                                   std::pair{std::string_view("pipeline"), &Layout::pipeline}};
        if (!part.starts_with("within ") && !part.starts_with("across "))
        {
            return;
        }
        for (const auto& [name, member] : kAxes)
        {
            l_.*member *= axis == name ? size : 1;
        }
        l_.sequence_parallel = l_.sequence_parallel || (axis == "tensor and sequence" && size > 1);
        // Without copies all that could be shared is.
        copies_ *= axis == "replicas" ? size : 1;
        l_.zero = axis == "shards" && size > 1 ? 3 : l_.zero;
        meshed_ = true;
    }

    void read_count(std::string_view count, const std::string& text)
    {
        const std::int64_t data = std::max<std::int64_t>(1, l_.gpus / (l_.tensor * l_.context * l_.pipeline));
        const std::int64_t number = std::max<std::int64_t>(1, count_in(text));
        if (count == "layers per chunk" && l_.pipeline > 1)
        {
            const std::int64_t stage = l_.pipeline * number;
            l_.chunks = (s_.model.layers + stage - 1) / stage;
        }
        else if (count == "stages")
        {
            l_.chunks = (times(text, "|") + times(text, "], [") + 1) / std::max<std::int64_t>(1, l_.pipeline);
        }
        else if (count.starts_with("micro-batches"))
        {
            l_.micro_batch = std::max<std::int64_t>(1, s_.training.global_batch / (data * number));
        }
        if (meshed_ && copies_ == 1 && data * l_.context > 1 && l_.zero == 0)
        {
            l_.zero = 3;
        }
    }

    // Where no setting says it: the first that the framework has for so many chunks.
    void read_schedule()
    {
        const auto found = std::ranges::find_if(f_.schedules, [&](const FrameworkSchedule& s)
                                                { return (s.least_chunks > 1) == (l_.chunks > 1); });
        if (l_.pipeline > 1 && !scheduled_ && found != f_.schedules.end())
        {
            l_.schedule = schedule(found->id);
        }
    }

    const Framework& f_;
    const Launch& launch_;
    const Scenario& s_;
    Layout l_;
    std::int64_t copies_ = 1;
    bool meshed_ = false;
    bool scheduled_ = false;
};

// Every field of the layout that would start as something else is named.
void name_differences(LaunchDraft& d, const Framework& f)
{
    const Layout wanted = layout_of(d.s);
    const Layout got = LaunchReader(f, d.launch(), d.s).read();
    for (const LayoutField& field : layout_fields())
    {
        Layout other = wanted;
        const std::string text = text_of(got, field);
        set_field(other, field, text);
        if (!same_run(other, wanted))
        {
            d.not_expressed(std::string(field.name), text_of(wanted, field),
                            fmt::format("no setting says it; starts with {}", text));
        }
    }
}

} // namespace

Launch write_launch(const Framework& framework, const Scenario& scenario)
{
    if (const LaunchTool* tool = find_launch_tool(framework.id))
    {
        return tool->write(scenario);
    }
    LaunchDraft d(scenario);
    for (const LaunchRule& rule : framework.launch)
    {
        write_rule(d, rule);
    }
    name_differences(d, framework);
    no_overlap(d, {false, false, false});
    check_hosts(d);
    if (!framework.launch_file.empty())
    {
        d.config_file(framework.launch_file,
                      framework.launch_file.ends_with(".yml") ? ConfigFormat::yaml : ConfigFormat::toml);
        std::string command = framework.launch_command;
        constexpr std::string_view kTorchrun = "{torchrun}";
        if (const std::size_t at = command.find(kTorchrun); at != std::string::npos)
        {
            command.replace(at, kTorchrun.size(), torchrun(scenario));
        }
        d.plain_file("launch.sh", {command + " \"$@\""});
    }
    return d.take();
}

Layout read_launch(const Framework& framework, const Launch& launch, const Scenario& scenario)
{
    return LaunchReader(framework, launch, scenario).read();
}

Issues launch_rule_faults(const Framework& framework)
{
    Issues issues;
    for (std::size_t i = 0; i < framework.launch.size(); ++i)
    {
        const std::string& field = framework.launch[i].field;
        if (!is_known(field))
        {
            issues.push_back({fmt::format("launch[{}].field", i),
                              fmt::format("there is no \u201c{}\u201d", field),
                              "use a field of the layout, or a count as in framework_launch.h"});
        }
    }
    return issues;
}

} // namespace ringside
