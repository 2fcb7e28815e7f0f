// Serving under load: requests that arrive by chance, the engines that take them (core/serving/engine), and
// how long each waits for its first token (TTFT) and then for every other (TPOT).
//
// Arrivals are a Poisson process, prompts and answers lognormal; both are the same numbers for one setup,
// scaled by the rate, so that a curve over rates is smooth. Engines, and the attention replicas of each, are
// alike, so one is followed: of the requests it gets every so many-th. An iteration takes what the engine's
// clock says (core/serving/engine/clock.h), of vLLM where nothing else is said; with the constants of `bound`
// it is the roofline. The first third of the requests meets an engine that is still filling up and is not
// counted. What no engine has room for is cut off.
//
// Three ways to mix prefill with decoding:
//   prefill_first   a waiting prompt stops all decoding until it is done (vLLM in 2023; Yu et al., Orca)
//   chunked         an iteration has room for `budget` tokens: every sequence's next one, and a piece of the
//                   prompt that waits (Agrawal et al., Sarathi-Serve, arXiv 2403.02310)
//   disaggregated   engines of their own for prefill; the KV cache moves over (Zhong et al., DistServe,
//                   arXiv 2401.09670)
#pragma once

#include "core/base/names.h"
#include "core/scenario/serving.h"
#include "core/serving/engine/simulation.h"
#include "core/serving/serving.h"

#include <vector>

namespace ringside
{

enum class ServingSystem : std::uint8_t
{
    prefill_first,
    chunked,
    disaggregated
};
template <>
inline constexpr auto kNamesOf<ServingSystem> = names<ServingSystem>("prefill-prioritized", "chunked prefill",
                                                                     "disaggregated");

// A tensor group of as many GPUs as hold the weights and one request, where fewer were asked for.
ServingSetup holding_setup(const Scenario& scenario, const ServingSetup& asked);

struct LoadSetup
{
    ServingSetup engine; // GPUs, bits, experts, and the mean tokens of prompts and answers
    ServingSystem system = ServingSystem::chunked;
    double rate = 4;                // requests/s at all engines together; above 0
    std::int64_t requests = 600;    // of one engine that are followed, 1 to 20,000; more where rates are high
    std::int64_t engines = 1;       // that decode, 1 to 64
    std::int64_t prefill = 1;       // that prefill only, where disaggregated
    std::int64_t prefill_ranks = 1; // attention replicas of each of those, which share one set of experts
    double spread = 0.5;            // sigma of the lengths' logarithms, 0 to 2
    double cached = 0;              // share of a prompt that the prefix cache has, 0 to 1
    std::int64_t budget = 2048;     // tokens of an iteration, where prefill is chunked
    std::int64_t drafted = 0;       // tokens drafted for every sequence and step, see speculation.h
    double accepted = 0.7;          // of drafts, 0 to 1
    double draft_cost = 0.02;       // time of one draft, of a decoding step's
    double first_token = 0.5;       // [s] objective for the TTFT of 90% of the requests
    double each_token = 0.05;       // [s] for their TPOT
    ServingEngine software;         // what an iteration takes

    bool operator==(const LoadSetup&) const = default;
};

// The engine that a scenario's serving names; where it describes none, vLLM.
ServingEngine serving_engine(const Scenario& scenario);
// What runs the setup: engine, precisions, layout, budget and scheduler.
Serving serving_of(const Scenario& scenario, const LoadSetup& setup);

struct LoadReport
{
    LoadSetup setup; // brought into its ranges
    std::int64_t gpus = 1;
    std::vector<EngineRequest> requests;    // of one attention replica, by arrival; empty: not one fits
    std::vector<EngineStep> passes;         // of that replica
    std::vector<EngineStep> prefill_passes; // of one that only prefills
    double ttft_50 = 0;
    double ttft_90 = 0;
    double tpot_50 = 0;
    double tpot_90 = 0;
    double attained = 0; // share of the requests within both objectives
    double seconds = 0;  // until the last one is answered

    bool fits() const { return !requests.empty(); }
    // 90% of the requests within each objective.
    bool holds() const { return fits() && ttft_90 <= setup.first_token && tpot_90 <= setup.each_token; }
};

// The scenario must be valid; it gives model, GPU and links.
LoadReport serve(const Scenario& scenario, LoadSetup setup);

// Reports of the load at each of these rates.
std::vector<LoadReport> serve_at(const Scenario& scenario, const LoadSetup& setup,
                                 const std::vector<double>& rates);

// The largest rate [requests/s] whose 90th percentiles are within both objectives, to 1%; 0: none is.
double goodput(const Scenario& scenario, const LoadSetup& setup);

// [s] of a mean request that has an engine for itself.
double request_seconds(const Scenario& scenario, const LoadSetup& setup);

// [s] mean wait of a queue with one server whose every job takes `service` and comes by chance, the job
// itself included; infinite where more comes than can be served (M/D/1, Pollaczek and Khinchine).
double md1_seconds(double rate, double service);

// [s] until the KV cache of `tokens` has moved to another engine: every GPU sends its part through its own
// network card.
double cache_transfer_seconds(const Scenario& scenario, const ServingSetup& setup, double tokens);

} // namespace ringside
