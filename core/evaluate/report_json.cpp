#include "core/evaluate/report_json.h"

#include "core/base/faults.h"
#include "core/evaluate/explain.h"
#include "core/evaluate/serving_figures.h"
#include "core/scenario/serving.h"

#include <cmath>

namespace ringside
{

using nlohmann::json;

json metric_value(const Metric& metric, const Scenario& scenario, const Report& report)
{
    const double value = metric.value(scenario, report);
    if (metric.name == "memory.fits" || metric.name == "serving.fits")
    {
        return value != 0;
    }
    const bool whole =
        std::abs(value) < 9e15 && value == std::trunc(value) && !metric.name.starts_with("step.");
    return whole ? json(static_cast<std::int64_t>(value)) : json(value);
}

json issues_json(const Issues& issues)
{
    auto list = json::array();
    for (const Issue& issue : shown_faults(issues))
    {
        list.push_back({{"path", issue.path}, {"message", issue.message}, {"hint", issue.hint}});
    }
    return list;
}

namespace
{

json bytes(Bytes value)
{
    return value.value < 9e15 ? json(static_cast<std::int64_t>(value.value)) : json(value.value);
}

json stage_json(const StageMemory& stage, std::size_t index)
{
    json out = {{"stage", index},
                {"layers", stage.layers},
                {"in_flight", stage.in_flight},
                {"parameters", stage.parameters},
                {"total_bytes", bytes(stage.total())},
                {"card_bytes", bytes(stage.total())},
                {"allocated_bytes", bytes(stage.allocated())}};
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        out[std::string(key_of(static_cast<Component>(i)))] = bytes(stage.parts[i]);
    }
    const BufferParts& b = stage.buffers;
    out["buffers"] = {{"gradient_workspace_bytes", bytes(b.gradient_workspace)},
                      {"working_set_bytes", bytes(b.working_set)},
                      {"recomputed_bytes", bytes(b.recomputed)},
                      {"gathered_bytes", bytes(b.gathered)},
                      {"transfer_bytes", bytes(b.transfer)},
                      {"loss_copies_bytes", bytes(b.loss_copies)},
                      {"deferred_bytes", bytes(b.deferred)},
                      {"workspace_bytes", bytes(b.workspace)},
                      {"graph_pools_bytes", bytes(b.graph_pools)},
                      {"second_gradients_bytes", bytes(b.second_gradients)},
                      {"whole_gradients_bytes", bytes(b.whole_gradients)},
                      {"fragmentation_bytes", bytes(b.fragmentation)},
                      {"reserve_bytes", bytes(b.reserve)}};
    out["host_bytes"] = bytes(stage.host_bytes);
    out["nvme_bytes"] = bytes(stage.nvme_bytes);
    return out;
}

} // namespace

json report_json(const Scenario& scenario, const Report& report, const Issues& warnings)
{
    json out = {{"schema", "ringside.report/1"},
                {"metrics", json::object()},
                {"warnings", issues_json(warnings)},
                {"notes", remarks(scenario, report)}};
    for (const Metric* metric : metrics_of(report))
    {
        const json value = metric_value(*metric, scenario, report);
        const std::string name(metric->name);
        const auto dot = name.find('.');
        out["metrics"][name] = value;
        out[name.substr(0, dot)][name.substr(dot + 1)] = value;
    }
    out["step"]["evidence"] = step_evidence_words(scenario, report.step.total());
    out["memory"]["evidence"] = memory_evidence_words(scenario);
    if (report.serving)
    {
        out["serving"]["evidence"] = serving_evidence_words(scenario, ServingMeasure::tpot);
        out["serving"]["engine"] = scenario.serving->engine.id;
    }
    out["memory"]["verdict"] = name_of(report.memory.verdict());
    out["software"] = {{"id", scenario.software.id},
                       {"name", scenario.software.name},
                       {"inferred", scenario.software.inferred}};
    out["memory"]["fullest_stage"] = report.memory.fullest;
    for (std::size_t i = 0; i < report.memory.stages.size(); ++i)
    {
        out["memory"]["stages"].push_back(stage_json(report.memory.stages[i], i));
    }
    for (std::size_t i = 0; i < kSlices; ++i)
    {
        out["step"]["waterfall"].push_back(
            {{"part", name_of(static_cast<Slice>(i))}, {"seconds", report.step.slices[i]}});
    }
    return out;
}

} // namespace ringside
