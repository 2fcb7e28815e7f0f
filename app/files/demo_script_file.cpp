#include "app/files/demo_script_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/console/input.h"
#include "app/files/asset_file.h"
#include "core/base/json/json.h"
#include "ui/shell/frame/stage_frame.h"
#include "ui/shell/view.h"
namespace ringside
{

namespace
{

Result<DemoScript> read_file(const std::string& file, const Presets& presets)
{
    const auto document = read_json(file);
    auto script = document ? demo_script_of(*document, presets) : Result<DemoScript>(document.issues());
    return script ? script : Result<DemoScript>(of_file(script.issues(), file));
}

} // namespace

Result<DemoScript> demo_script_of(const nlohmann::json& document, const Presets& presets)
{
    auto asked = list_of<std::string_view>(class_questions(), &ClassQuestion::metric);
    return demo_script_from_json(document, presets, view_places(), asked);
}

Result<DemoScript> read_demo_script(const std::string& name, const std::filesystem::path& assets,
                                    const Presets& presets)
{
    std::error_code none;
    if (std::filesystem::exists(name, none))
    {
        return read_file(name, presets);
    }
    std::vector<std::string> known;
    for (const char* folder : {"demos", "films"})
    {
        for (const auto& file : json_files(assets / folder))
        {
            if (file.stem() == name)
            {
                return read_file(file.string(), presets);
            }
            known.push_back(file.stem().string());
        }
    }
    auto read = read_file(name, presets);
    return read || name == "-"
               ? read
               : Result<DemoScript>(Issue{name, "there is no such file, nor such a demonstration",
                                          fmt::format("give a file, or one of {}", fmt::join(known, ", "))});
}

DemoScripts read_demo_scripts(const std::filesystem::path& assets, const Presets& presets,
                              std::string_view folder)
{
    DemoScripts all;
    for (const auto& file : json_files(assets / folder))
    {
        auto script = read_file(file.string(), presets);
        if (script)
        {
            all.scripts.push_back(std::move(*script));
        }
        else
        {
            append(all.issues, script.issues());
        }
    }
    return all;
}

} // namespace ringside
