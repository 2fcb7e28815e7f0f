#include "app/commands/serve/mcp.h"

#include <fmt/format.h>

#include "app/commands/serve/mcp_prompts.h"
#include "app/commands/serve/mcp_resources.h"
#include "app/commands/serve/mcp_tools.h"
#include "core/base/caught.h"
#include "core/base/json/json_text.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr std::string_view kStateless = "2026-07-28"; // and what follows it
constexpr std::array<std::string_view, 5> kVersions{kStateless, "2025-11-25", "2025-06-18", "2025-03-26",
                                                    "2024-11-05"};
constexpr std::size_t kMostMessages = 1000; // in a list
constexpr const char* kMeta = "_meta";
constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";

constexpr const char* kInstructions =
    "Ringside computes memory, communication, step time and cost of training large language models from a "
    "scenario: {\"model\": id, \"cluster\": {...}, \"parallel\": {...}, \"training\": {...}}, in which every "
    "field has "
    "a default. Ids are in ringside://models, ringside://accelerators, ringside://clusters and "
    "ringside://software. "
    "Keys end in their unit; bytes are decimal, link rates one-way and per GPU. Predictions come with a "
    "range "
    "that holds 80% of new runs and with what it rests on: repeat both. Where there is no evidence, say that "
    "it "
    "is unknown.";

// What a method gives, or the error.
struct Outcome
{
    json result;
    RpcCode code = RpcCode::internal_error;
    std::string error = {}; // empty: none
    json data = nullptr;
};

Outcome refused(RpcCode code, const Issue& issue)
{
    return {nullptr, code, to_line(issue)};
}

struct McpAsked
{
    const Program& program;
    const json& params; // an object
    bool stateless;     // of a revision without a handshake
};

json server_info(const Program& program)
{
    return {{"name", "ringside"}, {"title", "Ringside"}, {"version", program.version}};
}

json capabilities()
{
    return {{"tools", json::object()}, {"resources", json::object()}, {"prompts", json::object()}};
}

Outcome initialize(const McpAsked& a)
{
    const json version = a.params.value("protocolVersion", json());
    if (!version.is_string())
    {
        return refused(RpcCode::invalid_params,
                       {"protocolVersion", "is missing", "send the newest you speak"});
    }
    const bool known = version != kStateless && is_mcp_version(version.get<std::string>());
    return {{{"protocolVersion", known ? version : json(kVersions[1])},
             {"capabilities", capabilities()},
             {"serverInfo", server_info(a.program)},
             {"instructions", kInstructions}}};
}

Outcome discover(const McpAsked& /*a*/)
{
    return {{{"supportedVersions", kVersions},
             {"capabilities", capabilities()},
             {"instructions", kInstructions}}};
}

Outcome ping(const McpAsked& /*a*/)
{
    return {json::object()};
}

// One page, so there is no cursor to come back with.
Outcome listed(const McpAsked& a, const char* name, json list)
{
    if (a.params.contains("cursor"))
    {
        return refused(RpcCode::invalid_params,
                       {"cursor", "is none of ours", "leave it out: there is one page"});
    }
    return {{{name, std::move(list)}}};
}

Outcome list_tools(const McpAsked& a)
{
    return listed(a, "tools", mcp_tool_list(a.program));
}

Outcome list_resources(const McpAsked& a)
{
    return listed(a, "resources", mcp_resource_list());
}

Outcome list_templates(const McpAsked& a)
{
    return listed(a, "resourceTemplates", mcp_resource_template_list());
}

Outcome list_prompts(const McpAsked& a)
{
    return listed(a, "prompts", mcp_prompt_list());
}

// A parameter that has to be a text.
std::string text_of_param(const McpAsked& a, const char* name)
{
    const json value = a.params.value(name, json());
    return value.is_string() ? value.get<std::string>() : std::string();
}

Outcome call_tool(const McpAsked& a)
{
    const std::string name = text_of_param(a, "name");
    const McpTool* tool = find_mcp_tool(name);
    if (tool == nullptr)
    {
        return refused(RpcCode::invalid_params,
                       {"name", fmt::format("there is no tool \u201c{}\u201d", shortened(name)),
                        "tools/list has those there are"});
    }
    const json arguments = a.params.value("arguments", json::object());
    return {mcp_call_result(a.program, *tool, arguments.is_null() ? json::object() : arguments)};
}

Outcome read_resource(const McpAsked& a)
{
    const std::string address = text_of_param(a, "uri");
    const auto text = mcp_resource(a.program, address);
    if (!text)
    {
        Outcome none = refused(a.stateless ? RpcCode::invalid_params : RpcCode::resource_not_found,
                               text.issues().front());
        none.data = {{"uri", address}};
        return none;
    }
    return {
        {{"contents", json::array({{{"uri", address}, {"mimeType", "application/json"}, {"text", *text}}})}}};
}

Outcome get_prompt(const McpAsked& a)
{
    auto prompt = mcp_prompt(text_of_param(a, "name"), a.params.value("arguments", json::object()));
    return prompt ? Outcome{std::move(*prompt)} : refused(RpcCode::invalid_params, prompt.issues().front());
}

