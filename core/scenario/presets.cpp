#include "core/scenario/presets.h"

#include <fmt/format.h>

#include "core/base/text/find_by.h"
#include "core/scenario/evidence_json.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/json/serving_json.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

// The id or the name of what a preset holds.
template <auto Of, auto Text>
constexpr auto text_of_preset = [](auto& preset) -> auto&
{
    return preset.*Of.*Text;
};

// Missing texts are faults: a figure without a source is worth nothing.
const JsonTable<ModelPreset> kModelTable{{
    json_schema<ModelPreset>("ringside.model/1"),
    {"id", text_of_preset<&ModelPreset::model, &Model::preset>, kNeeded},
    {"name", text_of_preset<&ModelPreset::model, &Model::name>, kNeeded},
    {"family", &ModelPreset::family, kNeeded},
    {"source", &ModelPreset::source, kNeeded},
    {"note"},
    {"shape",
     [](const JsonPlace& place, ModelPreset& p)
     {
         if (place.is_object("give layers, hidden, heads ..."))
         {
             append(place.issues, read_fields(place.value, place.path, p.model));
         }
     },
     {.needed = true, .hint = "give layers, hidden, heads ..."}},
    {"published_parameters", &ModelPreset::published_parameters},
    {"published_active_parameters", &ModelPreset::published_active_parameters},
}};

const JsonTable<GpuPreset> kGpuTable{{
    json_schema<GpuPreset>("ringside.gpu/1"),
    {"id", text_of_preset<&GpuPreset::gpu, &Gpu::id>, kNeeded},
    {"name", text_of_preset<&GpuPreset::gpu, &Gpu::name>, kNeeded},
    {"vendor", &GpuPreset::vendor, kNeeded},
    {"source", &GpuPreset::source, kNeeded},
    {"note", &GpuPreset::note},
    {"memory_source", &GpuPreset::memory_source},
    {"calibration"},
    {"calibration_sources"},
}};

const JsonTable<RentPrice> kRentTable{{
    {"usd_per_gpu_hour", &RentPrice::usd_per_gpu_hour, {.needed = true, .least = 0.01, .most = 1000}},
    {"source", &RentPrice::source, kNeeded},
}};

struct ClusterFile
{
    ClusterPreset preset;
    std::string gpu;
    std::optional<RentPrice> rent;
};

const JsonTable<ClusterFile> kClusterTable{{
    json_schema<ClusterFile>("ringside.cluster/1"),
    {"id", text_of_preset<&ClusterFile::preset, &ClusterPreset::id>, kNeeded},
    {"name", text_of_preset<&ClusterFile::preset, &ClusterPreset::name>, kNeeded},
    {"source", text_of_preset<&ClusterFile::preset, &ClusterPreset::source>, kNeeded},
    {"gpu", &ClusterFile::gpu, kNeeded},
    {"rent", &ClusterFile::rent, kRentTable},
    {"note"},
}};

const JsonTable<ScenarioPreset> kScenarioTable{{
    json_schema<ScenarioPreset>("ringside.scenario/1"),
    {"name", &ScenarioPreset::name, kNeeded},
    {"about", &ScenarioPreset::about, kNeeded},
}};

void check_id(const std::string& id, const std::string& stem, Issues& issues)
{
    if (!id.empty() && id != stem)
    {
        issues.push_back(
            {"id", fmt::format("\"{}\" is not the name of the file", id), fmt::format("use \"{}\"", stem)});
    }
}

Issues take_model(const json& document, const std::string& stem, Presets& presets)
{
    ModelPreset preset;
    Issues issues;
    kModelTable.read({document, "", issues}, preset);
    check_id(preset.model.preset, stem, issues);
    if (issues.empty())
    {
        preset.model = resolved(preset.model);
        presets.models.push_back(std::move(preset));
    }
    return issues;
}

// Where each constant of the calibration comes from.
void take_sources(const json& document, std::map<std::string, std::string>& sources, Issues& issues)
{
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
}

Issues take_gpu(const json& document, const std::string& stem, Presets& presets)
{
    GpuPreset preset;
    Issues issues;
    if (!kGpuTable.take({document, "", issues}, preset))
    {
        return issues;
    }
    check_id(preset.gpu.id, stem, issues);
    append(issues, read_fields(document, "", preset.gpu, kGpuTable.names()));
    append(issues, calibration_from_json(document, "", preset.gpu.calibration));
    take_sources(document, preset.calibration_sources, issues);
    if (document.contains("calibration") && !preset.calibration_sources.contains("rated_w"))
    {
        preset.gpu.calibration.rated_w = preset.gpu.power_w;
    }
    // A data sheet has these; left out, they would silently be another GPU's.
    for (const char* name : {"memory_gb", "hbm_gb_per_s", "bf16_tflops", "link_gb_per_s", "pcie_gb_per_s"})
    {
        if (!document.contains(name))
        {
            issues.push_back({name, "is missing", "give it; a link or PCIe rate of 0 means there is none"});
        }
    }
    if (document.contains("usable") && preset.memory_source.empty())
    {
        issues.push_back({"memory_source", "is missing", "say where the usable share comes from"});
    }
    if (issues.empty())
    {
        presets.gpus.push_back(std::move(preset));
    }
    return issues;
}

