#include "core/scenario/fields.h"
#include "core/scenario/json.h"

namespace ringside
{

using nlohmann::json;

namespace
{

template <class S>
json member_value(const Field<S>& field, const S& source)
{
    return std::visit(
        [&](const auto& member) -> json
        {
            if constexpr (std::is_same_v<std::decay_t<decltype(member)>, Choice<S>>)
            {
                return std::string(member.names[static_cast<std::size_t>(member.get(source))]);
            }
            else
            {
                return source.*member;
            }
        },
        field.member);
}

template <class S>
json to_object(const S& source)
{
    json object = json::object();
    for (const Field<S>& field : fields_of(source))
    {
        object[std::string(field.name)] = member_value(field, source);
    }
    return object;
}

// Only the fields in which `source` differs from `base`.
template <class S>
json differences(const S& source, const S& base)
{
    json object = json::object();
    for (const Field<S>& field : fields_of(source))
    {
        json value = member_value(field, source);
        if (value != member_value(field, base))
        {
            object[std::string(field.name)] = std::move(value);
        }
    }
    return object;
}

} // namespace

json to_json(const Model& model)
{
    return to_object(model);
}

json to_json(const Scenario& s, const Presets& presets)
{
    json out = {{"schema", "ringside.scenario/1"}};
    const ModelPreset* preset = presets.model(s.model.preset);
    if (preset)
    {
        const json changed = differences(s.model, preset->model);
        out["model"] = changed.empty() ? json(s.model.preset) : changed;
        if (!changed.empty())
        {
            out["model"]["preset"] = s.model.preset;
        }
    }
    else
    {
        out["model"] = to_object(s.model);
    }
    if (s.model.name != (preset ? preset->model.name : "custom model"))
    {
        if (out["model"].is_string())
        {
            out["model"] = {{"preset", s.model.preset}};
        }
        out["model"]["name"] = s.model.name;
    }
    out["cluster"] = to_object(s.cluster);
    const GpuPreset* gpu = presets.gpu(s.cluster.gpu.id);
    out["cluster"]["gpu"] =
        gpu && gpu->gpu == s.cluster.gpu ? json(s.cluster.gpu.id) : to_object(s.cluster.gpu);
    if (out["cluster"]["gpu"].is_object())
    {
        out["cluster"]["gpu"]["name"] = s.cluster.gpu.name;
        const json calibration = differences(s.cluster.gpu.calibration, Calibration{});
        if (!calibration.empty())
        {
            out["cluster"]["gpu"]["calibration"] = calibration;
        }
    }
    out["parallel"] = to_object(s.parallel);
    out["training"] = to_object(s.training);
    out["stage_times"] = to_object(s.stage_times);
    out["collective"] = to_object(s.collective);
    return out;
}

} // namespace ringside
