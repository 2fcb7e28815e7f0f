// JSON files, those of the assets and the user's own, read by the function that knows their form.
#pragma once

#include <fmt/format.h>

#include "app/files/files.h"
#include "core/base/json/json.h"
#include "core/launch_files/launch_files.h"
#include "core/runs/run.h"
#include "core/scenario/json/json.h"

namespace ringside
{

// A file named by the user, or standard input. A launch file or one of a run is none of ours, and is told so.
inline Result<nlohmann::json> read_json(const std::string& file)
{
    const auto text = read_text(file, {kMaxJsonBytes});
    if (!text)
    {
        return text.issues();
    }
    if (is_launch_text(*text))
    {
        return Issue{"", "is " + kind_of_text(*text), "ringside import FILE reads it"};
    }
    const std::string run = kind_of_run(*text);
    return run.empty() ? parse_json(*text) : Issue{"", "is " + run, "ringside import run FILE reads it"};
}

// A file of the user's own that cannot be read is kept under another name, because saving would write over
// it.
inline void keep_unread(const std::filesystem::path& file, std::string_view what, const Issues& why,
                        Issues& issues)
{
    std::filesystem::path aside;
    std::error_code fault;
    for (int number = 1; aside.empty() || std::filesystem::exists(aside, fault); ++number)
    {
        aside = file.string() + (number == 1 ? ".bad" : fmt::format(".bad{}", number));
    }
    std::filesystem::rename(file, aside, fault);
    issues.push_back(
        {file.string(), fmt::format("{} could not be read: {}", what, to_line(why.front())),
         fault ? "the defaults are used; check the permissions of the folder"
               : fmt::format("the defaults are used; the old file is kept as {}", aside.filename().string()),
         Severity::warning});
}
// Such a file as `read` understands it; nothing where there is none or it is kept aside.
template <class Read>
auto read_own(const std::filesystem::path& file, std::string_view what, const Read& read, Issues& issues)
    -> std::optional<std::decay_t<decltype(*read(nlohmann::json()))>>
{
    std::error_code none;
    if (std::filesystem::status(file, none).type() == std::filesystem::file_type::not_found)
    {
        return std::nullopt;
    }
    const auto document = read_json_file(file);
    auto made = document ? read(*document) : decltype(read(*document))(document.issues());
    if (!made)
    {
        keep_unread(file, what, made.issues(), issues);
        return std::nullopt;
    }
    return std::move(*made);
}

// What `read` makes of the file; nothing where there is no file. Faults are added with the file's name.
template <class T>
T load_asset(const std::filesystem::path& file, Result<T> (*read)(const nlohmann::json&), Issues& issues)
{
    std::error_code none;
    if (!std::filesystem::exists(file, none))
    {
        return {};
    }
    const auto document = read_json_file(file);
    auto made = document ? read(*document) : Result<T>(document.issues());
    add_below(issues, made ? Issues() : made.issues(), file.string());
    return made ? std::move(*made) : T();
}

} // namespace ringside
