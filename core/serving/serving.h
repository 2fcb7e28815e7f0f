// Serving one copy of a model on a tensor group, or on several that share its experts (wide_experts.h): what
// weights and cache take, how many sequences fit, and how long prefill and a decoding step take at least. A
// roofline at the data sheet's rates: kernels, queues and the host are left out, and only one copy is looked
// at.
//
// A bound, not a prediction, with no calibration except the start of an all-reduce. t is the scenario's
// tensor parallelism and the longest request its sequence length; serving.* metrics take a quarter of the
// length as prompt, an eighth as answer and 32 requests. A request holds the blocks of all its tokens (what
// grows while an answer is written is not credited), so nothing is preempted. A step reads all but (1 -
// k/E)^b of the experts, choices being uniform; expert weights are sharded by the group where their width
// divides, else whole experts are distributed. An all-reduce takes the shorter of two ways, a direct
// exchange or a ring. Fewer bits are of storage only, unless products are in FP8; attention's stay 16-bit,
// and scales are left out. The time per token contains b prefills for every answer's length of decoding
// steps. With experts over many GPUs, kernels' starts count too: wide_experts.h says why.
#pragma once

#include "core/base/text/term.h"
#include "core/serving/cache.h"

#include <functional>
#include <vector>

namespace ringside
{

struct ServingSetup
{
    std::int64_t gpus = 1;    // t, of one copy, cut by tensor parallelism
    std::int64_t batch = 32;  // sequences at once, b; of one attention replica
    std::int64_t prompt = 1;  // tokens that come with a request
    std::int64_t output = 1;  // tokens it is answered with
    std::int64_t longest = 1; // tokens the server accepts; what a contiguous cache reserves
    std::int64_t weight_bits = 16;
    std::int64_t cache_bits = 16;
    bool paged = true;      // blocks of 16 tokens; else room for `longest` from the start
    double usable = 0.9;    // share of the GPU for weights and cache; the rest is for the forward pass
                            // (gpu_memory_utilization of vLLM, whose default this is)
    bool eight_bit = false; // products of weights and dispatch in FP8, where the GPU has it
    bool four_bit = false;  // routed experts and their dispatch in NVFP4, attention in FP8, where it has FP4
    // Wide expert parallelism, of a model with experts:
    std::int64_t ranks = 1;     // attention replicas of `gpus` each that share one set of experts
    std::int64_t redundant = 0; // replicas of experts beyond one of each, in a layer
    bool two_batch = false;     // halves of the batch take turns: one computes, the other's tokens travel
    double imbalance = 1;       // tokens of the busiest GPU's experts over the mean

    std::int64_t engine_gpus() const { return gpus * ranks; } // and its expert parallelism
    bool operator==(const ServingSetup&) const = default;
};

// Tokens of a block of the paged cache (Kwon et al., arXiv 2309.06180, section 7.2).
inline constexpr std::int64_t kCacheBlock = 16;

// t is the scenario's tensor parallelism, `longest` its sequence length, of which a quarter is the prompt and
// an eighth the answer; 16 bit, paged, 32 sequences.
ServingSetup serving_setup(const Scenario& scenario);
// Tensor groups of up to 64 that the model's heads, widths and cache can be cut into.
std::vector<std::int64_t> serving_gpus(const Model& model);

// One pass of the whole group, [s]. Memory and compute overlap, all-reduces with neither; dispatch and
// combine only with two half batches, each of which then reads the weights.
struct ServingTime
{
    double memory = 0;
    double compute = 0;
    double reduce = 0; // two all-reduces a layer; with replicas that share experts only where there are none
    double exchange = 0; // dispatch and combine of every layer with experts
    double small = 0;    // starts of kernels and those too small for a roofline; with replicas only
    bool overlapped = false;

    // Seconds where so much of the roofline's compute and bandwidth is reached.
    double total(double peak = 1, double bandwidth = 1) const
    {
        const double kernels =
            (memory / bandwidth > compute / peak ? memory / bandwidth : compute / peak) + small;
        return (!overlapped ? kernels + exchange : kernels > exchange ? kernels : exchange) + reduce;
    }
    bool memory_bound() const { return memory >= compute; }
};

struct ServingReport
{
    ServingSetup setup;
    CacheShape shape;
    // Bytes of one GPU.
    Bytes weights;
    Bytes experts;  // of these, routed experts
    Bytes capacity; // what may be filled
    Bytes device;   // all of it
    Bytes token;    // what one more token adds while no layer's window is full
    Bytes sequence; // held for one request, all its tokens there
    Bytes filled;   // of these, with tokens in
    // The whole model's.
    Bytes model_weights;
    Bytes model_token;
    std::int64_t most = 0; // sequences that fit; 0: not one, or the weights alone are too much
    ServingTime decode;    // one token for every sequence, at half its answer
    ServingTime prefill;   // the prompt of one request
    double balance = 0;    // sequences from which on weights are read faster than multiplied, cache left out

    Bytes cache() const { return static_cast<double>(setup.batch) * sequence; }
    Bytes held() const { return weights + cache(); }
    bool fits() const { return held() <= capacity; }
    double wasted() const; // share of a sequence's bytes with no token in
    // A user's view and the server's, with every sequence's prefill taking its turn between decoding steps:
    double first_token() const { return prefill.total(); } // [s] from the start of its prefill
    double token_seconds() const;                          // [s] between two tokens of one answer, mean
    double tokens_per_second() const; // of answers, all sequences of an attention replica together
    double tokens_per_gpu() const { return tokens_per_second() / static_cast<double>(setup.gpus); }
};

// The scenario must be valid; it gives the model and the cluster. A setup out of range is brought into it.
ServingReport serving_report(const Scenario& scenario, ServingSetup setup);

// What an iteration computes of one prompt.
struct PromptPiece
{
    double before = 0; // tokens that the cache has already
    double tokens = 1;
    bool last = true; // the answer's first token comes with it
};

// One forward pass of an engine; of one attention replica, the others being alike and in step.
struct Iteration
{
    double decoding = 0; // sequences
    double context = 0;  // tokens in the cache of each
    double tokens = 1;   // computed for each; more than one where drafts are checked
    std::vector<PromptPiece> prompts;
};

// How long such a pass takes; model and memory worked out once. Valid without the scenario.
std::function<ServingTime(const Iteration&)> iteration_clock(const Scenario& scenario,
                                                             const ServingSetup& setup);

// Reports of many batches, model and memory worked out once.
std::vector<ServingReport> serving_curve(const Scenario& scenario, const ServingSetup& setup,
                                         const std::vector<std::int64_t>& batches);

// The cache of one sequence of the whole model, with its working; what a decoding step reads, and how long
// that takes.
Term explain_cache(const Scenario& scenario, const ServingReport& report);
Term explain_decode(const Scenario& scenario, const ServingReport& report);

} // namespace ringside
