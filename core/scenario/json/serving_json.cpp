#include "core/scenario/json/serving_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/find_by.h"
#include "core/base/text/printable.h"
#include "core/base/text/text.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/serving_fields.h"

#include <algorithm>

namespace ringside
{

using nlohmann::json;

namespace
{

StorePrecision stored_as(Precision precision)
{
    return precision == Precision::nvfp4 ? StorePrecision::nvfp4
           : is_narrow(precision)        ? StorePrecision::fp8
                                         : StorePrecision::bf16;
}

void read_stored(const JsonPlace& place, StorePrecision& target)
{
    if (const auto chosen = read_choice(place, kNamesOf<StorePrecision>.all))
    {
        target = static_cast<StorePrecision>(*chosen);
    }
}

void read_weights(const JsonPlace& place, Serving& s)
{
    if (place.value.is_string())
    {
        read_stored(place, s.rest);
        s.experts = s.rest;
        return;
    }
    if (place.is_object("use \"fp8\" or {\"experts\": \"nvfp4\", \"rest\": \"bf16\"}"))
    {
        place.refuse_others({"experts", "rest"});
        for (const auto& [name, member] :
             {std::pair{"experts", &Serving::experts}, std::pair{"rest", &Serving::rest}})
        {
            if (place.has(name))
            {
                read_stored(place.member(name), s.*member);
            }
        }
    }
}

const ServingEnginePreset* engine_preset(const Presets& presets, std::string_view id)
{
    const auto own = [](const ServingEnginePreset& p) -> std::string_view { return p.engine.id; };
    return presets.serving ? find_by(presets.serving->engines, id, own) : nullptr;
}

void read_engine(const JsonPlace& place, const Presets& presets, Serving& s)
{
    const bool object = place.value.is_object();
    const JsonPlace named = object && place.has("preset") ? place.member("preset") : place;
    const std::string id = named.value.is_string() ? named.value.get<std::string>() : s.engine.id;
    const ServingEnginePreset* found = engine_preset(presets, id);
    if (found == nullptr && presets.serving != nullptr)
    {
        const auto ids = list_of<std::string>(presets.serving->engines,
                                              [](const ServingEnginePreset& p) { return p.engine.id; });
        named.fault(fmt::format("there is no engine \"{}\"", shortened(id)),
                    did_you_mean(id, ids, fmt::format("use one of {}", fmt::join(ids, ", "))));
        return;
    }
    s.engine = found != nullptr ? found->engine : s.engine;
    if (!place.value.is_string() &&
        place.is_object("use \"vllm\" or {\"preset\": \"vllm\", \"layer_us\": 30}"))
    {
        append(place.issues, read_fields(place.value, place.path, s.engine, {"preset"}));
    }
}

template <class S>
void read_part(const JsonPlace& place, const char* name, S& target, const std::vector<std::string>& also = {})
{
    if (place.has(name) && place.member(name).is_object("use {\"field\": value, ...}"))
    {
        append(place.issues, read_fields(place.value[name], place.path + "." + name, target, also));
    }
}

void read_traffic(const JsonPlace& place, ServingTraffic& t)
{
    if (!place.has("traffic"))
    {
        t.concurrency = 64;
        return;
    }
    read_part(place, "traffic", t, {"trace"});
    const JsonPlace traffic = place.member("traffic");
    if (!traffic.value.is_object())
    {
        return;
    }
    if (traffic.has("trace"))
    {
        read_value(traffic.member("trace"), kNeeded, t.trace);
    }
    const int ways =
        (t.rate > 0 ? 1 : 0) + (t.concurrency > 0 ? 1 : 0) + (t.burst ? 1 : 0) + (t.trace.empty() ? 0 : 1);
    if (ways != 1)
    {
        traffic.fault(ways == 0 ? "does not say how requests come"
                                : "says more than one way how requests come",
                      "give exactly one of rate, concurrency, burst, trace");
    }
}

template <class S>
json unusual_json(const S& source)
{
    const S usual;
    return fields_json(source, &usual);
}

} // namespace

std::shared_ptr<const Serving> read_serving(const JsonPlace& place, const Scenario& scenario,
                                            const Presets& presets)
{
    if (!place.is_object("use {\"engine\": \"vllm\", \"traffic\": {\"concurrency\": 64}}"))
    {
        return nullptr;
    }
    Serving s;
    s.rest = s.experts = stored_as(scenario.training.precision);
    read_engine(place.has("engine") ? place.member("engine")
                                    : JsonPlace{json(s.engine.id), place.path + ".engine", place.issues},
                presets, s);
    s.scheduler = s.engine.scheduler;
    std::vector<std::string> own{"engine", "weights", "traffic", "objective", "prefill", "speculative"};
    std::vector<std::string> others = own;
    for (const auto& field : fields_of(s.layout))
    {
        for (const std::string_view name : {field.name, field.alias})
        {
            own.emplace_back(name);
        }
    }
    append(place.issues, read_fields(place.value, place.path, s, own));
    json layout = json::object();
    for (const auto& [name, value] : place.value.items())
    {
        if (std::ranges::find(own, name) != own.end() && std::ranges::find(others, name) == others.end())
        {
            layout[name] = value;
        }
    }
    append(place.issues, read_fields(layout, place.path, s.layout));
    if (place.has("weights"))
    {
        read_weights(place.member("weights"), s);
    }
    read_traffic(place, s.traffic);
    read_part(place, "objective", s.objective);
    read_part(place, "speculative", s.speculative);
    s.disaggregated = place.has("prefill");
    read_part(place, "prefill", s.prefill);
    s.evidence = presets.serving
                     ? std::shared_ptr<const ServingEvidence>(presets.serving, &presets.serving->evidence)
                     : nullptr;
    return place.issues.empty() ? std::make_shared<const Serving>(std::move(s)) : nullptr;
}

json serving_json(const Serving& s, const Presets& presets)
{
    json out = unusual_json(s);
    out.update(unusual_json(s.layout));
    const ServingEnginePreset* preset = engine_preset(presets, s.engine.id);
    json changed = fields_json(s.engine, preset != nullptr ? &preset->engine : nullptr);
    changed["preset"] = s.engine.id;
    out["engine"] = changed.size() > 1 ? changed : json(s.engine.id);
    out["scheduler"] = name_of(s.scheduler);
    out["weights"] = s.experts == s.rest ? json(name_of(s.rest))
                                         : json{{"experts", name_of(s.experts)}, {"rest", name_of(s.rest)}};
    out["traffic"] = unusual_json(s.traffic);
    out["traffic"]["prompt"] = s.traffic.prompt;
    out["traffic"]["output"] = s.traffic.output;
    if (!s.traffic.trace.empty())
    {
        out["traffic"]["trace"] = s.traffic.trace;
    }
    out["objective"] = fields_json(s.objective);
    if (s.speculative.tokens > 0)
    {
        out["speculative"] = fields_json(s.speculative);
    }
    if (s.disaggregated)
    {
        out["prefill"] = fields_json(s.prefill);
    }
    return out;
}

namespace
{

const JsonTable<ServingEnginePreset> kEnginePresetTable{
    {json_schema<ServingEnginePreset>("ringside.engine/1"), {"id", [](auto& p) -> auto& {return p.engine.id;
}
, kNeeded
} // namespace ringside
, {"name", [](auto& p) -> auto& {return p.engine.name;
}
, kNeeded
}
, {"release", &ServingEnginePreset::release, kNeeded}, {"note"},
    {"sources", &ServingEnginePreset::sources, kNeeded},
}
}
;

const JsonTable<ServingBand> kServingBandTable{{
    {"low", &ServingBand::low, {.needed = true, .least = 0.01, .most = 1}},
    {"high", &ServingBand::high, {.needed = true, .least = 1, .most = 100}},
    {"rows", &ServingBand::rows, {.least = 0}},
    {"models", &ServingBand::models, {.least = 0}},
    {"median", &ServingBand::median, {.least = 0}},
    {"coverage", &ServingBand::coverage, {.least = 0, .most = 1}},
}};

const JsonTable<ServedKind> kServedKindTable{{
    {"engine", &ServedKind::engine, kNeeded},
    {"model", &ServedKind::model, kNeeded},
    {"gpu", &ServedKind::gpu, kNeeded},
    {"rows", &ServedKind::rows, {.least = 0}},
}};

void read_left_out_ratios(const JsonPlace& place, ServingEvidence& evidence)
{
    if (!place.is_object("give {set: [ratio, ...]}"))
    {
        return;
    }
    for (const auto& [set, _] : place.value.items())
    {
        read_value(place.member(set), {.least = 0, .most = 1e6}, evidence.left_out[set]);
    }
}

const JsonTable<ServingEvidence> kServingEvidenceTable{{
    json_schema<ServingEvidence>("ringside.serving-bands/1"),
    {"tpot", &ServingEvidence::tpot, kServingBandTable},
    {"ttft", &ServingEvidence::ttft, kServingBandTable},
    {"rate", &ServingEvidence::rate, kServingBandTable},
    {"note"},
    {"kinds", &ServingEvidence::kinds, kServedKindTable},
    {"left_out", read_left_out_ratios},
}};

} // namespace

Result<ServingEnginePreset> engine_from_json(const json& document, const std::string& stem)
{
    ServingEnginePreset preset;
    Issues issues;
    const JsonPlace place{document, "", issues};
    if (!kEnginePresetTable.take(place, preset))
    {
        return issues;
    }
    append(issues, read_fields(document, "", preset.engine, kEnginePresetTable.names()));
    place.fault_if(preset.engine.id != stem, "id", "is not the name of the file",
                   fmt::format("use \"{}\"", stem));
    return issues.empty() ? Result<ServingEnginePreset>(std::move(preset)) : issues;
}

Result<ServingEvidence> serving_evidence_from_json(const json& document)
{
    ServingEvidence evidence;
    Issues issues;
    kServingEvidenceTable.read({document, "", issues}, evidence);
    return issues.empty() ? Result<ServingEvidence>(std::move(evidence)) : issues;
}

nlohmann::ordered_json to_json(const ServingEvidence& evidence)
{
    nlohmann::ordered_json out = kServingEvidenceTable.write(evidence);
    out["note"] = "Computed by `ringside bench serving --bands`; core/evaluate/serving_accuracy.h says how.";
    out["left_out"] = evidence.left_out;
    return out;
}

} // namespace ringside
