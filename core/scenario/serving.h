// How a model is served: engine, precisions, layout, traffic and objective, as vLLM, SGLang and TensorRT-LLM
// name them. The `serving` object of a scenario; training's layout has no part in it.
#pragma once

#include "core/base/names.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ringside
{

// What weights and the cache are stored in. Products of weights in 8 bits run at the accelerator's rate for 8
// bits, of 4-bit floating point at that for 4 where it has one; integers are widened to 16 bits first.
enum class StorePrecision : std::uint8_t
{
    bf16,
    fp8,
    nvfp4,
    mxfp4,
    int8,
    int4
};
template <>
inline constexpr auto kNamesOf<StorePrecision> = names<StorePrecision>("bf16", "fp8", "nvfp4", "mxfp4",
                                                                       "int8", "int4");
// Bits of a number with its scales: one of 8 bits for 16 numbers (NVFP4) or 32 (MXFP4), of 16 for 128.
double stored_bits(StorePrecision precision);

enum class BatchScheduler : std::uint8_t
{
    mixed,        // an iteration decodes and computes pieces of prompts (vLLM V1, TensorRT-LLM's in-flight)
    prefill_first // a waiting prompt stops decoding (SGLang without --enable-mixed-chunk)
};
template <>
inline constexpr auto kNamesOf<BatchScheduler> = names<BatchScheduler>("mixed", "prefill-first");

// How memory is promised to a request.
enum class Admission : std::uint8_t
{
    preempting, // its prompt's blocks only; when none are left the youngest is computed again (vLLM, SGLang)
    reserving   // all of its tokens' (TensorRT-LLM's GUARANTEED_NO_EVICT)
};
template <>
inline constexpr auto kNamesOf<Admission> = names<Admission>("preempting", "reserving");

// What memory_fraction is a share of.
enum class RoomRule : std::uint8_t
{
    of_all, // the GPU's memory: weights and workspace are part of it
    of_free // what weights and workspace leave free
};
template <>
inline constexpr auto kNamesOf<RoomRule> = names<RoomRule>("of-all", "of-free");

// A serving engine's constants. Those of a preset stand in assets/engines, each with its source; these are
// vLLM's.
struct ServingEngine
{
    std::string id = "vllm"; // of the preset this came from
    std::string name = "vLLM";
    // What an iteration takes beside reading and multiplying; how many kernels a layer has follows from the
    // model (core/serving/engine/clock.h).
    double kernel_us = 1.85;         // [us] of a kernel in a replayed graph: its start, the gap before it
    double eager_kernel_us = 79.2;   // [us] the host takes to launch one without a graph
    double reduce_us = 19.7;         // [us] an all-reduce before its first byte
    double step_us = 391;            // [us] of an iteration: sampling, embedding, scheduler
    double request_us = 3.22;        // [us] for each sequence in it
    double weight_bandwidth = 0.897; // share of the memory's that reading weights reaches
    double kv_bandwidth = 0.584;     // the same of keys and values of 16 bits
    double kv8_bandwidth = 0.583;    // of 8 bits
    double kv_start_us = 6.8;        // [us] of a multiprocessor before one head of a sequence's cache streams
    double products = 0.735;         // share of the dense peak that products of many rows reach
    double grouped = 0.548;          // of `products`, what experts' reach where rows abound
    double grouped_rows = 17.9;      // [rows] more that each expert's product takes as long as
    double grouped_width = 472;      // [columns] more of an expert on a GPU that it takes as long as
    double expert_spread = 2.21;     // coefficient of variation of the tokens that experts get
    double widened = 0.715;          // of `products`, where stored integers or 4 bits are widened to 16 first
    double overlap = 3;              // power p of (read^p + multiply^p)^(1/p); large: the longer of the two
    double attention = 0.741;        // share of the 16-bit peak that attention reaches
    double link = 0.473;             // share of the link's rate that all-reduces of many bytes reach
    double prompt_ms = 17.8;         // [ms] of a request beside the engine's iterations, to its first token
    double token_us = 2.66;          // [us] for each of its prompt's tokens: text to tokens
    double graph_tokens = 512;       // an iteration with prompts of more tokens is launched kernel by kernel
    double memory_fraction = 0.9;    // of what `room` says
    double workspace_gb = 4;         // [GB] activations, graphs, libraries
    std::int64_t max_num_seqs = 1024;
    std::int64_t max_num_batched_tokens = 8192;
    std::int64_t scheduler_recv_interval = 1; // [decoding steps] between looks for new requests
    std::int64_t balance_iters = 0; // that a prompt waits until every attention replica has one; 0: none
    bool plans_ahead = true;        // an iteration is chosen when the one before it begins
    bool chunked_prefill = true;    // prompts are split where they fill an iteration
    BatchScheduler scheduler = BatchScheduler::mixed;
    Admission admission = Admission::preempting;
    RoomRule room = RoomRule::of_all;

    bool operator==(const ServingEngine&) const = default;
};

struct ServingEnginePreset
{
    ServingEngine engine;
    std::string release; // what it stands for, "0.9 to 0.15"
    std::vector<std::string> sources;
};

// The factor between a figure and what was measured, as the rows of models that no constant had seen gave it.
struct ServingBand
{
    double low = 0.6;
    double high = 1.7;
    std::int64_t rows = 0;
    std::int64_t models = 0;
    double median = 0;   // of those rows' absolute errors
    double coverage = 0; // share of those rows inside

    bool operator==(const ServingBand&) const = default;
};

// Models and accelerators that were measured with an engine.
struct ServedKind
{
    std::string engine;
    std::string model;
    std::string gpu;
    std::int64_t rows = 0;

    bool operator==(const ServedKind&) const = default;
};

struct ServingEvidence
{
    ServingBand tpot;
    ServingBand ttft;
    ServingBand rate; // tokens/s
    std::vector<ServedKind> kinds;
    // By set, in the order of its rows, three for each (TPOT, TTFT, tokens/s): computed over measured, made
    // without the row's model; 0: not measured.
    std::map<std::string, std::vector<double>> left_out;
};

struct ServingPresets
{
    std::vector<ServingEnginePreset> engines; // by id
    ServingEvidence evidence;
};

enum class Arrivals : std::uint8_t
{
    rate,        // gamma-distributed gaps, a Poisson process where burstiness is 1
    concurrency, // a closed loop: so many wait at any time, the next comes when one is answered
    burst,       // all at once
    trace        // as a file has them
};

struct ServingTraffic
{
    std::int64_t prompt = 1024;
    std::int64_t output = 1024;
    double length_ratio = 1; // lengths are uniform from this share of the stated ones up to them; 0 to 1
    double spread = 0;       // or lognormal with this sigma and the stated means; 0 to 2
    double rate = 0;         // [1/s] of requests; exactly one of the four
    double burstiness = 1;   // shape of the gaps' gamma distribution, 0.1 to 10; 1: Poisson
    std::int64_t concurrency = 0;
    bool burst = false;
    std::string trace;         // a file of requests
    std::int64_t requests = 0; // that are counted; 0: ten for each that waits, else 1000
    std::int64_t warmup = 0;   // served before, not counted
    double prefix_hit = 0;     // share of the prompts' tokens that the cache has
    std::int64_t seed = 1;

    Arrivals arrivals() const
    {
        return !trace.empty() ? Arrivals::trace
               : burst        ? Arrivals::burst
               : rate > 0     ? Arrivals::rate
                              : Arrivals::concurrency;
    }
    bool operator==(const ServingTraffic&) const = default;
};

struct ServingObjective
{
    double ttft_s = 2;
    double tpot_s = 0.05;
    double percentile = 90; // of requests that must hold both

    bool operator==(const ServingObjective&) const = default;
};

// A replica's GPUs: of so many tensor-parallel ranks in each of `pipeline` stages, `data` attention replicas
// of those, whose experts are dealt over `expert` ranks.
struct ServingLayout
{
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t data = 1;
    std::int64_t expert = 1;
    std::int64_t replicas = 1;

    std::int64_t gpus() const { return tensor * pipeline * data; } // of one replica
    bool operator==(const ServingLayout&) const = default;
};

struct ServingSpeculation
{
    std::int64_t tokens = 0; // drafted a step
    double acceptance = 0.7;
    double cost = 0.05; // of one draft, in decoding steps

    bool operator==(const ServingSpeculation&) const = default;
};

struct Serving
{
    ServingEngine engine;
    StorePrecision experts = StorePrecision::bf16;
    StorePrecision rest = StorePrecision::bf16;
    StorePrecision kv_cache = StorePrecision::bf16;
    ServingLayout layout;
    bool disaggregated = false;
    ServingLayout prefill;         // of the engines that only prefill
    double kv_link_gb_per_s = 0;   // [GB/s] one-way per GPU that the cache moves over; 0: the network's
    std::int64_t max_num_seqs = 0; // of an attention replica; 0: the engine's
    std::int64_t max_num_batched_tokens = 0; // 0: the engine's
    double memory_fraction = 0;              // 0: the engine's
    BatchScheduler scheduler = BatchScheduler::mixed;
    bool cuda_graphs = true;
    ServingTraffic traffic;
    ServingObjective objective;
    ServingSpeculation speculative;
    std::int64_t redundant_experts = 0;
    bool two_batch = false;
    double imbalance = 0; // tokens of the busiest GPU's experts over the mean; 0: of the engine's spread
    std::shared_ptr<const ServingEvidence> evidence; // what its figures were held against; null: nothing

    bool operator==(const Serving&) const;
};

} // namespace ringside
