#include "app/commands/search/search_limits.h"

#include "core/planner/layout.h"
#include "core/scenario/fields.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ringside
{

namespace
{

struct Switch
{
    std::string_view word;
    bool SearchLimits::*field;
};
constexpr std::array kSwitches{Switch{"full-recompute", &SearchLimits::full_recompute},
                               Switch{"zero3", &SearchLimits::zero3},
                               Switch{"deep-pipelines", &SearchLimits::deep_pipelines},
                               Switch{"tensor-across-nodes", &SearchLimits::tensor_across_nodes},
                               Switch{"zero-with-stages", &SearchLimits::zero_with_stages}};

void flip(SearchLimits& limits, Issues& issues, const char* option, const std::string& word, bool to)
{
    for (const Switch& s : kSwitches)
    {
        if (s.word == word)
        {
            limits.*s.field = to;
            return;
        }
    }
    issues.push_back({option, fmt::format("there is no \u201c{}\u201d", word),
                      fmt::format("use one of {}", fmt::join(texts_of(kSwitches, &Switch::word), ", "))});
}

// "batch=256:4096", or "batch" for a quarter to four times today's.
void free_one(Freed& freed, Issues& issues, const std::string& word, const Scenario& today)
{
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const std::string range = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (name == "recompute_layers" && range.empty())
    {
        freed.recompute_layers = true;
        return;
    }
    if (name != "batch" && name != "sequence" && name != "gpus")
    {
        issues.push_back({"--free", fmt::format("there is no \u201c{}\u201d", name),
                          "use batch, sequence, gpus, recompute_layers, or batch=256:4096"});
        return;
    }
    const std::int64_t now = name == "batch"      ? today.training.global_batch
                             : name == "sequence" ? today.training.sequence_length
                                                  : today.cluster.gpus;
    FreeRange wanted = range_around(now);
    if (equals != std::string::npos)
    {
        const std::size_t colon = range.find(':');
        const auto number = [&](std::size_t from, std::size_t count)
        {
            std::int64_t value = 0;
            const std::string text = range.substr(std::min(from, range.size()), count);
            const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
            return read.ptr == text.data() + text.size() ? value : 0;
        };
        wanted = {number(0, colon), colon == std::string::npos ? 0 : number(colon + 1, std::string::npos)};
        if (wanted.least < 1 || wanted.most < wanted.least)
        {
            issues.push_back({"--free", fmt::format("{} is no range", range),
                              "give the least and the most, for example 256:4096"});
            return;
        }
        const std::vector<std::int64_t> values = values_in(wanted, now);
        if (values.front() < wanted.least || values.front() > wanted.most)
        {
            issues.push_back(
                {"--free", fmt::format("no power of two times {} is in {}", now, range), "widen the range"});
        }
    }
    (name == "batch" ? freed.global_batch : name == "sequence" ? freed.sequence_length : freed.gpus) = wanted;
}

} // namespace

SearchLimits limits_of(const SearchOptions& o, const Scenario& scenario, const Presets& presets)
{
    SearchLimits limits;
    Issues issues;
    for (const std::string& word : o.free)
    {
        free_one(limits.freed, issues, word, scenario);
    }
    const auto usual = limits.freed.gpus.on() ? Objective::cost : Objective::step_time;
    const auto objective = o.objective.empty() ? std::optional(usual) : kNamesOf<Objective>.find(o.objective);
    if (!objective)
    {
        issues.push_back({"--objective", fmt::format("there is no \u201c{}\u201d", o.objective),
                          fmt::format("use one of {}", fmt::join(kNamesOf<Objective>.all, ", "))});
    }
    limits.objective = objective.value_or(Objective::step_time);
    for (const std::string& word : o.forbid)
    {
        flip(limits, issues, "--forbid", word, false);
    }
    for (const std::string& word : o.allow)
    {
        flip(limits, issues, "--allow", word, true);
    }
    // What a framework runs includes its own rule for ZeRO in a pipeline.
    const bool own = o.framework.empty() && !limits.zero_with_stages;
    limits.framework = own ? presets.framework_of(scenario)
                           : framework_named(o.framework.empty() ? "any" : o.framework, presets, issues);
    for (const std::string& name : o.fix)
    {
        const auto fields = layout_fields();
        const auto known = std::ranges::find(fields, name, &LayoutField::name);
        if (known == fields.end())
        {
            issues.push_back(unknown_word("--fix", "field ", name, texts_of(fields, &LayoutField::name)));
        }
        else
        {
            limits.fixed.push_back(known->name);
        }
    }
    check_range(issues, "--headroom", o.headroom, 0, 0.9);
    limits.headroom = o.headroom;
    if (o.top < 1 || o.top > static_cast<std::int64_t>(kMostKept))
    {
        issues.push_back(
            {"--top", fmt::format("{} is out of range", o.top), fmt::format("use 1 to {}", kMostKept)});
    }
    end_with(issues);
    return limits;
}

} // namespace ringside
