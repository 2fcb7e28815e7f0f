#include "app/commands/serve/mcp_tools.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::array kTools{
    McpTool{
        "evaluate",
        "Evaluate a training scenario",
        "Memory per GPU by component and stage, step time, MFU, bubble, traffic, days and cost of training a "
        "model on a cluster with a given layout. Keys end in their unit; *_low and *_high hold 80% of new "
        "runs, `evidence` says what they rest on. Start here.",
        {McpAction{"", "evaluate"}}},
    McpTool{
        "search",
        "Search every layout",
        "Ranks every legal parallel layout of the scenario's model on its GPUs by step time, memory or cost, "
        "and says why the others were rejected. `changes` adds the best single changes.",
        {McpAction{"", "search"}}},
    McpTool{"rent",
            "What to rent",
            "Days and dollars of the run over cluster types and numbers of GPUs, each with its best layout, "
            "within a deadline or a budget.",
            {McpAction{"", "rent"}}},
    McpTool{
        "import",
        "Read launch files, model configs and runs",
        "launch: launch files of Megatron-LM, DeepSpeed, torchtitan and others into a scenario, each field "
        "with where it is from. run: logs, traces, memory snapshots and flight-recorder dumps of a real run, "
        "compared with the prediction. hf: a config.json of the Hugging Face Hub into a model.",
        {McpAction{"launch", "import"}, {"run", "import run"}, {"hf", "import hf"}}},
    McpTool{"explain",
            "Explain a scenario",
            "The main figures with unit, range, evidence, formula, working and source; where the step's time "
            "goes, "
            "part by part (why MFU is what it is); and which single changes free memory, at what cost.",
            {McpAction{"", "explain"}}},
    McpTool{
        "schedule",
        "Simulate a pipeline schedule",
        "Order of operations, bubble and activations in flight of a pipeline schedule; kind `all` compares.",
        {McpAction{"", "schedule"}}},
    McpTool{"collective",
            "Cost of a collective",
            "Steps, bytes and time of a collective operation by algorithm; algorithm `all` compares.",
            {McpAction{"", "collective"}}},
    McpTool{
        "question",
        "Interview questions",
        "list: the question families. show: one with numbers drawn from a seed, hints, solution and common "
        "mistakes; do not show the solution to whom you examine. answer: grades an answer as typed.",
        {McpAction{"list", "question list"}, {"show", "question show"}, {"answer", "question answer"}}},
    McpTool{"picture",
            "Draw a view",
            "Draws a view of Ringside, for example memory, pipelines, waterfall, planner, rent or ring, as "
            "PNG or "
            "SVG.",
            {McpAction{"", "picture"}},
            true},
    McpTool{"scaling",
            "Scaling laws and compute budget",
            "Loss and compute optimum by every published scaling law, training days and cost.",
            {McpAction{"", "scaling"}}},
    McpTool{"export",
            "Launch config",
            "The launch config of a scenario for a training framework, each option explained.",
            {McpAction{"", "export"}}},
};

// Options of no use to a model: other forms of the answer, files to write, keys to press.
constexpr std::array<std::string_view, 22> kNotOffered{
    "--help",      "--json",      "--csv",   "--markdown",  "--svg",    "--chrome-trace",
    "--output",    "--progress",  "--watch", "--measured",  "--script", "--press",
    "--steps",     "--tour",      "--find",  "--guide",     "--demo",   "--list",
    "--presenter", "--arguments", "--name",  "--text-scale"};

bool is_offered(const CLI::Option& option)
{
    return std::ranges::find(kNotOffered, option.get_name()) == kNotOffered.end();
}

bool is_list(const CLI::Option& option)
{
    return option.get_expected_max() > 1;
}

// Reads a file, and so takes its text as well.
bool takes_text(const CLI::Option& option)
{
    return option.get_description().find("for standard input") != std::string::npos;
}

// "--micro-batches": "micro_batches"; FILE: what it is.
std::string property_of(const CLI::Option& option)
{
    std::string name = option.nonpositional() ? option.get_lnames().front() : option.get_name();
    if (name == "FILE")
    {
        return is_list(option) ? "files" : "scenario";
    }
    std::ranges::transform(name, name.begin(),
                           [](char c) {
                               return c == '-' ? '_' : c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
                           });
    return name;
}

std::string type_of(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    const bool whole = type.find("INT") != std::string::npos;
    return option.get_items_expected_max() == 0      ? "boolean"
           : whole                                   ? "integer"
           : type.find("FLOAT") != std::string::npos ? "number"
                                                     : "string";
}

json schema_of(const CLI::Option& option)
{
    json one{{"type", type_of(option)}};
    std::string about = option.get_description();
    if (takes_text(option))
    {
        one = {{"type", json::array({"object", "string"})}};
        about += ". Here: an object of JSON, or a string with the text itself (of several lines, or JSON), a "
                 "ringside: link or the path of a file";
    }
    json schema = is_list(option) ? json{{"type", "array"}, {"items", std::move(one)}} : std::move(one);
    schema["description"] = about;
    const std::string usual = option.get_default_str();
    if (!usual.empty() && !is_list(option))
    {
        const json value = json::parse(usual, nullptr, false);
        const bool number = type_of(option) != "string" && value.is_number();
        schema["default"] = number ? value : json(usual);
    }
    return schema;
}

