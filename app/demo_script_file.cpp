#include "app/demo_script_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/files.h"
#include "app/input.h"
#include "core/scenario/json.h"
#include "ui/shell/view.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace ringside
{

namespace
{

std::vector<std::filesystem::path> shipped(const std::filesystem::path& assets)
{
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(assets / "demos", none))
    {
        if (entry.path().extension() == ".json")
        {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

Result<DemoScript> read_file(const std::string& file, const Presets& presets)
{
    const auto text = read_text(file, kMaxJsonBytes);
    const auto json = text ? parse_json(*text) : Result<nlohmann::json>(text.issues());
    auto script = json ? demo_script_of(*json, presets) : Result<DemoScript>(json.issues());
    return script ? script : Result<DemoScript>(of_file(script.issues(), file));
}

} // namespace

Result<DemoScript> demo_script_of(const nlohmann::json& document, const Presets& presets)
{
    std::vector<std::string_view> asked;
    for (const ClassQuestion& question : class_questions())
    {
        asked.push_back(question.metric);
    }
    return demo_script_from_json(document, presets, view_places(), asked);
}

Result<DemoScript> read_demo_script(const std::string& name, const std::filesystem::path& assets,
                                    const Presets& presets)
{
    const std::filesystem::path own = assets / "demos" / (name + ".json");
    std::error_code none;
    if (std::filesystem::exists(name, none) || !std::filesystem::exists(own, none))
    {
        auto read = read_file(name, presets);
        std::vector<std::string> known;
        for (const auto& file : shipped(assets))
        {
            known.push_back(file.stem().string());
        }
        if (!read && name != "-" && !std::filesystem::exists(name, none))
        {
            return Issue{name, "there is no such file, nor such a demonstration",
                         fmt::format("give a file, or one of {}", fmt::join(known, ", "))};
        }
        return read;
    }
    return read_file(own.string(), presets);
}

DemoCheck check_demo_scripts(const std::filesystem::path& assets, const Presets& presets)
{
    DemoCheck check;
    for (const auto& file : shipped(assets))
    {
        const auto script = read_file(file.string(), presets);
        const Issues found = script ? Issues{} : script.issues();
        check.issues.insert(check.issues.end(), found.begin(), found.end());
        ++check.count;
    }
    return check;
}

} // namespace ringside
