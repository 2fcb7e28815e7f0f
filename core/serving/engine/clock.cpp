#include "core/serving/engine/clock.h"

#include "core/base/ranges.h"
#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/serving/wide_experts.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kReducedBytes = 2; // of an activation

// [FLOP/s] at which products of weights stored so run. MXFP4 multiplies 8-bit activations where the
// accelerator has 4-bit products (TensorRT-LLM's W4A8_MXFP4_MXFP8), 16-bit ones elsewhere.
double product_peak(const Gpu& gpu, StorePrecision stored)
{
    const bool four = gpu.fp4_tflops > 0;
    const double eight = gpu.fp8_tflops > 0 ? gpu.fp8_tflops : gpu.bf16_tflops;
    const double tflops = stored == StorePrecision::fp8             ? eight
                          : stored == StorePrecision::nvfp4 && four ? gpu.fp4_tflops
                          : stored == StorePrecision::mxfp4 && four ? eight
                                                                    : gpu.bf16_tflops;
    return tflops * 1e12;
}

// Whether activations are quantized before such products.
bool reads_quantized(const Gpu& gpu, StorePrecision stored)
{
    return product_peak(gpu, stored) > gpu.bf16_tflops * 1e12;
}

Parallel attention_group(const ServingLayout& layout)
{
    Parallel p;
    p.tensor = layout.tensor;
    return p;
}

double local_sum(const std::vector<Weight>& weights)
{
    return sum_over(weights, [](const Weight& w) { return real(w.local_elements()); });
}

// [s] that multiplying takes beyond reading the weights.
double beyond_reading(double read, double multiply, double power)
{
    const double longer = std::max(read, multiply);
    const double ratio = longer > 0 ? std::min(read, multiply) / longer : 0;
    return longer * std::pow(1 + std::pow(ratio, power), 1 / power) - read;
}

} // namespace

double layer_kernels(const Model& m, std::int64_t layer, bool dense_quantized, bool experts_quantized)
{
    constexpr double kAttention = 7; // two norms, two products, rotation, cache write, attention
    constexpr double kLatent = 13;   // more: projections down and up, their norms, absorbed products, copies
    constexpr double kMlp = 3;       // two products, activation
    constexpr double kRouted = 8;    // router, top k, permutation (2), two products, activation, sum
    constexpr double kShared = 4;    // two products, activation, sum
    const bool routed = has_experts(m, layer);
    const bool shared = routed && m.shared_experts > 0;
    const double dense = kAttention + (m.attention == Attention::mla ? kLatent : 0) + (routed ? 0 : kMlp) +
                         (shared ? kShared : 0);
    const double dense_inputs = routed && !shared ? 2 : 4;
    return dense + (dense_quantized ? dense_inputs : 0) +
           (routed ? kRouted + (experts_quantized ? 2 : 0) : 0);
}

double expert_imbalance(double spread, double experts, double gpus)
{
    constexpr double kMost = 2.54; // what balancing gained in decoding on 72 GPUs (lmsys.org, 2025-05-05)
    return gpus > 1 && experts > 0
               ? std::min(kMost, 1 + spread * std::sqrt(2 * std::log(gpus) * gpus / experts))
               : 1;
}

