#include "core/scenario/presets.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ringside
{

using nlohmann::json;

namespace
{

template <class List, class Key>
auto find_by(const List& list, std::string_view id, Key key) -> decltype(&list.front())
{
    const auto found =
        std::find_if(list.begin(), list.end(), [&](const auto& entry) { return key(entry) == id; });
    return found == list.end() ? nullptr : &*found;
}

// Reads every *.json of one folder in name order and hands each document to `take`, which returns its issues.
template <class Take>
void each_file(const std::filesystem::path& folder, Issues& issues, Take take)
{
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
    {
        if (entry.path().extension() == ".json")
        {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files)
    {
        std::ifstream in(file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        auto parsed = parse_json(text.str());
        const Issues found = parsed ? take(*parsed, file.stem().string()) : parsed.issues();
        const std::string where = (folder.filename() / file.filename()).string();
        for (const Issue& issue : found)
        {
            issues.push_back({issue.path.empty() ? where : where + ": " + issue.path, issue.message,
                              issue.hint, issue.severity});
        }
    }
}

// The text fields every preset has. Missing ones are faults: a figure without a source is worth nothing.
Issues take_texts(const json& document, const std::string& schema, const std::string& stem,
                  const std::vector<std::pair<const char*, std::string*>>& texts)
{
    if (!document.is_object())
    {
        return {{"", "not an object", "start with {\"schema\": \"" + schema + "\", ...}"}};
    }
    Issues issues;
    if (document.value("schema", json()) != schema)
    {
        issues.push_back({"schema", "missing or another schema", "use \"" + schema + "\""});
    }
    for (const auto& [name, target] : texts)
    {
        if (!document.contains(name) || !document[name].is_string() ||
            document[name].get_ref<const std::string&>().empty())
        {
            issues.push_back({name, "missing or not text", "give one"});
            continue;
        }
        *target = document[name].get<std::string>();
        if (std::string_view(name) == "id" && *target != stem)
        {
            issues.push_back({"id", fmt::format("\"{}\" is not the name of the file", *target),
                              fmt::format("use \"{}\"", stem)});
        }
    }
    return issues;
}

void add(Issues& issues, Issues more)
{
    issues.insert(issues.end(), more.begin(), more.end());
}

Issues take_model(const json& document, const std::string& stem, Presets& presets)
{
    ModelPreset preset;
    std::string id;
    std::string name;
    Issues issues =
        take_texts(document, "ringside.model/1", stem,
                   {{"id", &id}, {"name", &name}, {"family", &preset.family}, {"source", &preset.source}});
    if (!issues.empty())
    {
        return issues;
    }
    if (!document.contains("shape") || !document["shape"].is_object())
    {
        return {{"shape", "missing", "give layers, hidden, heads ..."}};
    }
    for (const auto& [key, value] : document.items())
    {
        static const std::vector<std::string> known{"schema",
                                                    "id",
                                                    "name",
                                                    "family",
                                                    "source",
                                                    "note",
                                                    "shape",
                                                    "published_parameters",
                                                    "published_active_parameters"};
        if (std::find(known.begin(), known.end(), key) == known.end())
        {
            issues.push_back({key, "unknown field", fmt::format("known are {}", fmt::join(known, ", "))});
        }
    }
    const auto published = [&](const char* key, std::optional<std::int64_t>& target)
    {
        if (document.contains(key))
        {
            if (document[key].is_number_integer())
            {
                target = document[key].get<std::int64_t>();
            }
            else
            {
                issues.push_back({key, "not a whole number", "give the exact count or leave it out"});
            }
        }
    };
    published("published_parameters", preset.published_parameters);
    published("published_active_parameters", preset.published_active_parameters);
    add(issues, read_fields(document["shape"], "shape", preset.model));
    if (!issues.empty())
    {
        return issues;
    }
    preset.model.preset = id;
    preset.model.name = name;
    preset.model = resolved(preset.model);
    presets.models.push_back(std::move(preset));
    return {};
}

// Where each constant of the calibration comes from.
Issues take_sources(const json& document, std::map<std::string, std::string>& sources)
{
    Issues issues;
    const json calibration = document.value("calibration", json::object());
    const json given = document.value("calibration_sources", json::object());
    for (const auto& [name, _] : calibration.items())
    {
        if (!given.is_object() || !given.contains(name) || !given[name].is_string())
        {
            issues.push_back({"calibration_sources." + name, "is missing", "say where the value comes from"});
            continue;
        }
        sources[name] = given[name].get<std::string>();
    }
    return issues;
}

Issues take_gpu(const json& document, const std::string& stem, Presets& presets)
{
    GpuPreset preset;
    Issues issues = take_texts(document, "ringside.gpu/1", stem,
                               {{"id", &preset.gpu.id},
                                {"name", &preset.gpu.name},
                                {"vendor", &preset.vendor},
                                {"source", &preset.source}});
    if (!issues.empty())
    {
        return issues;
    }
    if (document.contains("note"))
    {
        if (!document["note"].is_string())
        {
            return {{"note", "not text", "use \"note\": \"...\", or leave it out"}};
        }
        preset.note = document["note"].get<std::string>();
    }
    issues = read_fields(
        document, "", preset.gpu,
        {"schema", "id", "name", "vendor", "source", "note", "calibration", "calibration_sources"});
    add(issues, calibration_from_json(document, "", preset.gpu.calibration));
    add(issues, take_sources(document, preset.calibration_sources));
    // A data sheet has these; left out, they would silently be another GPU's.
    for (const char* name : {"memory_gb", "hbm_gb_per_s", "bf16_tflops", "link_gb_per_s", "pcie_gb_per_s"})
    {
        if (!document.contains(name))
        {
            issues.push_back({name, "is missing", "give it; a link or PCIe rate of 0 means there is none"});
        }
    }
    if (issues.empty())
    {
        presets.gpus.push_back(std::move(preset));
    }
    return issues;
}

Issues take_cluster(const json& document, const std::string& stem, Presets& presets)
{
    ClusterPreset preset;
    std::string gpu;
    Issues issues =
        take_texts(document, "ringside.cluster/1", stem,
                   {{"id", &preset.id}, {"name", &preset.name}, {"source", &preset.source}, {"gpu", &gpu}});
    if (!issues.empty())
    {
        return issues;
    }
    if (const GpuPreset* known = presets.gpu(gpu))
    {
        preset.cluster.gpu = known->gpu;
    }
    else
    {
        issues.push_back({"gpu", fmt::format("there is no preset \"{}\"", gpu), "add it to assets/gpus"});
    }
    add(issues, read_fields(document, "", preset.cluster, {"schema", "id", "name", "source", "note", "gpu"}));
    if (issues.empty())
    {
        presets.clusters.push_back(std::move(preset));
    }
    return issues;
}

Issues take_scenario(const json& document, const std::string& stem, Presets& presets)
{
    ScenarioPreset preset;
    preset.id = stem;
    Issues issues =
        take_texts(document, "ringside.scenario/1", stem, {{"name", &preset.name}, {"about", &preset.about}});
    auto scenario = scenario_from_json(document, presets);
    if (!scenario)
    {
        add(issues, scenario.issues());
        return issues;
    }
    for (const Issue& issue : validate(*scenario))
    {
        if (issue.severity == Severity::error)
        {
            issues.push_back(issue);
        }
    }
    preset.scenario = *scenario;
    if (issues.empty())
    {
        presets.scenarios.push_back(std::move(preset));
    }
    return issues;
}

} // namespace

const ModelPreset* Presets::model(std::string_view id) const
{
    return find_by(models, id, [](const ModelPreset& m) -> std::string_view { return m.model.preset; });
}
const GpuPreset* Presets::gpu(std::string_view id) const
{
    return find_by(gpus, id, [](const GpuPreset& g) -> std::string_view { return g.gpu.id; });
}
const ClusterPreset* Presets::cluster(std::string_view id) const
{
    return find_by(clusters, id, [](const ClusterPreset& c) -> std::string_view { return c.id; });
}
const ScenarioPreset* Presets::scenario(std::string_view id) const
{
    return find_by(scenarios, id, [](const ScenarioPreset& s) -> std::string_view { return s.id; });
}

Presets load_presets(const std::filesystem::path& assets, Issues& issues)
{
    Presets presets;
    each_file(assets / "models", issues,
              [&](const json& d, const std::string& stem) { return take_model(d, stem, presets); });
    each_file(assets / "gpus", issues,
              [&](const json& d, const std::string& stem) { return take_gpu(d, stem, presets); });
    each_file(assets / "clusters", issues,
              [&](const json& d, const std::string& stem) { return take_cluster(d, stem, presets); });
    each_file(assets / "scenarios", issues,
              [&](const json& d, const std::string& stem) { return take_scenario(d, stem, presets); });
    return presets;
}

PresetCheck check_preset(const json& document, const std::string& stem, const Presets& presets)
{
    const json schema = document.is_object() ? document.value("schema", json()) : json();
    PresetCheck check;
    Presets taken;
    if (schema == "ringside.gpu/1")
    {
        check.issues = take_gpu(document, stem, taken);
    }
    else if (schema == "ringside.cluster/1")
    {
        taken.gpus = presets.gpus;
        check.issues = take_cluster(document, stem, taken);
    }
    else
    {
        check.issues = take_model(document, stem, taken);
    }
    if (!taken.models.empty())
    {
        check.model = std::move(taken.models.front());
    }
    return check;
}

} // namespace ringside
