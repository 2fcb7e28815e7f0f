// JSON files, and those of the assets, read by the function that knows their form.
#pragma once

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/scenario/json.h"

#include <nlohmann/json.hpp>

namespace ringside
{

inline Result<nlohmann::json> read_json(const std::string& file)
{
    const auto text = read_text(file, kMaxJsonBytes);
    return text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
}
// A file of the person's own that cannot be read is kept under another name, because saving would write over
// it.
inline void keep_unread(const std::filesystem::path& file, std::string_view what, Issues& issues)
{
    std::error_code none;
    std::filesystem::rename(file, file.string() + ".bad", none);
    issues.push_back({file.string(), fmt::format("{} could not be read", what),
                      fmt::format("the old file is kept as {}.bad", file.filename().string()),
                      Severity::warning});
}

// What `read` makes of the file; nothing where there is no file. Faults are added with the file's name.
template <class T>
T load_asset(const std::filesystem::path& file, Result<T> (*read)(const nlohmann::json&), Issues& issues)
{
    if (!std::filesystem::exists(file))
    {
        return {};
    }
    const std::string path = file.string();
    const auto document = read_json(path);
    auto made = document ? read(*document) : Result<T>(document.issues());
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
