// Reading what a command or the window was given, and printing what is wrong with it.
#pragma once

#include <fmt/format.h>

#include "app/files/streams.h"
#include "core/base/json/json.h"
#include "core/base/ranges.h"
#include "core/evaluate/report_json.h"
#include "core/planner/launch/launch.h"
#include "core/scenario/presets.h"

#include <cstdio>
#include <exception>
#include <functional>
#include <utility>

namespace ringside
{

struct Opened
{
    std::filesystem::path assets;
    Presets presets;
};

// The presets of --assets, or the end of the command; faulty preset files are named on stderr but stop
// nothing else. They are read once, so a server's next command begins without them.
const Opened& open_presets(const CommonOptions& options);
// A scenario file, checked and valid, or every fault with the file's name before it.
Result<Scenario> read_scenario(const std::string& file, const Presets& presets);
// A scenario file with `--set PATH=VALUE ...` applied, or the end of the command. Its layout may not suit it.
Scenario read_scenario(const std::string& file, const std::vector<std::string>& sets, const Presets& presets);
// The same, valid, and what comes of it.
struct EvaluatedFile
{
    Scenario scenario;
    Report report;
    Issues warnings; // without the file's name
};
EvaluatedFile evaluate_file(const CommonOptions& options, const std::string& file,
                            const std::vector<std::string>& sets);

// What ends a command wherever it stands: its input is bad.
struct BadInput : std::exception
{
    explicit BadInput(Issues all) : issues(std::move(all)) {}
    const char* what() const noexcept override { return "bad input"; }

    Issues issues;
};
// The value, or the end of the command.
template <class T>
T or_end(Result<T> result, const std::string& file = {})
{
    if (!result)
    {
        throw BadInput(of_file(result.issues(), file));
    }
    return std::move(*result);
}
// The end of the command where there are any.
inline void end_with(const Issues& issues)
{
    if (!issues.empty())
    {
        throw BadInput(issues);
    }
}
// The status of a command; what ends it is printed.
template <class Run>
int or_faults(const Run& run)
{
    try
    {
        return run();
    }
    catch (const BadInput& end)
    {
        return print_faults(end.issues);
    }
}

// One text of each: the ids of a list.
template <class List, class Text>
std::vector<std::string> texts_of(const List& list, const Text& text)
{
    return list_of<std::string>(list,
                                [&](const auto& entry) { return std::string(std::invoke(text, entry)); });
}

// A list of what `of` says of each entry, or of 0, 1 ... below a count.
template <class Range, class Of>
nlohmann::json json_list(const Range& range, const Of& of)
{
    auto list = nlohmann::json::array();
    each_in(range, [&](const auto& entry) { list.push_back(std::invoke(of, entry)); });
    return list;
}

// The settings of a launch, and the fields it has none for.
nlohmann::json flags_json(const Launch& launch);
nlohmann::json not_expressed_json(const Launch& launch);

// What people typed is none of `words`: names the nearest, or all of them.
Issue unknown_word(const std::string& path, std::string_view kind, const std::string& typed,
                   const std::vector<std::string>& words);
void check_range(Issues& issues, const char* option, double value, double least, double most);

// One document on standard output. Names of files may be any bytes; in it they are UTF-8.
void print_document(const nlohmann::json& document, int indent = 2);

// Prints for people: names and texts of files reach the terminal as text, never as its commands.
template <class... Args>
void say(fmt::format_string<Args...> form, Args&&... args)
{
    put_raw(printable(fmt::format(form, std::forward<Args>(args)...)));
}

// Issues of the core as faults of a command's options: "micro_batches" becomes "--micro-batches". Places in a
// text
// ("rank 3", "line 2") stay.
Issues as_options(Issues issues);

} // namespace ringside
