// Which layout serves a scenario's requests best: every way to put its model on its GPUs, judged by the
// request rate that its objective allows on all of them (goodput), simulated with the scenario's own engine,
// precisions, lengths and scheduler (core/serving/engine).
//
// Searched: tensor parallelism, attention replicas that share experts, pipeline stages where nothing smaller
// holds the model, and as many replicas as GPUs are left. Prefill on engines of its own and precisions stay
// as the scenario has them. Requests come by chance (Poisson) at the rate that is looked for, whatever the
// scenario's traffic says of arrivals.
#pragma once

#include "core/evaluate/serving_figures.h"
#include "core/scenario/serving.h"

#include <vector>

namespace ringside
{

struct ServingCandidate
{
    ServingLayout layout;
    double goodput = 0;     // [1/s] requests of all GPUs within the objective; 0: no rate is
    ServingFigures figures; // at that rate, requests left out; where none is, at a low one
};

struct ServingSearch
{
    std::vector<ServingCandidate> best; // that hold the model, the most goodput first
    std::int64_t tried = 0;
    std::int64_t fit = 0;
};

// Layouts of a replica and how many of them the cluster has room for. The scenario must be valid and describe
// its serving.
std::vector<ServingLayout> serving_layouts(const Scenario& scenario);
ServingSearch search_serving(const Scenario& scenario);
// [1/s] at which the objective's percentile of the requests is within both objectives, to 3%; 0: at none.
double serving_goodput(const Scenario& scenario);

} // namespace ringside
