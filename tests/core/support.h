// Shared by the core tests: presets and published figures, read once.
#pragma once

#include "core/scenario/json.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <string>

namespace ringside::test
{

inline nlohmann::json read(const std::string& path)
{
    std::ifstream in(std::string(RINGSIDE_SOURCE_DIR) + "/" + path);
    return nlohmann::json::parse(in);
}

inline const Presets& presets()
{
    static const Presets loaded = []
    {
        Issues issues;
        return load_presets(std::string(RINGSIDE_SOURCE_DIR) + "/assets", issues);
    }();
    return loaded;
}

// A scenario from JSON text that must be good.
inline Scenario scenario(const std::string& text)
{
    auto read = scenario_from_text(text, presets());
    if (!read)
    {
        std::string all = text;
        for (const Issue& issue : read.issues())
        {
            all += "\n" + to_line(issue);
        }
        throw std::runtime_error(all);
    }
    return *read;
}

} // namespace ringside::test
