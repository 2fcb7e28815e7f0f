// A server of the Model Context Protocol, message by message; how they arrive is mcp_command.cpp's.
//
// It speaks the revisions that begin with `initialize` (2024-11-05 to 2025-11-25) and the one without
// (2026-07-28), in which every request names its revision (modelcontextprotocol.io, basic/lifecycle of the
// former, basic/versioning of the latter). It keeps nothing between messages.
#pragma once

#include "app/commands/serve/served_command.h"
#include "core/base/json/json.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ringside
{

// Codes of JSON-RPC 2.0, section 5.1, and of the protocol's basic/index.
enum class RpcCode : int
{
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    resource_not_found = -32002, // until 2025-11-25; then invalid_params
    header_mismatch = -32020,
    unsupported_version = -32022
};

// The newest first.
std::span<const std::string_view> mcp_versions();
bool is_mcp_version(std::string_view version);
// The revision that a message names, if it is one of those that name it.
std::string mcp_version_in(const nlohmann::json& message);

nlohmann::json rpc_error(const nlohmann::json& id, RpcCode code, const std::string& message,
                         nlohmann::json data = nullptr);
nlohmann::json mcp_unsupported_version(const nlohmann::json& id, const std::string& version);

// The answer to a message, or to a list of them as 2025-03-26 allows; nothing to notifications and responses.
std::optional<nlohmann::json> mcp_answer(const Program& program, const nlohmann::json& message);
// Parses the text first, which may be no message at all.
std::optional<nlohmann::json> mcp_answer_to_text(const Program& program, std::string_view text);

} // namespace ringside
