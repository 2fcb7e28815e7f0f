// How long one iteration of a serving engine takes: the kernels and gaps of its layers, weights and cache at
// the bandwidths that reading them reaches, products, all-reduces, the exchange of experts' tokens and the
// host. The constants are the engine's (core/scenario/serving.h); with those of `bound` it is the roofline of
// core/serving/serving.h.
//
// Weights are read while they are multiplied: of both times the norm with the power `overlap` counts, which
// is little more than the longer one; the rest adds up. Each expert that any token wants is read, 1 - (1 -
// k/E)^b of them, and its product takes as long as if it had `grouped_rows` more rows (tiles are padded for
// every expert) and each row `grouped_width` more columns (narrow experts leave tiles empty); attention gives
// every sequence and head of the cache to one of the multiprocessors, where it takes `kv_start_us` to begin.
// All-reduces carry 16-bit activations in a ring. With two half batches experts' tokens travel while the
// other half computes.
//
// Kernels are counted by what a layer runs (layer_kernels). Replayed as a graph each takes kernel_us beside
// its work; an iteration of more than `graph_tokens` tokens with prompts has no graph and takes at least the
// host's eager_kernel_us for each: that, not its products, is what the first token of a short prompt waits
// for. Up to there it replays piecewise graphs (vLLM's cudagraph_mode FULL_AND_PIECEWISE): two launches for a
// layer, its attention and the piece after it.
//
// Where nobody balances experts, the busiest of n GPUs has 1 + s sqrt(2 ln n) of the mean's tokens: s is the
// engine's `expert_spread` over the root of the experts on one (the largest of n normal deviates). At most
// 2.54, what EPLB gained on 72 GPUs; fitted on 2 to 8.
#pragma once

#include "core/scenario/scenario.h"
#include "core/scenario/serving.h"
#include "core/serving/cache.h"
#include "core/serving/serving.h"

#include <span>
#include <vector>

namespace ringside
{

// [s] The parts add up.
struct EngineTime
{
    double weights = 0;  // read
    double kv = 0;       // read
    double compute = 0;  // products beyond what reading their weights takes, and attention of prompts
    double launch = 0;   // kernels' starts and gaps, or the host where it launches
    double reduce = 0;   // all-reduces
    double exchange = 0; // experts' tokens
    double host = 0;     // sampling, scheduler, drafts

    double total() const { return weights + kv + compute + launch + reduce + exchange + host; }
};

// Tokens of the busiest of `gpus` GPUs' experts over the mean.
double expert_imbalance(double spread, double experts, double gpus);

// What the slowest attention replica computes, and all of them together.
struct EngineWork
{
    double decoding = 0; // sequences
    double context = 0;  // mean tokens in the cache of each
    double drafted = 0;  // tokens checked for each beside its next one
    std::span<const PromptPiece> prompts = {};
    double everywhere = 0; // tokens of all replicas; less than this one's: this one's
};

// Kernels of one layer in vLLM's and SGLang's models (vllm/model_executor/models/llama.py, gpt_oss.py;
// python/sglang/srt/models/deepseek_v2.py: 32 with latent attention, routed and shared experts), without
// communication; quantizing what a product of fewer bits reads is one more for each.
double layer_kernels(const Model& model, std::int64_t layer, bool dense_quantized, bool experts_quantized);

class EngineClock
{
public:
    // The scenario must be valid, its serving included; both are looked at only here.
    EngineClock(const Scenario& scenario, const Serving& serving, const ServingLayout& layout);

    EngineTime time(const EngineWork& work) const;

    Bytes weights() const { return Bytes(weight_bytes_); } // of one GPU
    Bytes token() const { return Bytes(token_bytes_); }    // of one GPU, in the cache of all stages
    double room() const { return room_; } // [tokens] of the cache of one attention replica; below 0: none

private:
    void count_weights(const Scenario& scenario, const Serving& serving);
    void find_room(const Scenario& scenario, const Serving& serving);
    double read(double tokens) const; // [B] of the cache of one sequence, by a decoding step
    double prompt_flops(std::span<const PromptPiece> prompts) const;
    void multiply(EngineTime& time, double tokens, double projected, double everywhere, double turns) const;
    double reduce(double tokens) const;
    double exchange(double tokens, bool prompts) const;
    double launched(double tokens, bool prompts) const;

    ServingEngine engine_;
    ServingLayout layout_;
    Scenario scenario_; // for the exchange
    ServingSetup wide_;
    CacheShape shape_;
    double layers_ = 0;
    double routed_ = 0;  // layers with experts
    double kernels_ = 0; // of an iteration, communication left out
    bool graphs_ = true;
    double dense_bytes_ = 0; // of one GPU, read by every iteration
    double expert_bytes_ = 0;
    double weight_bytes_ = 0;
    double visited_ = 1; // share of the experts that a token visits
    double experts_ = 0;
    double dense_flops_ = 0; // of one token, on one GPU
    double head_flops_ = 0;
    double expert_flops_ = 0; // of a token's copy in one expert, all layers
    double dense_peak_ = 1;   // [FLOP/s] reached
    double expert_peak_ = 1;
    double attention_peak_ = 1;
    double memory_rate_ = 1;    // [B/s] data sheet
    double kv_rate_ = 1;        // [B/s] reached
    double kv_number_ = 2;      // [B]
    double sequence_start_ = 0; // [s] of a sequence's attention in all layers, before its cache streams
    double link_rate_ = 1;      // [B/s] reached
    double hidden_ = 0;
    double imbalance_ = 1;
    double token_bytes_ = 0;
    double room_ = 0;
    bool two_batch_ = false;
};

} // namespace ringside
