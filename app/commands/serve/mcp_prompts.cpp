#include "app/commands/serve/mcp_prompts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace ringside
{

namespace
{

using nlohmann::json;

struct PromptArgument
{
    std::string_view name; // in the text as {name}; empty: there are no more
    std::string_view about;
    std::string_view usual; // empty: it is required
};

struct Prompt
{
    std::string_view name;
    std::string_view title;
    std::string_view about;
    std::array<PromptArgument, 2> arguments;
    std::string_view text;
};

constexpr std::array kPrompts{
    Prompt{"plan-a-run",
           "Plan a run",
           "Layout, memory, days and dollars of a training run",
           {PromptArgument{"goal", "model, tokens, and what is fixed: GPUs, deadline or budget", ""}},
           "Plan this training run with Ringside: {goal}\n\n"
           "1. Write it as a scenario: an object with model, cluster, parallel and training. Ids are in "
           "ringside://models, ringside://accelerators and ringside://clusters. Ask me for what you cannot "
           "know; "
           "say what you assumed.\n"
           "2. Call `search` for the layout, with changes; where the GPUs are not fixed, call `rent`.\n"
           "3. Call `explain` on the best one.\n"
           "4. Answer with the layout, memory per GPU, step time, MFU, days and dollars: each with its unit, "
           "its "
           "range and what the range rests on. Where the evidence names no measured row, say that it is "
           "unknown how "
           "far the figure is off. Name the second-best layout and what would change the choice."},
    Prompt{
        "why-is-my-mfu-low",
        "Why is my MFU low?",
        "Where the time of a step goes, and what would shorten it",
        {PromptArgument{"run", "a scenario, a launch file or a log: its text or its path", ""},
         PromptArgument{"measured", "MFU or step time that was measured", "not measured"}},
        "Find out why the MFU of this run is low. Measured: {measured}. The run:\n\n{run}\n\n"
        "1. Unless it is a scenario, call `import` (action `run` for a log or trace, else `launch`), and say "
        "which "
        "fields were guessed.\n"
        "2. Call `explain`: the waterfall says where the step's time goes. If the measured value lies "
        "outside the "
        "range of the predicted one, say so first: then the cause is not in the layout.\n"
        "3. Call `search` with changes for the best single changes.\n"
        "4. Answer with the three largest losses in seconds and percent of the step, and for each what would "
        "shorten it and what that costs in memory. Do not call a number measured that was predicted."},
    Prompt{"interview-me",
           "Interview me",
           "A mock interview about large-scale training, graded by the engine",
           {PromptArgument{"topic", "memory, pipeline, network, parallelism, performance, serving ...",
                           "any topic"},
            PromptArgument{"level", "easy, medium or hard", "medium"}},
           "Interview me about {topic}, level {level}, five questions.\n\n"
           "Call `question` with action `list`, choose a family, and `show` it with a seed of your own. Ask "
           "me its "
           "stem only: never its hints, answer, solution or choices' correctness. When I answer, call "
           "`question` with "
           "action `answer`, the same id and seed, and my words. Tell me the verdict and the mistake it "
           "names; give a "
           "hint when I ask for one. After the fifth, say where I am weak and which lesson of "
           "ringside://lessons "
           "fits."}};

// "Plan a run", "plan_a_run": plan-a-run.
std::string plain_name(std::string name)
{
    std::erase(name, '?');
    std::ranges::transform(
        name, name.begin(),
        [](char c) { return c == ' ' || c == '_'   ? '-'
                            : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a')
                                                   : c; });
    return name;
}

json arguments_json(const Prompt& prompt)
{
    json all = json::array();
    for (const PromptArgument& a : prompt.arguments)
    {
        if (!a.name.empty())
        {
            all.push_back({{"name", a.name}, {"description", a.about}, {"required", a.usual.empty()}});
        }
    }
    return all;
}

// The text with each {name} replaced once, so that what a user wrote stays as it is.
std::string filled(std::string_view text, const std::vector<std::pair<std::string, std::string>>& values)
{
    std::string out;
    while (!text.empty())
    {
        const auto here = std::ranges::find_if(values, [&](const auto& v)
                                               { return text.starts_with("{" + v.first + "}"); });
        out += here == values.end() ? std::string(1, text.front()) : here->second;
        text.remove_prefix(here == values.end() ? 1 : here->first.size() + 2);
    }
    return out;
}

} // namespace

json mcp_prompt_list()
{
    json all = json::array();
    for (const Prompt& p : kPrompts)
    {
        all.push_back({{"name", p.name},
                       {"title", p.title},
                       {"description", p.about},
                       {"arguments", arguments_json(p)}});
    }
    return all;
}

Result<json> mcp_prompt(const std::string& name, const json& arguments)
{
    const auto prompt = std::ranges::find(kPrompts, plain_name(name), &Prompt::name);
    if (prompt == kPrompts.end())
    {
        std::vector<std::string_view> names;
        std::ranges::transform(kPrompts, std::back_inserter(names), &Prompt::name);
        return Issue{"name", fmt::format("there is no prompt \u201c{}\u201d", shortened(name)),
                     fmt::format("use one of {}", fmt::join(names, ", "))};
    }
    std::vector<std::pair<std::string, std::string>> values;
    for (const PromptArgument& a : prompt->arguments)
    {
        const std::string key(a.name);
        const json given = arguments.is_object() ? arguments.value(key, json()) : json();
        if (!key.empty() && !given.is_string() && (a.usual.empty() || !given.is_null()))
        {
            return Issue{key, given.is_null() ? "is missing" : "is no string", std::string(a.about)};
        }
        values.emplace_back(key, given.is_string() ? given.get<std::string>() : std::string(a.usual));
    }
    std::erase_if(values, [](const auto& v) { return v.first.empty(); });
    const json content{{"type", "text"}, {"text", filled(prompt->text, values)}};
    return json{{"description", prompt->about},
                {"messages", json::array({{{"role", "user"}, {"content", content}}})}};
}

} // namespace ringside
