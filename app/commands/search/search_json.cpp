#include "app/commands/search/search_json.h"

#include "app/commands/console/options.h"
#include "core/planner/current_layout.h"
#include "core/planner/launch/framework_launch.h"
#include "core/planner/search/candidate_columns.h"
#include "core/planner/search/near_misses.h"
#include "core/planner/search/told_apart.h"
#include "core/scenario/json/json.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

void add_column(json& out, CandidateColumn column, const Candidate& c)
{
    const DataColumn<Candidate>& info = info_of(column);
    if (!info.json.empty())
    {
        std::visit([&](auto value) { out[std::string(info.json)] = value; }, info.value(c));
    }
}

json time_and_memory(const Candidate& c)
{
    json out;
    add_column(out, CandidateColumn::step, c);
    add_column(out, CandidateColumn::memory, c);
    return out;
}

// What the search said of it.
json estimate_json(const Scenario& s, const Candidate& c, const SearchLimits& limits)
{
    json out;
    const bool paid = limits.freed.gpus.on();
    for (const CandidateColumn column : shown_columns({}, limits))
    {
        if (column != CandidateColumn::cost || paid)
        {
            add_column(out, column, c);
        }
    }
    if (paid)
    {
        out["usd_per_million_tokens"] = usd_of(s, c);
    }
    return out;
}

// What starts it, what no flag says, and whether flags and that read back are the layout.
void add_launch(json& out, const Scenario& s, const Framework& framework)
{
    const Launch launch = write_launch(framework, s);
    out["launch"] = flags_json(launch);
    out["not_expressed"] = not_expressed_json(launch);
    out["reads_back"] = same_run(read_launch(framework, launch, s), layout_of(s));
}

// A candidate as `evaluate` has it: schedules without a closed form simulated, memory by the order itself.
// `s` is laid out so.
json layout_json(const Scenario& s, const Candidate& c, const SearchLimits& limits, const Presets& presets)
{
    const json whole = to_json(s, presets);
    json out{{"gpus", c.layout.gpus}, {"parallel", whole["parallel"]}, {"training", whole["training"]}};
    out["estimate"] = estimate_json(s, c, limits);
    out["nearest_misses"] = json::array();
    for (const NearMiss& miss : near_misses(s, c, limits))
    {
        out["nearest_misses"].push_back(time_and_memory(miss.candidate));
        out["nearest_misses"].back()["change"] = miss.change;
    }
    if (!limits.any_framework())
    {
        add_launch(out, s, limits.framework);
    }
    if (const auto report = evaluate(s))
    {
        out["verdict"] = name_of(verdict_of(c, report->memory.capacity.value));
        for (const Metric& metric : metrics())
        {
            out["metrics"][std::string(metric.name)] = metric_value(metric, s, *report);
        }
    }
    return out;
}

void add_parts(json& out, const LayoutDifference& difference)
{
    out["parts_s"] = json::object();
    for (const PartChange& part : difference.parts)
    {
        out["parts_s"][std::string(part.part)] = part.seconds;
    }
}

// Which seconds a row has over the scenario's own layout, or the nearest valid one.
json why_json(const CurrentLayout& current, const Scenario& row)
{
    if (!current.runs())
    {
        return {};
    }
    const LayoutDifference d = difference(current.scenario, row);
    json out{
        {"settings", d.settings}, {"says", sentence_of(d)}, {"more_s", d.seconds()}, {"more_bytes", d.bytes}};
    add_parts(out, d);
    return out;
}

// The scenario's own layout; where it is invalid, why, and the nearest that is not.
json current_json(const CurrentLayout& current, const SearchLimits& limits, const Presets& presets)
{
    json out{{"valid", current.valid()}, {"faults", issues_json(current.faults)}};
    out["layout"] =
        current.runs() ? layout_json(current.scenario, current.candidate, limits, presets) : json();
    out["set"] = current.settings;
    return out;
}

} // namespace

json search_json(const Scenario& scenario, const SearchLimits& limits, const SearchResult& r, std::size_t top,
                 const Presets& presets)
{
    json out{{"tried", r.tried},
             {"legal", r.legal},
             {"fit", r.fit},
             {"tight", r.tight},
             {"headroom", limits.headroom},
             {"framework", limits.any_framework() ? "any" : limits.framework.id},
             {"rejected", json::object()}};
    for (std::size_t i = 0; i < kRejections; ++i)
    {
        out["rejected"][std::string(name_of(static_cast<Rejection>(i)))] = r.rejected[i];
    }
    const CurrentLayout current = current_layout(scenario, limits);
    out["current"] = current_json(current, limits, presets);
    out["layouts"] = json::array();
    if (const Candidate* simplest = simplest_equal(r.cuts, limits.objective, scenario))
    {
        Scenario s = scenario;
        apply(simplest->layout, s);
        out["simplest_equal"] = layout_json(s, *simplest, limits, presets);
    }
    for (std::size_t i = 0; i < std::min(top, r.best.size()); ++i)
    {
        Scenario s = scenario;
        apply(r.best[i].layout, s);
        out["layouts"].push_back(layout_json(s, r.best[i], limits, presets));
        out["layouts"].back()["why"] = why_json(current, s);
        out["layouts"].back()["equals_best"] = equals_best(r.best[i], r.best.front(), limits.objective);
    }
    return out;
}

json changes_json(const std::vector<Change>& changes, const Presets& presets)
{
    return json_list(changes,
                     [&](const Change& change)
                     {
                         const json whole = to_json(change.after, presets);
                         json out = time_and_memory(change.candidate);
                         out.update({{"moves", change.moves},
                                     {"settings", change.difference.settings},
                                     {"says", sentence_of(change)},
                                     {"more_s", change.difference.seconds()},
                                     {"more_bytes", change.difference.bytes},
                                     {"more_usd", change.usd},
                                     {"parallel", whole["parallel"]},
                                     {"training", whole["training"]}});
                         add_parts(out, change.difference);
                         return out;
                     });
}

} // namespace ringside
