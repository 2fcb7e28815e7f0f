// Serving under load: requests that arrive by chance, the iterations of the engines that take them, and how
// long each waits for its first token (TTFT) and then for every other (TPOT).
//
// Arrivals are a Poisson process, prompts and answers lognormal; both are the same numbers for one setup,
// scaled by the rate, so that a curve over rates is smooth. Requests are dealt to the engines, and to the
// attention replicas of each, in turn, so that all are alike and one is followed. They wait in one queue,
// first come first served, and stay until all their tokens are there: memory is held for all of a request's
// tokens, and nothing is preempted. An iteration is the roofline of serving.h over the share of it that is
// reached, and the host's part. The first third of the requests meets an engine that is still filling up and
// is not counted.
//
// Three ways to mix prefill with decoding:
//   prefill_first   a waiting prompt stops all decoding until it is done (vLLM in 2023; Yu et al., Orca)
//   chunked         an iteration has room for `budget` tokens: every sequence's next one, and a piece of the
//                   prompt that waits (Agrawal et al., Sarathi-Serve, arXiv 2403.02310)
//   disaggregated   engines of their own for prefill; the KV cache moves over (Zhong et al., DistServe,
//                   arXiv 2401.09670)
//
// DistServe's example (OPT-13B on A100, 512 + 64 tokens, p90 TTFT 0.4 s and TPOT 0.04 s): two constants
// fitted to what one GPU holds that does both (1.6 requests/s) or only prefills (5.6), two GPUs that prefill
// and one that decodes come out 36% above the 10 measured (tests/core/serving/load_test.cpp). Published
// figures of newer engines under load are not held against it.
#pragma once

#include "core/base/names.h"
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
    double peak_reached = 0.6;      // of the roofline's compute, on an H100; see reached_peak
    double memory_reached = 0.95;   // of its bandwidth, as core/evaluate/rollout.h has it
    double host_seconds = 0.5e-3;   // of every iteration

    bool operator==(const LoadSetup&) const = default;
};

// Products reach less of their peak on some accelerators: in training 70% on an H100, about 50% on Blackwell
// and MI300X (Calibration::gemm_efficiency). Of the roofline's compute serving then reaches as much less.
inline constexpr double kHopperProducts = 0.703;
double reached_peak(const Scenario& scenario, const LoadSetup& setup);

// Times in seconds since the first request could have come.
struct ServedRequest
{
    std::int64_t prompt = 1; // tokens
    std::int64_t answer = 1;
    double arrival = 0;
    double start = 0; // of its prefill
    double moved = 0; // [s] of its KV cache to another engine, right before
    double first = 0; // token, and with it decoding
    double end = 0;

    double ttft() const { return first - arrival; }
    double tpot() const { return answer > 1 ? (end - first) / static_cast<double>(answer - 1) : 0; }
};

// An iteration of an engine, or steps of decoding during which nothing else happens.
struct EnginePass
{
    double start = 0;
    double end = 0;
    double decoding = 0; // sequences
    double prompt = 0;   // tokens of prompts
};

struct LoadReport
{
    LoadSetup setup; // brought into its ranges
    std::int64_t gpus = 1;
    std::vector<ServedRequest> requests;    // of one attention replica, by arrival; empty: not one fits
    std::vector<EnginePass> passes;         // of that engine
    std::vector<EnginePass> prefill_passes; // of one that only prefills
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
