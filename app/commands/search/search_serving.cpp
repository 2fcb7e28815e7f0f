#include "app/commands/search/search_serving.h"

#include "app/commands/console/serving_text.h"
#include "app/commands/console/table.h"
#include "core/base/text/text.h"
#include "core/planner/serving_search.h"
#include "core/scenario/json/serving_json.h"
#include "core/scenario/validate.h"

namespace ringside
{

using nlohmann::json;

namespace
{

Scenario with_objective(const Scenario& scenario, const SearchOptions& o)
{
    Serving s = *scenario.serving;
    s.objective.ttft_s = o.ttft.value_or(s.objective.ttft_s);
    s.objective.tpot_s = o.tpot.value_or(s.objective.tpot_s);
    s.objective.percentile = o.percentile.value_or(s.objective.percentile);
    Scenario changed = scenario;
    changed.serving = std::make_shared<const Serving>(std::move(s));
    return changed;
}

double usd_per_million(const Scenario& s, const ServingFigures& f)
{
    return f.output_tokens_per_s > 0
               ? static_cast<double>(f.gpus) * s.cluster.usd_per_gpu_hour / 3600 / f.output_tokens_per_s * 1e6
               : 0;
}

json candidate_json(const Scenario& s, const ServingCandidate& c)
{
    const Band band = serving_band(s, ServingMeasure::rate);
    const ServingFigures& f = c.figures;
    return {{"tensor", c.layout.tensor},
            {"pipeline", c.layout.pipeline},
            {"data", c.layout.data},
            {"expert", c.layout.expert},
            {"replicas", c.layout.replicas},
            {"gpus", f.gpus},
            {"goodput_requests_per_s", c.goodput},
            {"goodput_low_requests_per_s", c.goodput * band.low},
            {"goodput_high_requests_per_s", c.goodput * band.high},
            {"ttft_p90_s", f.ttft.p90},
            {"tpot_p90_s", f.tpot.p90},
            {"output_tokens_per_s_per_gpu", f.output_tokens_per_s / static_cast<double>(f.gpus)},
            {"usd_per_million_output_tokens", usd_per_million(s, f)},
            {"kv_tokens", f.kv_tokens}};
}

std::string seconds_of(double seconds)
{
    return format_seconds(Seconds(seconds));
}

void print_serving_search(const Scenario& s, const ServingSearch& found, std::size_t top)
{
    const ServingObjective& o = s.serving->objective;
    say("{} with {} on {} x {}: {} layouts tried, {} fit. Objective: TTFT {} and TPOT {} for {:g}% of the "
        "requests\n\n",
        s.model.name, s.serving->engine.name, grouped(s.cluster.gpus), s.cluster.gpu.name, found.tried,
        found.fit, seconds_of(o.ttft_s), seconds_of(o.tpot_s), o.percentile);
    const Band band = serving_band(s, ServingMeasure::rate);
    TextTable table({{"", 1},
                     {"TP", 1},
                     {"PP", 1},
                     {"DP", 1},
                     {"EP", 1},
                     {"replicas", 1},
                     {"requests/s", 1},
                     {"80% range", 1},
                     {"TTFT p90", 1},
                     {"TPOT p90", 1},
                     {"tokens/s/GPU", 1},
                     {"$/M tok", 1}});
    for (std::size_t i = 0; i < std::min(top, found.best.size()); ++i)
    {
        const ServingCandidate& c = found.best[i];
        const ServingFigures& f = c.figures;
        const bool holds = c.goodput > 0;
        table.add(i + 1, c.layout.tensor, c.layout.pipeline, c.layout.data, c.layout.expert,
                  c.layout.replicas, holds ? fmt::format("{:.3g}", c.goodput) : "none",
                  holds ? fmt::format("{:.3g} to {:.3g}", c.goodput * band.low, c.goodput * band.high) : "",
                  seconds_of(f.ttft.p90), seconds_of(f.tpot.p90),
                  fmt::format("{:.0f}", f.output_tokens_per_s / static_cast<double>(f.gpus)),
                  holds ? fmt::format("{:.3g}", usd_per_million(s, f)) : "");
    }
    table.fit();
    say("{}\n80% range: {}\n", table.text("  "), serving_evidence_words(s, ServingMeasure::rate));
}

} // namespace

int run_serving_search(const SearchOptions& o, const Presets& presets, Scenario scenario)
{
    if (scenario.serving == nullptr)
    {
        end_with({{"serving", "is not in the scenario", "add \"serving\": {\"engine\": \"vllm\"}"}});
    }
    scenario = with_objective(scenario, o);
    const ServingSearch found = search_serving(scenario);
    const auto top = static_cast<std::size_t>(o.top);
    if (o.json)
    {
        json layouts = json::array();
        for (std::size_t i = 0; i < std::min(top, found.best.size()); ++i)
        {
            layouts.push_back(candidate_json(scenario, found.best[i]));
        }
        print_document({{"tried", found.tried},
                        {"fit", found.fit},
                        {"serving", serving_json(*scenario.serving, presets)},
                        {"layouts", layouts},
                        {"evidence", serving_evidence_words(scenario, ServingMeasure::rate)}});
    }
    else
    {
        print_serving_search(scenario, found, top);
    }
    return !found.best.empty() && found.best.front().goodput > 0 ? kDone : kNo;
}

} // namespace ringside