EngineClock::EngineClock(const Scenario& scenario, const Serving& serving, const ServingLayout& layout)
    : engine_(serving.engine), layout_(layout), scenario_(scenario)
{
    Model& m = scenario_.model;
    m.mtp_layers = 0; // what drafts is the speculation's
    scenario_.serving = nullptr;
    const Gpu& gpu = scenario.cluster.gpu;
    layers_ = real(m.layers);
    routed_ = sum_over(m.layers, [&](std::int64_t i) { return has_experts(m, i) ? 1.0 : 0.0; });
    graphs_ = serving.cuda_graphs;
    const bool dense_quantized = reads_quantized(gpu, serving.rest);
    const bool experts_quantized = reads_quantized(gpu, serving.experts);
    kernels_ = sum_over(m.layers, [&](std::int64_t i)
                        { return layer_kernels(m, i, dense_quantized, experts_quantized); });
    two_batch_ = serving.two_batch && layout.data > 1;
    const bool dealt = serving.imbalance < 1 && serving.redundant_experts == 0;
    imbalance_ = dealt ? expert_imbalance(engine_.expert_spread, real(m.experts), real(layout.expert))
                       : std::max(1.0, serving.imbalance);
    hidden_ = real(m.hidden);
    const auto reached = [&](StorePrecision stored)
    {
        const bool widened = stored_bits(stored) < 16 && !reads_quantized(gpu, stored);
        return product_peak(gpu, stored) * engine_.products * (widened ? engine_.widened : 1);
    };
    dense_peak_ = reached(serving.rest);
    const double columns = real(m.expert_ffn > 0 ? m.expert_ffn : m.ffn); // of an expert on one GPU
    const double width = columns * real(layout.expert) / real(layout.tensor * layout.data);
    expert_peak_ = reached(serving.experts) * engine_.grouped * width / (width + engine_.grouped_width);
    attention_peak_ = gpu.bf16_tflops * 1e12 * engine_.attention * real(layout.tensor);
    memory_rate_ = gpu.hbm_gb_per_s * 1e9;
    const bool narrow = stored_bits(serving.kv_cache) < 16;
    kv_number_ = stored_bits(serving.kv_cache) / 8;
    kv_rate_ = memory_rate_ * (narrow ? engine_.kv8_bandwidth : engine_.kv_bandwidth);
    const bool leaves = layout.tensor > scenario.cluster.gpus_per_node;
    link_rate_ =
        engine_.link * 1e9 * (leaves ? scenario.cluster.network_gb_per_s : node_link(scenario.cluster));
    wide_.gpus = layout.tensor;
    wide_.ranks = layout.data;
    wide_.redundant = serving.redundant_experts;
    wide_.eight_bit = experts_quantized;
    wide_.imbalance = imbalance_;
    shape_ = cache_shape(m, layout.tensor);
    const double heads = shape_.latent ? 1 : std::max(1.0, std::floor(shape_.kv_heads / shape_.ranks));
    sequence_start_ =
        layers_ * heads * engine_.kv_start_us * 1e-6 / std::max(1.0, gpu.calibration.multiprocessors);
    count_weights(scenario_, serving);
    find_room(scenario_, serving);
}

void EngineClock::count_weights(const Scenario& scenario, const Serving& serving)
{
    const Model& m = scenario.model;
    const Parallel group = attention_group(layout_);
    const StageWeights held = stage_weights(m, group, Placement::loop).front();
    const double looked_up = m.tied_embeddings ? 0 : local_sum(embedding_weights(m, group));
    const double all = real(held.expert); // of the whole model: no axis of the group cuts them
    const double ranks = real(layout_.tensor * layout_.data);
    const double dense_each = stored_bits(serving.rest) / 8;
    const double expert_each = stored_bits(serving.experts) / 8;
    experts_ = real(m.experts);
    visited_ = m.experts > 0 ? real(m.experts_per_token) / experts_ : 1;
    const double slots = m.experts > 0 ? 1 + real(serving.redundant_experts) / experts_ : 1;
    dense_bytes_ = dense_each * (real(held.dense) - looked_up);
    expert_bytes_ = expert_each * all * slots / ranks;
    weight_bytes_ = std::ceil((dense_each * real(held.dense) + expert_bytes_) / real(layout_.pipeline));
    const ComputeReport c = compute_report(scenario);
    const double sparse = 2 * all * visited_;
    dense_flops_ = (c.products_token.value - sparse) / real(layout_.tensor);
    head_flops_ = c.head_token.value / real(layout_.tensor);
    expert_flops_ = m.experts > 0 ? 2 * all / experts_ / ranks : 0;
}

// Tokens of one attention replica. A pipeline's stages hold the cache of as many of those as there are
// stages.
void EngineClock::find_room(const Scenario& scenario, const Serving& serving)
{
    const double device = scenario.cluster.gpu.memory_gb * 1e9;
    const double workspace = engine_.workspace_gb * 1e9;
    const double fraction = serving.memory_fraction > 0 ? serving.memory_fraction : engine_.memory_fraction;
    const double left = engine_.room == RoomRule::of_all ? fraction * device - weight_bytes_ - workspace
                                                         : fraction * (device - weight_bytes_ - workspace);
    token_bytes_ = kv_number_ * shape_.over_layers([&](const AttentionLayers& a)
                                                   { return a.here(a.token_numbers(), 0, shape_.ranks); });
    // Windows and states take the same for every request; what a mean one holds stands for all.
    const double mean = real(serving.traffic.prompt) + real(serving.traffic.output) / 2;
    const double each = std::max(kv_number_ * shape_.local(mean) / mean, 1e-9);
    room_ = left / each;
}

double EngineClock::read(double tokens) const
{
    return kv_number_ *
           shape_.over_layers([&](const AttentionLayers& a) { return shape_.local_read(a, tokens); });
}

