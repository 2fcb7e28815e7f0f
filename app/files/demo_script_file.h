// Demonstrations on disk: assets/demos/*.json, or a user's own.
#pragma once

#include "core/study/lessons/demo_script.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace ringside
{

// A file, or the name of one in assets/demos or assets/films without its ending.
Result<DemoScript> read_demo_script(const std::string& name, const std::filesystem::path& assets,
                                    const Presets& presets);
// What is written in one that was read already.
Result<DemoScript> demo_script_of(const nlohmann::json& document, const Presets& presets);

struct DemoScripts
{
    std::vector<DemoScript> scripts; // that can be read
    Issues issues;                   // every fault of the others
};
// Every file in assets/demos, or in another folder of the assets: "films" has those that nobody walks
// through.
DemoScripts read_demo_scripts(const std::filesystem::path& assets, const Presets& presets,
                              std::string_view folder = "demos");

} // namespace ringside