struct Method
{
    std::string_view name;
    Outcome (*run)(const McpAsked&);
    bool keeps = false; // its result stays the same while this program is installed
};

constexpr std::array kMethods{Method{"initialize", initialize},
                              Method{"server/discover", discover, true},
                              Method{"ping", ping},
                              Method{"tools/list", list_tools, true},
                              Method{"tools/call", call_tool},
                              Method{"resources/list", list_resources, true},
                              Method{"resources/templates/list", list_templates, true},
                              Method{"resources/read", read_resource, true},
                              Method{"prompts/list", list_prompts, true},
                              Method{"prompts/get", get_prompt}};

// What revisions without a handshake add to every result (2026-07-28, basic/index and
// server/utilities/caching).
void add_stateless(json& result, const Program& program, const Method& method)
{
    constexpr int kAnHour = 3'600'000; // [ms]
    result["resultType"] = "complete";
    result[kMeta]["io.modelcontextprotocol/serverInfo"] = server_info(program);
    if (method.keeps)
    {
        result["ttlMs"] = kAnHour;
        result["cacheScope"] = "public";
    }
}

json answered(const Program& program, const json& id, const json& message)
{
    const std::string version = mcp_version_in(message);
    if (!version.empty() && !is_mcp_version(version))
    {
        return mcp_unsupported_version(id, version);
    }
    const std::string name = message["method"].get<std::string>();
    const auto method = std::ranges::find(kMethods, name, &Method::name);
    if (method == kMethods.end())
    {
        return rpc_error(id, RpcCode::method_not_found,
                         fmt::format("there is no method {}", shortened(name)));
    }
    const json params = message.value("params", json::object());
    if (!params.is_object())
    {
        return rpc_error(id, RpcCode::invalid_params, "params: is no object");
    }
    const bool stateless = version >= kStateless;
    Outcome outcome;
    if (const auto thrown = caught([&] { outcome = method->run({program, params, stateless}); }))
    {
        return rpc_error(id, RpcCode::internal_error, fault_line(thrown));
    }
    if (!outcome.error.empty())
    {
        return rpc_error(id, outcome.code, outcome.error, outcome.data);
    }
    if (stateless)
    {
        add_stateless(outcome.result, program, *method);
    }
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(outcome.result)}};
}

std::optional<json> answer_one(const Program& program, const json& message)
{
    const json id = message.is_object() ? message.value("id", json()) : json();
    const bool named = message.is_object() && message.value("jsonrpc", json()) == "2.0";
    if (named && !message.contains("method") && (message.contains("result") || message.contains("error")))
    {
        return std::nullopt; // a response, and nothing was asked
    }
    if (!named || !message.value("method", json()).is_string() ||
        (message.contains("id") && !id.is_string() && !id.is_number_integer()))
    {
        return rpc_error(id.is_string() || id.is_number_integer() ? id : json(), RpcCode::invalid_request,
                         R"(is no request: send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})");
    }
    return message.contains("id") ? std::optional(answered(program, id, message)) : std::nullopt;
}

} // namespace

std::span<const std::string_view> mcp_versions()
{
    return kVersions;
}

bool is_mcp_version(std::string_view version)
{
    return std::ranges::find(kVersions, version) != kVersions.end();
}

std::string mcp_version_in(const json& message)
{
    const json params = message.is_object() ? message.value("params", json()) : json();
    const json meta = params.is_object() ? params.value(kMeta, json()) : json();
    const json version = meta.is_object() ? meta.value(kVersionKey, json()) : json();
    return version.is_string() ? version.get<std::string>() : std::string();
}

json rpc_error(const json& id, RpcCode code, const std::string& message, json data)
{
    json error{{"code", static_cast<int>(code)}, {"message", message}};
    if (!data.is_null())
    {
        error["data"] = std::move(data);
    }
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

json mcp_unsupported_version(const json& id, const std::string& version)
{
    return rpc_error(id, RpcCode::unsupported_version, "Unsupported protocol version",
                     {{"supported", kVersions}, {"requested", shortened(version)}});
}

std::optional<json> mcp_answer(const Program& program, const json& message)
{
    if (!message.is_array())
    {
        return answer_one(program, message);
    }
    if (message.empty() || message.size() > kMostMessages)
    {
        return rpc_error(nullptr, RpcCode::invalid_request,
                         fmt::format("a list of {} messages (send 1 to {})", message.size(), kMostMessages));
    }
    json all = json::array();
    for (const json& one : message)
    {
        if (auto answer = answer_one(program, one))
        {
            all.push_back(std::move(*answer));
        }
    }
    return all.empty() ? std::nullopt : std::optional(std::move(all));
}

std::optional<json> mcp_answer_to_text(const Program& program, std::string_view text)
{
    const auto message = parse_json(text);
    return message ? mcp_answer(program, *message)
                   : rpc_error(nullptr, RpcCode::parse_error, to_line(message.issues().front()));
}

} // namespace ringside
