// What a scenario's `serving` gives: times of requests, throughput, memory and cost, with the bands in which
// models that no constant had seen were held.
#pragma once

#include "core/base/result.h"
#include "core/evaluate/report.h"
#include "core/serving/engine/simulation.h"

#include <string>

namespace ringside
{

// [s] over the requests.
struct RequestTimes
{
    double mean = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
};

struct ServingFigures
{
    RequestTimes ttft;
    RequestTimes tpot;
    RequestTimes e2e;
    std::int64_t gpus = 1;
    std::int64_t requests = 0; // that are counted
    double seconds = 0;        // until the last of them is answered
    // All GPUs together.
    double output_tokens_per_s = 0;
    double input_tokens_per_s = 0;
    double requests_per_s = 0;
    double attained = 0; // share of requests within the objective
    double goodput = 0;  // [1/s] of those
    // A decoding step at the mean batch, in the middle of the answers.
    EngineTime step;
    double batch = 0;
    double kv_tokens = 0;     // of the cache of an attention replica
    double most_requests = 0; // of mean length that it holds
    double prefix_hit = 0;    // share of the prompts' tokens
    double preemptions = 0;
    double usd_per_million = 0; // output tokens
    bool fits = false;
    Bytes weights; // of one GPU
    EngineRun run; // the requests of one engine, or of all where a trace was replayed
};

// The scenario must be valid and describe its serving. A trace's requests are given by the caller, who has
// read the file; without them its traffic is nothing.
ServingFigures serving_figures(const Scenario& scenario, std::vector<EngineRequest> trace = {},
                               bool keep_steps = false);

// The figure that a band belongs to.
enum class ServingMeasure : std::uint8_t
{
    tpot,
    ttft,
    rate
};
// The measured value over the computed one: 80% of the rows of models that the constants had not seen lay
// between; wider by a factor where the scenario's kind of accelerator was never measured.
Band serving_band(const ServingEvidence& evidence, std::string_view engine, const Scenario& scenario,
                  ServingMeasure measure);
// As above, for the engine that the scenario's serving names.
Band serving_band(const Scenario& scenario, ServingMeasure measure);
// What it rests on, in a sentence's part.
std::string serving_evidence_words(const ServingEvidence& evidence, const ServingEngine& engine,
                                   const Scenario& scenario, ServingMeasure measure);
std::string serving_evidence_words(const Scenario& scenario, ServingMeasure measure);

// Metrics of this report: those of every scenario, and of its serving where it describes one, which take the
// place of others of their name.
std::vector<const Metric*> metrics_of(const Report& report);
// By name, whatever the scenario describes.
const Metric* known_metric(std::string_view name);

} // namespace ringside