std::vector<std::string> words_in(std::string_view command)
{
    std::vector<std::string> words;
    while (!command.empty())
    {
        const std::size_t end = std::min(command.find(' '), command.size());
        words.emplace_back(command.substr(0, end));
        command.remove_prefix(std::min(end + 1, command.size()));
    }
    return words;
}

std::vector<McpAction> actions_of(const McpTool& tool)
{
    std::vector<McpAction> all(tool.actions.begin(), tool.actions.end());
    std::erase_if(all, [](const McpAction& action) { return action.command.empty(); });
    return all;
}

std::vector<std::string> action_names(const McpTool& tool)
{
    std::vector<std::string> names;
    for (const McpAction& action : actions_of(tool))
    {
        names.emplace_back(action.name);
    }
    return names;
}

// Properties of all its commands; required is what all of them require.
json input_schema(const Program& program, const McpTool& tool)
{
    const std::vector<McpAction> actions = actions_of(tool);
    json schema{{"type", "object"}, {"properties", json::object()}, {"additionalProperties", false}};
    std::vector<std::string> required;
    for (const McpAction& action : actions)
    {
        with_command(program, words_in(action.command),
                     [&](const CLI::App& command)
                     {
                         for (const CLI::Option* option : command.get_options())
                         {
                             if (is_offered(*option))
                             {
                                 const std::string name = property_of(*option);
                                 schema["properties"].emplace(name, schema_of(*option));
                                 required.insert(required.end(), option->get_required() ? 1 : 0, name);
                             }
                         }
                     });
    }
    if (actions.size() > 1)
    {
        schema["properties"]["action"] = {
            {"type", "string"}, {"enum", action_names(tool)}, {"description", "what to do"}};
        required = {"action"};
    }
    if (tool.draws)
    {
        schema["properties"]["format"] = {{"type", "string"},
                                          {"enum", {"png", "svg"}},
                                          {"default", "png"},
                                          {"description", "of the picture"}};
        required = {"view"};
    }
    if (!required.empty())
    {
        schema["required"] = required;
    }
    return schema;
}

// What a call has gathered so far.
struct Gathered
{
    std::vector<std::string> options;
    std::vector<std::string> positionals;
    std::string input;
    bool has_input = false;
    Issues issues;
};

std::optional<std::string> scalar_text(const json& value)
{
    constexpr double kWhole = 9e15;
    if (value.is_string())
    {
        return value.get<std::string>();
    }
    if (value.is_number_float())
    {
        const auto number = value.get<double>();
        return number == std::floor(number) && std::abs(number) < kWhole
                   ? fmt::format("{}", static_cast<std::int64_t>(number))
                   : fmt::format("{}", number);
    }
    return value.is_number() ? std::optional(value.dump()) : std::nullopt;
}

// A text of several lines or of JSON is a file's contents; any other names it.
bool is_contents(const json& value)
{
    const auto* text = value.get_ptr<const std::string*>();
    return value.is_object() ||
           (text != nullptr && (text->find('\n') != std::string::npos || text->starts_with('{')));
}

void give_word(Gathered& call, const CLI::Option& option, std::string word)
{
    if (option.nonpositional())
    {
        call.options.push_back("--" + option.get_lnames().front() + "=" + word);
    }
    else
    {
        call.positionals.push_back(std::move(word));
    }
}

void give_value(Gathered& call, const CLI::Option& option, const json& value)
{
    const std::string name = property_of(option);
    if (takes_text(option) && is_contents(value))
    {
        add_if(call.issues, call.has_input,
               {name, "is a second text", "give one text, and the others by their files' paths"});
        call.input = value.is_string() ? value.get<std::string>() : dumped(value);
        call.has_input = true;
        give_word(call, option, "-");
        return;
    }
    const auto text = scalar_text(value);
    add_if(call.issues, !text, {name, "is no " + type_of(option), "see the schema in tools/list"});
    add_if(call.issues, text == "-" && takes_text(option), {name, "names no file", "give its text here"});
    give_word(call, option, text.value_or(""));
}

void give(Gathered& call, const CLI::Option& option, const json& value)
{
    if (type_of(option) == "boolean")
    {
        add_if(call.issues, !value.is_boolean(), {property_of(option), "is neither true nor false", ""});
        call.options.insert(call.options.end(), value == true ? 1 : 0, "--" + option.get_lnames().front());
        return;
    }
    const bool many = value.is_array() && is_list(option);
    for (const json& one : many ? value : json::array({value}))
    {
        give_value(call, option, one);
    }
}

