// Demonstrations on disk: assets/demos/*.json, or a person's own.
#pragma once

#include "core/study/lessons/demo_script.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace ringside
{

// A file, or the name of one in assets/demos without its ending.
Result<DemoScript> read_demo_script(const std::string& name, const std::filesystem::path& assets,
                                    const Presets& presets);
// What is written in one that was read already.
Result<DemoScript> demo_script_of(const nlohmann::json& document, const Presets& presets);

struct DemoCheck
{
    std::size_t count = 0;
    Issues issues;
};
// Every fault of every file in assets/demos.
DemoCheck check_demo_scripts(const std::filesystem::path& assets, const Presets& presets);

} // namespace ringside
