// The models, accelerators, clusters, example scenarios and frameworks that ship as JSON, one file each.
//
// The default scenario has 16 micro-batches: with 64 its bubble is 4.5% of the time, too thin to be seen;
// with 16 it is 15.8%.
#pragma once

#include "core/base/result.h"
#include "core/scenario/evidence.h"
#include "core/scenario/framework.h"
#include "core/scenario/scenario.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <map>
#include <optional>
#include <string_view>

namespace ringside
{

struct ModelPreset
{
    Model model; // model.preset is the id, every derived field filled in
    std::string family;
    std::string source;
    std::optional<std::int64_t> published_parameters;        // exact, where the exact count was published
    std::optional<std::int64_t> published_active_parameters; // per token
};

struct GpuPreset
{
    Gpu gpu;
    std::string vendor;
    std::string source;
    std::string note;
    // By name of the constant; those not named here stand at their defaults, which nobody measured.
    std::string memory_source; // where the usable share of its memory was measured
    std::map<std::string, std::string> calibration_sources;
};

struct SoftwarePreset
{
    Software software;
    std::string based_on; // the preset that a user's own was fitted from; else empty
    // The ids of the measured sources that a field's value was fitted to or chosen on, by the field's name.
    std::map<std::string, std::string> fitted;
    std::vector<MeasuredKind> measured; // a user's own runs
    std::string note;
    std::vector<std::string> sources;
    std::vector<std::string> also;      // other ids that scenarios may name it by
    std::vector<std::string> usual_for; // beginnings of the ids of accelerators that suggest it
};

// What a provider asks for such a cluster: a place to start from, prices move every month.
struct RentPrice
{
    double usd_per_gpu_hour = 0; // [USD] above 0
    std::string source;          // whose, for what, of which day
};

struct ClusterPreset
{
    std::string id;
    std::string name;
    std::string source;
    Cluster cluster;
    std::optional<RentPrice> rent;
};

struct ScenarioPreset
{
    std::string id;
    std::string name;
    std::string about;
    Scenario scenario;
};

struct ServingPresets; // core/scenario/serving.h

// Every list is sorted by id.
struct Presets
{
    std::vector<ModelPreset> models;
    std::vector<GpuPreset> gpus;
    std::vector<ClusterPreset> clusters;
    std::vector<SoftwarePreset> software;
    std::vector<ScenarioPreset> scenarios;
    std::vector<Framework> frameworks;
    std::shared_ptr<const BandTable> evidence;     // of all software; null where none was read
    std::shared_ptr<const ServingPresets> serving; // engines and what they were held against; null: the same

    const ModelPreset* model(std::string_view id) const;
    const GpuPreset* gpu(std::string_view id) const;
    const ClusterPreset* cluster(std::string_view id) const;
    const SoftwarePreset* software_of(std::string_view id) const;
    // What a scenario on this accelerator runs that names no software. One described by hand is as new as its
    // 8-bit products say.
    Software usual_software(const Gpu& gpu) const;
    const ScenarioPreset* scenario(std::string_view id) const;
    const Framework* framework(std::string_view id) const;
    // The framework that the scenario's software is; one without an id where none is known to be.
    Framework framework_of(const Scenario& scenario) const;
};

// The scenario on another accelerator; software that nobody named follows it.
Scenario with_gpu(Scenario scenario, const Gpu& gpu, const Presets& presets);

// Reads assets/{models,gpus,clusters,software,scenarios,frameworks}/*.json. Files with faults are left out
// and reported in `issues`, each with file and path, so that one bad file never hides the rest.
Presets load_presets(const std::filesystem::path& assets, Issues& issues);

// Adds the software that users keep in a folder of their own; faults as above. Ids that come with the program
// are taken.
void add_own_software(const std::filesystem::path& folder, Presets& presets, Issues& issues);
// The document of a preset, as it is read: schema ringside.software/1.
nlohmann::json to_json(const SoftwarePreset& preset);

// The faults of one model, accelerator, cluster or framework by its schema, as if it stood in the assets
// under the name `stem`. `presets` has the accelerators that a cluster may name.
struct PresetCheck
{
    Issues issues;
    std::optional<ModelPreset> model;   // where it is one without faults
    std::optional<Framework> framework; // the same
};
PresetCheck check_preset(const nlohmann::json& document, const std::string& stem, const Presets& presets);

} // namespace ringside