Issues take_cluster(const json& document, const std::string& stem, Presets& presets)
{
    ClusterFile file;
    Issues issues;
    if (!kClusterTable.take({document, "", issues}, file))
    {
        return issues;
    }
    check_id(file.preset.id, stem, issues);
    file.preset.rent = file.rent;
    if (const GpuPreset* known = presets.gpu(file.gpu))
    {
        file.preset.cluster.gpu = known->gpu;
    }
    else
    {
        issues.push_back(
            {"gpu", fmt::format("there is no preset \"{}\"", file.gpu), "add it to assets/gpus"});
    }
    append(issues, read_fields(document, "", file.preset.cluster, kClusterTable.names()));
    if (issues.empty())
    {
        presets.clusters.push_back(std::move(file.preset));
    }
    return issues;
}

Issues take_scenario(const json& document, const std::string& stem, Presets& presets)
{
    ScenarioPreset preset;
    preset.id = stem;
    Issues issues;
    kScenarioTable.take({document, "", issues}, preset);
    auto scenario = scenario_from_json(document, presets);
    if (!scenario)
    {
        append(issues, scenario.issues());
        return issues;
    }
    preset.scenario = *scenario;
    append(issues, errors_of(validate(*scenario)));
    if (issues.empty())
    {
        presets.scenarios.push_back(std::move(preset));
    }
    return issues;
}

// Which sources each field was fitted to; the fields are numbers of the software.
void read_fitted(const JsonPlace& place, SoftwarePreset& preset)
{
    if (!place.is_object("give {field: ids of measured sources}"))
    {
        return;
    }
    for (const auto& [name, _] : place.value.items())
    {
        const bool known = find_by(fields_of(Software{}), std::string_view(name), &Field<Software>::name);
        place.fault_if(!known, name, "is no field of a software", "use one of its constants");
        read_value(place.member(name), kNeeded, preset.fitted[name]);
    }
}

const JsonTable<SoftwarePreset> kSoftwareTable{{
    json_schema<SoftwarePreset>("ringside.software/1"),
    {"id", text_of_preset<&SoftwarePreset::software, &Software::id>, kNeeded},
    {"name", text_of_preset<&SoftwarePreset::software, &Software::name>, kNeeded},
    {"note", &SoftwarePreset::note},
    {"sources", &SoftwarePreset::sources, kNeeded},
    {"also", &SoftwarePreset::also},
    {"usual_for", &SoftwarePreset::usual_for},
    {"based_on", &SoftwarePreset::based_on},
    {"fitted", read_fitted},
    {"measured", &SoftwarePreset::measured, measured_kind_table},
}};

Issues take_software(const json& document, const std::string& stem, Presets& presets)
{
    SoftwarePreset preset;
    Issues issues;
    if (!kSoftwareTable.take({document, "", issues}, preset))
    {
        return issues;
    }
    check_id(preset.software.id, stem, issues);
    append(issues, read_fields(document, "", preset.software, kSoftwareTable.names()));
    preset.software.inferred = false;
    preset.software.evidence = {preset.measured.empty() ? presets.evidence
                                                        : with_own(presets.evidence, preset.measured)};
    if (issues.empty())
    {
        presets.software.push_back(std::move(preset));
    }
    return issues;
}

Issues take_evidence(const json& document, Presets& presets)
{
    auto evidence = bands_from_json(document);
    if (!evidence)
    {
        return evidence.issues();
    }
    presets.evidence = std::make_shared<const BandTable>(std::move(*evidence));
    return {};
}

