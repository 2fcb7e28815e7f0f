// What is kept between starts: preferences, window size, the view and the scenario. Files under
// $XDG_CONFIG_HOME/ringside.
#pragma once

#include "core/scenario/presets.h"
#include "ui/draw/look.h"
#include "ui/shell/frame/layouts_frame.h"

namespace ringside
{

struct Settings
{
    Preferences preferences;
    std::string view = "overview";
    int width = 1280;
    int height = 800;
    std::vector<KeptSearch> searches;

    bool operator==(const Settings&) const = default;
};

// Whether any were kept: none at the very first start.
bool has_settings();
// Defaults where there is no file; an issue where there is one that cannot be read. Values out of range
// become the nearest.
Settings load_settings(Issues& issues);
// What a settings file says, with defaults for what it does not.
Result<Settings> settings_from_json(const nlohmann::json& document);
Issues save_settings(const Settings& settings);

// The scenario of the last session, when there is one that still reads and is valid.
std::optional<Scenario> load_last_scenario(const Presets& presets, Issues& issues);
Issues save_last_scenario(const Scenario& scenario, const Presets& presets);

} // namespace ringside
