// The answer of a reading: as JSON, as lines, and the fields and presets that it speaks of.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/launch_files/reading.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

using nlohmann::json;

namespace
{

// Letters and digits alone, small: "Llama-3.1-8B" and "llama-3.1-8b" are one name.
std::string bare(std::string_view name)
{
    std::string text;
    for (const char c : small_letters(name))
    {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0)
        {
            text += c;
        }
    }
    return text;
}

} // namespace

json field_value(const Scenario& scenario, std::string_view path)
{
    json value;
    const auto look = [&](std::string_view section, const auto& object)
    {
        for (const auto& field : fields_of(object))
        {
            if (path.size() == section.size() + 1 + field.name.size() && path.starts_with(section) &&
                path.ends_with(field.name))
            {
                value = field_json(field, object);
            }
        }
    };
    each_section(scenario, look);
    look("software", scenario.software);
    if (path == "cluster.gpu")
    {
        value = scenario.cluster.gpu.id;
    }
    if (path == "software")
    {
        value = scenario.software.id;
    }
    return value;
}

const ModelPreset* preset_of_repository(std::string_view repository, const Presets& presets)
{
    std::string name(repository.substr(repository.find_last_of('/') + 1)); // the whole where there is none
    std::string wanted = bare(name);
    for (const std::string_view ending : {"", "instruct", "base", "chat", "hf", "it", "pt", "v01", "v03"})
    {
        if (!wanted.ends_with(ending))
        {
            continue;
        }
        wanted.resize(wanted.size() - ending.size());
        for (const ModelPreset& preset : presets.models)
        {
            const std::string id = bare(preset.model.preset);
            if (id == wanted || "meta" + id == wanted || bare(preset.model.name) == wanted)
            {
                return &preset;
            }
        }
    }
    return nullptr;
}

std::string to_text(const UnsayableSetting& setting)
{
    const double bytes = setting.bytes.value_or(0);
    return bytes == 0 ? setting.changes
                      : fmt::format("{}: {} {}", setting.changes, format_bytes(Bytes(std::abs(bytes))),
                                    bytes > 0 ? "more" : "less");
}

json to_json(const LaunchReading& reading, const Presets& presets)
{
    json fields = json::object();
    for (const ReadField& field : reading.fields)
    {
        json one{{"value", field.value}, {"from", name_of(field.from)}, {"by", field.by}};
        if (field.place.line > 0)
        {
            one["at"] = to_text(field.place);
        }
        fields[field.field] = std::move(one);
    }
    json unsayable = json::object();
    json prices = json::object();
    for (const UnsayableSetting& setting : reading.unsayable)
    {
        unsayable[setting.setting] = to_text(setting);
        if (setting.bytes)
        {
            prices[setting.setting] = {{"bytes", std::round(*setting.bytes)}};
        }
    }
    json faults = json::array();
    for (const Issue& issue : reading.issues)
    {
        faults.push_back(to_line(issue));
    }
    return {{"schema", "ringside.imported/1"},
            {"kind", reading.kind},
            {"scenario", to_json(reading.scenario, presets)},
            {"fields", std::move(fields)},
            {"unsayable", std::move(unsayable)},
            {"prices", std::move(prices)},
            {"messages", reading.messages},
            {"refusals", reading.refusals},
            {"faults", std::move(faults)},
            {"no_bearing", reading.no_bearing}};
}

} // namespace ringside
