// JSON text from strangers, values of it as faults quote them, and the files a program comes with.
#pragma once

#include "core/base/json/json.h"
#include "core/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// A document of the assets, or why it could not be read.
Result<nlohmann::json> read_json_file(const std::filesystem::path& file);
// The *.json of a folder by name, folders in it included; none where there is no such folder.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);
// Hands each document and the stem of its name to `take`, whose faults are added as those of "folder/file".
using TakeJson = std::function<Issues(const nlohmann::json&, const std::string& stem)>;
void each_json(const std::filesystem::path& folder, Issues& issues, const TakeJson& take);

} // namespace ringside
