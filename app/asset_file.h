// One JSON file of the assets, read by the function that knows its form.
#pragma once

#include "app/files.h"
#include "core/scenario/json.h"

#include <nlohmann/json.hpp>

namespace ringside
{

// What `read` makes of the file; nothing where there is no file. Faults are added with the file's name.
template <class T>
T load_asset(const std::filesystem::path& file, Result<T> (*read)(const nlohmann::json&), Issues& issues)
{
    if (!std::filesystem::exists(file))
    {
        return {};
    }
    const std::string path = file.string();
    const auto text = read_text(path, kMaxJsonBytes);
    const auto json = text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
    auto made = json ? read(*json) : Result<T>(json.issues());
    if (made)
    {
        return std::move(*made);
    }
    for (const Issue& issue : made.issues())
    {
        const bool whole = issue.path.empty() || issue.path == path;
        issues.push_back(
            {whole ? path : path + ": " + issue.path, issue.message, issue.hint, issue.severity});
    }
    return {};
}

} // namespace ringside
