// JSON text from strangers, and values of it as faults quote them.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside
{

// The largest JSON text that is read; a scenario is a few hundred bytes.
inline constexpr std::size_t kMaxJsonBytes = 16U << 20U;

// A value as faults quote it: JSON, cut off after 60 bytes.
std::string shown(const nlohmann::json& value);
// A whole number written as 256 or 2.56e2; anything else is nothing.
std::optional<std::int64_t> whole(const nlohmann::json& value);

// Parses JSON text. Faults: empty, too large, not JSON (with line and column), a field given twice.
Result<nlohmann::json> parse_json(std::string_view text);

} // namespace ringside