double EngineClock::prompt_flops(std::span<const PromptPiece> prompts) const
{
    const LayerKeys full;
    double flops = 0;
    for (const PromptPiece& piece : prompts)
    {
        const double all = piece.before + piece.tokens;
        const double pairs = full.attended_by_all(all) - full.attended_by_all(piece.before);
        flops += shape_.over_layers(
            [&](const AttentionLayers& a)
            {
                const double keys = a.keys.attended_by_all(all) - a.keys.attended_by_all(piece.before);
                return a.key_flops * keys + a.index_flops * pairs / a.keys.every +
                       a.state_flops * piece.tokens;
            });
    }
    return flops;
}

double EngineClock::reduce(double tokens) const
{
    const double t = real(layout_.tensor);
    if (t <= 1)
    {
        return 0;
    }
    const double count = 2 * layers_ - (layout_.data > 1 ? routed_ : 0);
    return count *
           (engine_.reduce_us * 1e-6 + 2 * (t - 1) / t * kReducedBytes * tokens * hidden_ / link_rate_);
}

double EngineClock::exchange(double tokens, bool prompts) const
{
    return layout_.data > 1 && routed_ > 0
               ? routed_ * exchange_seconds(scenario_, wide_, tokens, prompts, two_batch_)
               : 0;
}

// What the host needs to launch all kernels where no graph is replayed, or what lies between the pieces of
// one.
double EngineClock::launched(double tokens, bool prompts) const
{
    constexpr double kBetweenPieces = 2; // of a layer
    const bool eager = (prompts && tokens > engine_.graph_tokens) || !graphs_;
    const double launches = eager ? kernels_ : prompts ? kBetweenPieces * layers_ : 0;
    return launches * engine_.eager_kernel_us * 1e-6;
}

EngineTime EngineClock::time(const EngineWork& work) const
{
    EngineTime t;
    double prompt = 0;
    double ends = 0;
    double before = 0;
    for (const PromptPiece& piece : work.prompts)
    {
        prompt += piece.tokens;
        ends += piece.last ? 1 : 0;
        before += piece.before > 0 ? kv_number_ * shape_.local(piece.before) : 0;
    }
    const double decoded = work.decoding * (1 + work.drafted);
    const double tokens = decoded + prompt;
    const bool halves = two_batch_ && tokens > 1; // each reads the weights
    multiply(t, tokens, decoded + ends, std::max(tokens, work.everywhere), halves ? 2 : 1);
    t.compute *= halves && prompt > 0 ? kOverlappedKernels : 1;
    t.compute += prompt_flops(work.prompts) / attention_peak_;
    const double scored =
        decoded * shape_.over_layers([&](const AttentionLayers& a) { return a.decoded(work.context); }) /
        attention_peak_;
    const double reading = (work.decoding * read(work.context) + before) / kv_rate_;
    t.kv = std::max(reading + work.decoding * sequence_start_, scored);
    t.reduce = reduce(tokens);
    t.host = (engine_.step_us + engine_.request_us * (work.decoding + real(std::ssize(work.prompts)))) * 1e-6;
    t.launch = (halves ? 2 : 1) * kernels_ * engine_.kernel_us * 1e-6;
    const double kernels = t.weights + t.kv + t.compute + t.launch;
    const double travel = exchange(tokens, prompt > 0);
    t.exchange = halves ? std::max(0.0, travel - kernels) : travel;
    const double floor = launched(tokens, prompt > 0);
    t.launch += std::max(0.0, floor - (kernels + t.reduce + t.exchange));
    return t;
}

// Reading the weights and what products take beyond it: of a replica's tokens and those that need the output
// projection, and of every rank's in the experts; in one batch or two halves.
void EngineClock::multiply(EngineTime& t, double tokens, double projected, double everywhere,
                           double turns) const
{
    const double rate = memory_rate_ * engine_.weight_bandwidth;
    const double wanted = visited_ >= 1 ? 1 : 1 - std::pow(1 - visited_, everywhere / turns);
    const double dense_read = turns * dense_bytes_ / rate;
    const double expert_read = turns * wanted * expert_bytes_ / rate;
    const double dense = (tokens * dense_flops_ + projected * head_flops_) / dense_peak_;
    const double rows = everywhere * visited_ * experts_ + turns * wanted * experts_ * engine_.grouped_rows;
    const double expert = imbalance_ * expert_flops_ * rows / expert_peak_;
    t.weights = dense_read + expert_read;
    t.compute = beyond_reading(dense_read, dense, engine_.overlap) +
                (experts_ > 0 ? beyond_reading(expert_read, expert, engine_.overlap) : 0);
}

} // namespace ringside
