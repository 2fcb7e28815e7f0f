#include "core/planner/current_layout.h"

#include "core/memory/memory.h"
#include "core/performance/step_time.h"
#include "core/planner/kept_layouts.h"
#include "core/scenario/fit.h"
#include "core/scenario/validate.h"

#include <utility>

namespace ringside
{

CurrentLayout current_layout(const Scenario& scenario, const SearchLimits& limits)
{
    CurrentLayout current;
    current.faults = faults(scenario);
    current.layout = layout_of(scenario);
    current.scenario = scenario;
    if (!current.valid())
    {
        Fit nearest = fit(scenario, [](const Scenario& s) { return memory_report(s).fits(); });
        current.scenario = std::move(nearest.scenario);
        current.changes = std::move(nearest.says);
        current.settings = std::move(nearest.assignments);
    }
    if (current.valid() || faults(current.scenario).empty())
    {
        current.candidate = sized(current.scenario, limits);
        fill(current.candidate, step_time(current.scenario));
        add_band(current.candidate, current.scenario);
    }
    return current;
}

} // namespace ringside
