#include "core/scenario/based_on.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/json/serving_json.h"

namespace ringside
{

using nlohmann::json;

json to_json(const Model& model)
{
    return fields_json(model);
}

namespace
{

// The id of its preset, or what differs from it.
json model_json(const Model& model, const Presets& presets)
{
    const ModelPreset* preset = presets.model(model.preset);
    json out = fields_json(model, preset ? &preset->model : nullptr);
    const bool named = model.name != (preset ? preset->model.name : "custom model");
    if (preset && out.empty() && !named)
    {
        return model.preset;
    }
    if (preset)
    {
        out["preset"] = model.preset;
    }
    if (named)
    {
        out["name"] = model.name;
    }
    return out;
}

// The id of its preset, or all of it.
json gpu_json(const Gpu& gpu, const Presets& presets)
{
    const GpuPreset* preset = presets.gpu(gpu.id);
    if (preset && preset->gpu == gpu)
    {
        return gpu.id;
    }
    json out = fields_json(gpu);
    if (gpu.name != name_by_preset(gpu, presets))
    {
        out["name"] = gpu.name;
    }
    if (!gpu.id.empty())
    {
        out["based_on"] = gpu.id;
    }
    const Calibration usual = preset ? preset->gpu.calibration : Calibration{};
    const json calibration = fields_json(gpu.calibration, &usual);
    if (!calibration.empty())
    {
        out["calibration"] = calibration;
    }
    return out;
}

json software_json(const Software& software, const Presets& presets)
{
    const SoftwarePreset* known = presets.software_of(software.id);
    json changed = fields_json(software, known ? &known->software : nullptr);
    if (known && changed.empty())
    {
        return software.id;
    }
    if (known)
    {
        changed["preset"] = software.id;
    }
    return changed;
}

} // namespace

json to_json(const Scenario& s, const Presets& presets)
{
    json out = {{"schema", "ringside.scenario/1"}};
    out["model"] = model_json(s.model, presets);
    out["cluster"] = fields_json(s.cluster);
    out["cluster"]["gpu"] = gpu_json(s.cluster.gpu, presets);
    out["parallel"] = fields_json(s.parallel);
    out["training"] = fields_json(s.training);
    out["training"]["lora"] = fields_json(s.training.lora);
    out["stage_times"] = fields_json(s.stage_times);
    out["collective"] = fields_json(s.collective);
    if (!s.software.inferred)
    {
        out["software"] = software_json(s.software, presets);
    }
    if (s.serving)
    {
        out["serving"] = serving_json(*s.serving, presets);
    }
    return out;
}

} // namespace ringside