Issues take_framework(const json& document, const std::string& stem, Presets& presets)
{
    auto framework = framework_from_json(document);
    if (!framework)
    {
        return framework.issues();
    }
    Issues issues;
    check_id(framework->id, stem, issues);
    if (issues.empty())
    {
        presets.frameworks.push_back(std::move(*framework));
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

const SoftwarePreset* Presets::software_of(std::string_view id) const
{
    const auto* own =
        find_by(software, id, [](const SoftwarePreset& s) -> std::string_view { return s.software.id; });
    const auto other = own != nullptr
                           ? software.end()
                           : std::ranges::find_if(software, [&](const SoftwarePreset& s)
                                                  { return std::ranges::find(s.also, id) != s.also.end(); });
    return other == software.end() ? own : &*other;
}

Software Presets::usual_software(const Gpu& gpu) const
{
    Software usual;
    if (const SoftwarePreset* eager = software_of(usual.id))
    {
        usual = eager->software; // with its evidence
    }
    const std::string_view id = gpu.id.empty() && gpu.fp8_tflops > 0 ? "h100" : std::string_view(gpu.id);
    for (const SoftwarePreset& s : software)
    {
        if (std::any_of(s.usual_for.begin(), s.usual_for.end(),
                        [&](const std::string& start) { return id.substr(0, start.size()) == start; }))
        {
            usual = s.software;
        }
    }
    usual.inferred = true;
    return usual;
}

const Framework* Presets::framework(std::string_view id) const
{
    return find_by(frameworks, id, &Framework::id);
}

Framework Presets::framework_of(const Scenario& scenario) const
{
    const auto own = std::ranges::find_if(
        frameworks, [&](const Framework& f)
        { return std::ranges::find(f.software, scenario.software.id) != f.software.end(); });
    return own == frameworks.end() ? Framework() : *own;
}

Scenario with_gpu(Scenario scenario, const Gpu& gpu, const Presets& presets)
{
    scenario.cluster.gpu = gpu;
    scenario.cluster.node_link_gb_per_s = 0; // the new GPU's own
    scenario.software = scenario.software.inferred ? presets.usual_software(gpu) : scenario.software;
    return scenario;
}

namespace
{

std::shared_ptr<const ServingPresets> load_engines(const std::filesystem::path& assets, Issues& issues)
{
    auto serving = std::make_shared<ServingPresets>();
    each_json(assets / "engines", issues,
              [&](const json& d, const std::string& stem) -> Issues
              {
                  auto engine = engine_from_json(d, stem);
                  return engine ? (serving->engines.push_back(*engine), Issues()) : engine.issues();
              });
    each_json(assets / "engine-evidence", issues,
              [&](const json& d, const std::string&) -> Issues
              {
                  auto evidence = serving_evidence_from_json(d);
                  return evidence ? (serving->evidence = std::move(*evidence), Issues()) : evidence.issues();
              });
    return serving;
}

} // namespace

Presets load_presets(const std::filesystem::path& assets, Issues& issues)
{
    Presets presets;
    presets.serving = load_engines(assets, issues);
    each_json(assets / "models", issues,
              [&](const json& d, const std::string& stem) { return take_model(d, stem, presets); });
    each_json(assets / "gpus", issues,
              [&](const json& d, const std::string& stem) { return take_gpu(d, stem, presets); });
    each_json(assets / "clusters", issues,
              [&](const json& d, const std::string& stem) { return take_cluster(d, stem, presets); });
    each_json(assets / "evidence", issues,
              [&](const json& d, const std::string&) { return take_evidence(d, presets); });
    each_json(assets / "software", issues,
              [&](const json& d, const std::string& stem) { return take_software(d, stem, presets); });
    each_json(assets / "scenarios", issues,
              [&](const json& d, const std::string& stem) { return take_scenario(d, stem, presets); });
    each_json(assets / "frameworks", issues,
              [&](const json& d, const std::string& stem) { return take_framework(d, stem, presets); });
    return presets;
}

void add_own_software(const std::filesystem::path& folder, Presets& presets, Issues& issues)
{
    const auto take = [&](const json& document, const std::string& stem) -> Issues
    {
        if (presets.software_of(stem) != nullptr)
        {
            return {{"id", fmt::format("\"{}\" comes with the program", stem), "give it another name"}};
        }
        return take_software(document, stem, presets);
    };
    each_json(folder, issues, take);
    std::ranges::sort(presets.software, {}, [](const SoftwarePreset& p) { return p.software.id; });
}

json to_json(const SoftwarePreset& preset)
{
    json out = fields_json(preset.software);
    out.update({{"schema", "ringside.software/1"},
                {"id", preset.software.id},
                {"name", preset.software.name},
                {"note", preset.note},
                {"also", preset.also},
                {"sources", preset.sources},
                {"based_on", preset.based_on},
                {"measured", json::array()}});
    for (const MeasuredKind& kind : preset.measured)
    {
        out["measured"].push_back(json(measured_kind_table.write(kind)));
    }
    return out;
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
    else if (schema == "ringside.software/1")
    {
        check.issues = take_software(document, stem, taken);
    }
    else if (schema == "ringside.framework/1")
    {
        check.issues = take_framework(document, stem, taken);
    }
    else
    {
        check.issues = take_model(document, stem, taken);
    }
    if (!taken.models.empty())
    {
        check.model = std::move(taken.models.front());
    }
    if (!taken.frameworks.empty())
    {
        check.framework = std::move(taken.frameworks.front());
    }
    return check;
}

} // namespace ringside
