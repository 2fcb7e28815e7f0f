#include "app/files/settings.h"

#include "app/files/asset_file.h"
#include "core/base/json/json_table.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

std::filesystem::path settings_file()
{
    return config_folder() / "settings.json";
}
std::filesystem::path scenario_file()
{
    return config_folder() / "last-scenario.json";
}

template <class T>
T value(const json& from, const char* name, T otherwise)
{
    const auto found = from.find(name);
    if (found == from.end())
    {
        return otherwise;
    }
    if constexpr (std::is_same_v<T, bool>)
    {
        return found->is_boolean() ? found->get<bool>() : otherwise;
    }
    else if constexpr (std::is_arithmetic_v<T>)
    {
        return found->is_number() ? found->get<T>() : otherwise;
    }
    else
    {
        return found->is_string() ? found->get<T>() : otherwise;
    }
}

constexpr JsonRule kCount{.least = 0, .most = 1e15};
const JsonTable<FreeRange> kRangeTable{{
    {"least", &FreeRange::least, kCount},
    {"most", &FreeRange::most, kCount},
}};
const JsonTable<Freed> kFreedTable{{
    {"global_batch", &Freed::global_batch, kRangeTable},
    {"sequence_length", &Freed::sequence_length, kRangeTable},
    {"recompute_layers", &Freed::recompute_layers},
    {"gpus", &Freed::gpus, kRangeTable},
}};
const JsonTable<KeptSearch> kSearchTable{{
    {"words", &KeptSearch::words, kNeeded},
    {"link", &KeptSearch::link, kNeeded},
    {"framework", &KeptSearch::framework},
    {"objective", &KeptSearch::objective},
    {"free", &KeptSearch::freed, kFreedTable},
}};

// Those that can be read.
std::vector<KeptSearch> searches_in(const json& settings)
{
    std::vector<KeptSearch> searches;
    const json list = settings.value("searches", json::array());
    for (std::size_t i = 0; list.is_array() && i < std::min(list.size(), kMostKeptSearches); ++i)
    {
        Issues faults;
        KeptSearch search;
        kSearchTable.read({list[i], "", faults}, search);
        if (faults.empty())
        {
            searches.push_back(std::move(search));
        }
    }
    return searches;
}

} // namespace

bool has_settings()
{
    std::error_code none;
    return std::filesystem::exists(settings_file(), none);
}

Result<Settings> settings_from_json(const json& document)
{
    if (!document.is_object())
    {
        return Issue{"", "no object", "JSON starts with {"};
    }
    Settings s;
    Preferences& p = s.preferences;
    p.light = value(document, "light", p.light);
    p.high_contrast = value(document, "high_contrast", p.high_contrast);
    p.reduced_motion = value(document, "reduced_motion", p.reduced_motion);
    p.text_scale = static_cast<float>(std::clamp(value(document, "text_scale", 1.0), 0.75, 2.5));
    p.volume = static_cast<float>(std::clamp(value(document, "volume", 0.5), 0.0, 1.0));
    p.unit = value(document, "gib", false) ? ByteUnit::binary : ByteUnit::decimal;
    s.view = value(document, "view", s.view);
    s.width = std::clamp(static_cast<int>(std::clamp(value(document, "width", 1280.0), 320.0, 16384.0)), 320,
                         16384);
    s.height = std::clamp(static_cast<int>(std::clamp(value(document, "height", 800.0), 240.0, 16384.0)), 240,
                          16384);
    s.searches = searches_in(document);
    return s;
}

Settings load_settings(Issues& issues)
{
    return read_own(settings_file(), "the settings", settings_from_json, issues).value_or(Settings());
}

Issues save_settings(const Settings& s)
{
    json searches = json::array();
    for (const KeptSearch& search : s.searches)
    {
        searches.push_back(json(kSearchTable.write(search)));
    }
    const json out{{"light", s.preferences.light},
                   {"high_contrast", s.preferences.high_contrast},
                   {"reduced_motion", s.preferences.reduced_motion},
                   {"text_scale", s.preferences.text_scale},
                   {"volume", s.preferences.volume},
                   {"gib", s.preferences.unit == ByteUnit::binary},
                   {"view", s.view},
                   {"width", s.width},
                   {"height", s.height},
                   {"searches", std::move(searches)}};
    return save_text(settings_file(), out.dump(2) + "\n");
}

std::optional<Scenario> load_last_scenario(const Presets& presets, Issues& issues)
{
    return read_own(
        scenario_file(), "the last scenario",
        [&presets](const json& document)
        {
            auto scenario = scenario_from_json(document, presets);
            const Issues faults = scenario ? errors_of(validate(*scenario)) : Issues();
            return faults.empty() ? scenario : Result<Scenario>(faults);
        },
        issues);
}

Issues save_last_scenario(const Scenario& scenario, const Presets& presets)
{
    return save_text(scenario_file(), to_json(scenario, presets).dump(2) + "\n");
}

} // namespace ringside
