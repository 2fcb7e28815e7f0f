#include "core/scenario/based_on.h"
#include "core/scenario/json/json.h"
#include "core/scenario/json/json_fields.h"

namespace ringside
{

using nlohmann::json;

json to_json(const Model& model)
{
    return fields_json(model);
}

json to_json(const Scenario& s, const Presets& presets)
{
    json out = {{"schema", "ringside.scenario/1"}};
    const ModelPreset* preset = presets.model(s.model.preset);
    if (preset)
    {
        const json changed = fields_json(s.model, &preset->model);
        out["model"] = changed.empty() ? json(s.model.preset) : changed;
        if (!changed.empty())
        {
            out["model"]["preset"] = s.model.preset;
        }
    }
    else
    {
        out["model"] = fields_json(s.model);
    }
    if (s.model.name != (preset ? preset->model.name : "custom model"))
    {
        if (out["model"].is_string())
        {
            out["model"] = {{"preset", s.model.preset}};
        }
        out["model"]["name"] = s.model.name;
    }
    out["cluster"] = fields_json(s.cluster);
    const GpuPreset* gpu = presets.gpu(s.cluster.gpu.id);
    out["cluster"]["gpu"] =
        gpu && gpu->gpu == s.cluster.gpu ? json(s.cluster.gpu.id) : fields_json(s.cluster.gpu);
    if (out["cluster"]["gpu"].is_object())
    {
        if (s.cluster.gpu.name != name_by_preset(s.cluster.gpu, presets))
        {
            out["cluster"]["gpu"]["name"] = s.cluster.gpu.name;
        }
        if (!s.cluster.gpu.id.empty())
        {
            out["cluster"]["gpu"]["based_on"] = s.cluster.gpu.id;
        }
        const Calibration usual = gpu ? gpu->gpu.calibration : Calibration{};
        const json calibration = fields_json(s.cluster.gpu.calibration, &usual);
        if (!calibration.empty())
        {
            out["cluster"]["gpu"]["calibration"] = calibration;
        }
    }
    out["parallel"] = fields_json(s.parallel);
    out["training"] = fields_json(s.training);
    out["stage_times"] = fields_json(s.stage_times);
    out["collective"] = fields_json(s.collective);
    if (!s.software.inferred)
    {
        const SoftwarePreset* known = presets.software_of(s.software.id);
        const json changed = fields_json(s.software, known ? &known->software : nullptr);
        out["software"] = known && changed.empty() ? json(s.software.id) : changed;
        if (known && !changed.empty())
        {
            out["software"]["preset"] = s.software.id;
        }
    }
    return out;
}

} // namespace ringside
