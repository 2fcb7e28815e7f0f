// Reading what a program comes with: JSON files, alone and of a folder.
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// A document of the assets, or why it could not be read.
Result<nlohmann::json> read_json_file(const std::filesystem::path& file);
// The *.json of a folder by name, folders in it included; none where there is no such folder.
std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);
// Hands each document and the stem of its name to `take`, whose faults are added as those of "folder/file".
using TakeJson = std::function<Issues(const nlohmann::json&, const std::string& stem)>;
void each_json(const std::filesystem::path& folder, Issues& issues, const TakeJson& take);

} // namespace ringside