// Every argument in the order in which the command declares its options.
void gather(Gathered& call, const CLI::App& command, const json& arguments)
{
    std::vector<std::string> known;
    for (const CLI::Option* option : command.get_options())
    {
        if (!is_offered(*option))
        {
            continue;
        }
        known.push_back(property_of(*option));
        const auto given = arguments.find(known.back());
        add_if(call.issues, option->get_required() && given == arguments.end(),
               {known.back(), "is missing", option->get_description()});
        if (given != arguments.end() && !given->is_null())
        {
            give(call, *option, *given);
        }
    }
    for (const auto& [name, value] : arguments.items())
    {
        if (std::ranges::find(known, name) == known.end() && name != "action" && name != "format")
        {
            const std::string near = nearest_word(name, known);
            call.issues.push_back({name, "unknown argument",
                                   near.empty() ? fmt::format("use {}", fmt::join(known, ", "))
                                                : "did you mean " + near + "?"});
        }
    }
}

const McpAction* chosen_action(const McpTool& tool, const json& arguments)
{
    const auto asked = arguments.find("action");
    for (const McpAction& action : tool.actions)
    {
        if (!action.command.empty() &&
            (action.name.empty() || (asked != arguments.end() && *asked == action.name)))
        {
            return &action;
        }
    }
    return nullptr;
}

std::string base64(std::string_view bytes)
{
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3)
    {
        const auto byte = [&](std::size_t k)
        { return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U; };
        const std::uint32_t three = byte(0) << 16U | byte(1) << 8U | byte(2);
        for (std::size_t k = 0; k < 4; ++k)
        {
            text += i + k <= bytes.size() ? kDigits[three >> (18 - 6 * k) & 63U] : '=';
        }
    }
    return text;
}

json text_content(const std::string& text)
{
    return {{"type", "text"}, {"text", text}};
}

json picture_content(const std::string& bytes)
{
    if (bytes.starts_with("\x89PNG"))
    {
        return {{"type", "image"}, {"data", base64(bytes)}, {"mimeType", "image/png"}};
    }
    return {
        {"type", "resource"},
        {"resource", {{"uri", "ringside://picture.svg"}, {"mimeType", "image/svg+xml"}, {"text", bytes}}}};
}

std::string lines_of(const Issues& issues)
{
    std::string text;
    for (const Issue& issue : issues)
    {
        text += to_line(issue) + "\n";
    }
    return text;
}

json error_result(const std::string& text)
{
    return {{"content", json::array({text_content(text)})}, {"isError", true}};
}

} // namespace

const McpTool* find_mcp_tool(std::string_view name)
{
    const auto found = std::ranges::find(kTools, name, &McpTool::name);
    return found == kTools.end() ? nullptr : &*found;
}

json mcp_tool_list(const Program& program)
{
    json all = json::array();
    for (const McpTool& tool : kTools)
    {
        const auto first = words_in(tool.actions.front().command);
        if (with_command(program, first, [](const CLI::App&) {}))
        {
            all.push_back({{"name", tool.name},
                           {"title", tool.title},
                           {"description", tool.about},
                           {"inputSchema", input_schema(program, tool)},
                           {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
        }
    }
    return all;
}

Result<McpCall> mcp_call(const Program& program, const McpTool& tool, const json& arguments)
{
    if (!arguments.is_object())
    {
        return Issue{"arguments", "are no object", "see the schema in tools/list"};
    }
    const McpAction* action = chosen_action(tool, arguments);
    if (action == nullptr)
    {
        return Issue{"action", "is none of this tool's",
                     fmt::format("use one of {}", fmt::join(action_names(tool), ", "))};
    }
    McpCall call{words_in(action->command), ""};
    Gathered gathered;
    if (!with_command(program, call.words, [&](const CLI::App& app) { gather(gathered, app, arguments); }))
    {
        return Issue{std::string(tool.name), "is not in this program", ""};
    }
    if (!gathered.issues.empty())
    {
        return gathered.issues;
    }
    call.input = std::move(gathered.input);
    const auto add = [&](const std::vector<std::string>& words)
    { call.words.insert(call.words.end(), words.begin(), words.end()); };
    add(gathered.options);
    if (tool.draws)
    {
        add({"--output=-"});
        call.words.insert(call.words.end(), arguments.value("format", json()) == "svg" ? 1 : 0, "--svg");
    }
    add({"--"}); // no positional is an option
    add(gathered.positionals);
    return call;
}

json mcp_call_result(const Program& program, const McpTool& tool, const json& arguments)
{
    const auto call = mcp_call(program, tool, arguments);
    if (!call)
    {
        return error_result(lines_of(call.issues()));
    }
    const ServedAnswer answer = run_served(program, call->words, call->input, !tool.draws);
    if (answer.status == kBadInput)
    {
        return error_result(answer.errors.empty() ? answer.out : answer.errors);
    }
    json content = json::array({tool.draws ? picture_content(answer.out) : text_content(answer.out)});
    if (!answer.errors.empty())
    {
        content.push_back(text_content(answer.errors)); // warnings, and what was guessed
    }
    return {{"content", std::move(content)}, {"isError", false}};
}

} // namespace ringside
