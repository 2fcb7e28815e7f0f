// The one value everything else is computed from: a model, a cluster, a layout and a training recipe.
// Plain structs that compare and copy; undo, A/B compare and share strings are copies of a Scenario. One
// file, since every topic reads several of its structs.
#pragma once

#include "core/base/names.h"
#include "core/pipeline/schedule.h"
#include "core/scenario/calibration.h"
#include "core/scenario/software.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Attention
{
    mha,
    gqa,
    mla,
    shared_kv // one head of keys that are the values too, low-rank queries, grouped outputs (DeepSeek-V4)
};
template <>
inline constexpr auto kNamesOf<Attention> = names<Attention>("mha", "gqa", "mla", "shared-kv");
// What the tokens of one layer attend to.
enum class LayerAttention
{
    full,   // all tokens before, or a window of them
    sparse, // those that an indexer picks (DSA, DeepSeek-V3.2)
    csa,    // compressed keys that an indexer picks, and a window (DeepSeek-V4)
    hca,    // all heavily compressed keys, and a window (DeepSeek-V4)
    linear, // a state in place of keys (Kimi Delta Attention, arXiv 2510.26692)
    // A state, too. delta: one decay of a head (Gated DeltaNet, arXiv 2412.06464); lightning: a fixed one
    // (MiniMax-01, arXiv 2501.08313); mamba: arXiv 2312.00752; mamba2: arXiv 2405.21060.
    delta,
    lightning,
    mamba,
    mamba2,
    hybrid, // full attention and Mamba-2 side by side, summed (Falcon-H1, arXiv 2507.22448)
    conv,   // a gated convolution over the last tokens (LFM2, arXiv 2511.23404)
    none    // no attention: the layer is an MLP
};
template <>
inline constexpr auto kNamesOf<LayerAttention> = names<LayerAttention>("full", "sparse", "csa", "hca",
                                                                       "linear", "delta", "lightning",
                                                                       "mamba", "mamba2", "hybrid", "conv",
                                                                       "none");
enum class Norm
{
    layernorm,
    rmsnorm
};
template <>
inline constexpr auto kNamesOf<Norm> = names<Norm>("layernorm", "rmsnorm");
enum class Positions
{
    learned,
    rope,
    alibi,
    none
};
template <>
inline constexpr auto kNamesOf<Positions> = names<Positions>("learned", "rope", "alibi", "none");
enum class QkNorm
{
    none,
    head,
    full
}; // one gain per head dimension (Qwen3), or over all heads (OLMo 2)
template <>
inline constexpr auto kNamesOf<QkNorm> = names<QkNorm>("none", "head", "full");

// A decoder-only transformer. Zero means "derive it" for the fields that say so; resolved() fills those in.
struct Model
{
    std::string preset;         // id of the preset this came from, empty for a shape given inline
    std::string name;           // as people write it, "Llama 3.1 70B"
    std::int64_t layers = 12;   // transformer blocks
    std::int64_t hidden = 768;  // width of the residual stream, h
    std::int64_t ffn = 0;       // inner width of the dense MLP; 0: 4 h, or 8/3 h rounded up to 256 when gated
    std::int64_t heads = 12;    // query heads, a
    std::int64_t kv_heads = 0;  // key/value heads; 0: as many as heads
    std::int64_t head_dim = 0;  // width of one head; 0: hidden / heads
    std::int64_t vocab = 50257; // rows of the embedding, padding included, V
    std::int64_t max_sequence_length = 2048; // rows of a learned position table
    bool gated_mlp = false;                  // SwiGLU and its kin: three matrices instead of two
    bool tied_embeddings = true;             // the output projection is the embedding
    bool biases = false;                     // on every linear layer, experts and router included
    bool qkv_bias = false;                   // on the query, key and value projections only (Qwen 2)
    Attention attention = Attention::mha;
    Norm norm = Norm::layernorm;      // layernorm has gain and bias, rmsnorm a gain
    std::int64_t norms_per_layer = 2; // 1 for parallel blocks (PaLM), 4 with post-norms (Gemma 2)
    Positions positions = Positions::learned;
    QkNorm qk_norm = QkNorm::none;
    // Tokens that a layer's attention looks back at, over and over again; 0: all; empty: all of them do; one
    // less than zero: -LayerAttention, written as its name.
    std::vector<std::int64_t> attention_per_layer;
    bool attention_sinks = false; // one learned logit per head (gpt-oss)
    bool attention_gate = false;  // attention's output times a gate of its width (Kimi K3)
    bool head_gate = false;       // each head's output times a gate of its own (Step 3.5)
    bool values_are_keys = false; // layers without a window project no values (Gemma 4)
    bool dropout = false;         // trained with dropout, so its masks are kept for the backward pass
    // Layers with a window where their heads are others (Gemma 4); 0: as everywhere.
    std::int64_t window_heads = 0;
    std::int64_t window_kv_heads = 0;
    std::int64_t window_head_dim = 0;
    // Gemma 3n, Gemma 4 E2B and E4B; 0: none. Each layer adds numbers of a table of its own, so wide, for
    // every token. The last layers attend to the keys and values of earlier ones, with an MLP of a width of
    // its own.
    std::int64_t layer_embedding = 0;
    std::int64_t layer_vocab = 0; // rows of those tables; 0: vocab
    std::int64_t shared_kv_layers = 0;
    std::int64_t shared_kv_ffn = 0; // 0: ffn
    std::int64_t laurel_rank = 0;   // of a low-rank product beside attention (arXiv 2411.07501)
    // Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1)
    std::int64_t q_lora_rank = 0; // 0: queries are not compressed
    std::int64_t kv_lora_rank = 0;
    std::int64_t qk_nope_head_dim = 0;
    std::int64_t qk_rope_head_dim = 0;
    std::int64_t v_head_dim = 0; // of grouped heads, too, where values have a width of their own
    // Sparse and csa layers: the indexer's heads, their width, and the keys it picks.
    std::int64_t index_heads = 0;
    std::int64_t index_head_dim = 0;
    std::int64_t index_top_k = 0;
    // shared-kv: heads are dealt into so many groups, each projected to so many numbers.
    std::int64_t output_groups = 0;
    std::int64_t output_lora_rank = 0;
    // Linear layers and their kin: heads of values and their width, heads of keys and queries and theirs.
    // Mamba-2's groups are the key heads, its state is as wide as a key; Mamba's heads are channels.
    std::int64_t linear_heads = 0; // 0: as many as heads
    std::int64_t linear_head_dim = 0;
    std::int64_t linear_key_heads = 0; // 0: as many as linear_heads
    std::int64_t linear_key_dim = 0;   // 0: linear_head_dim
    std::int64_t linear_rank = 0;      // what Mamba's step sizes come out of
    bool linear_norm = true;           // of Mamba-2's output; of Mamba's step, keys and queries (Jamba)
    std::int64_t conv_tokens = 4;      // that a convolution sees
    // A layer is attention or an MLP, not both: an MLP where attention_per_layer says none (Nemotron-H).
    bool split_blocks = false;
    // Beside the plain residual stream, 0: neither. Streams that are mixed before and after each half (mHC,
    // arXiv 2512.24880); layers whose sum later ones attend to (attention residuals, Kimi K3).
    std::int64_t residual_streams = 0;
    std::int64_t residual_block = 0;
    bool altup = false; // streams are predicted and corrected around each layer (arXiv 2301.13310), not mixed
    // Mixture of experts
    std::int64_t experts = 0;           // routed experts in a layer; 0: a dense model
    std::int64_t experts_per_token = 0; // k
    std::int64_t expert_ffn = 0;        // inner width of one expert; 0: ffn
    std::int64_t expert_hidden = 0;     // width that routed experts read and write; 0: hidden
    std::int64_t shared_experts = 0;    // experts every token passes through
    std::int64_t shared_ffn = 0;        // inner width of all of those; 0: shared_experts x expert_ffn
    bool shared_gate = false;           // their sum times one gate of a token (Qwen2-MoE)
    bool latent_norm = false;           // on what experts of another width put out (Kimi K3)
    std::int64_t dense_layers = 0;      // leading layers with a dense MLP
    bool router_bias = false;           // a balancing offset per expert (DeepSeek-V3)
    std::int64_t moe_interval = 1;      // after those, every moe_interval-th layer has experts
    // Multi-token prediction (DeepSeek-V3, arXiv 2412.19437, section 2.2): layers behind the last, each with
    // a projection of 2 h to h before it and the output projection after it; all on the last stage.
    std::int64_t mtp_layers = 0;

    bool operator==(const Model&) const;
};

// One accelerator. Rates are dense, links one-way.
struct Gpu
{
    std::string id;                  // of the preset it is or is based on, "h100-sxm-80gb"; empty: on none
    std::string name;                // "H100 SXM 80 GB"
    double memory_gb = 80;           // [GB, 1e9] what the data sheet says
    double usable = 1;               // of that, what a program sees, as measured: 80 GB can be 84.94e9 bytes
    double workspace_mb = 33.554432; // [MB, 1e6] that its library of products takes for a handle
    double hbm_gb_per_s = 3350;      // [GB/s]
    double bf16_tflops = 989;        // [TFLOP/s] dense, fp32 accumulation
    double fp8_tflops = 0;           // [TFLOP/s] dense; 0: has none
    double fp4_tflops = 0;           // [TFLOP/s] dense; 0: has none
    double link_gb_per_s = 450;      // [GB/s] one-way, to the other GPUs of its node; 0: PCIe only
    double pcie_gb_per_s = 63;       // [GB/s] one-way, to the host
    double power_w = 0;              // [W] 0: not published
    Calibration calibration;         // what of all that is reached

    bool operator==(const Gpu&) const;
};

struct Cluster
{
    Gpu gpu;
    std::int64_t gpus = 256;
    std::int64_t gpus_per_node = 8; // GPUs in one fast-link domain
    double node_link_gb_per_s = 0;  // [GB/s] one-way per GPU inside the domain; 0: the GPU's own
    double network_gb_per_s = 50;   // [GB/s] one-way per GPU between domains
    double host_memory_gb = 2000;   // [GB] of one node, for offload
    double nvme_gb_per_s = 6;       // [GB/s] one-way per GPU, for offload
    double usd_per_gpu_hour = 2.5;  // [USD] what an hour of one GPU costs, an assumption to be set
    double host_gb_per_s = 614;     // [GB/s] memory of one host, for its optimizer: 16 channels of DDR5-4800

    bool operator==(const Cluster&) const;
};

// How the model is cut over the GPUs. Data parallelism is what remains.
struct Parallel
{
    std::int64_t tensor = 1;
    bool sequence_parallel =
        false; // norms, dropout and residual split along the sequence inside a tensor group
    std::int64_t context = 1;
    std::int64_t pipeline = 1;
    std::int64_t chunks = 1; // model chunks per stage (interleaving)
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 1; // tensor parallelism inside an expert
    std::int64_t zero = 0;          // 0 to 3: nothing, optimizer, + gradients, + weights
    std::int64_t shard_group = 0;   // replicas that share one copy sharded by ZeRO (HSDP); 0: all
    bool whole_shards = false;      // ZeRO deals out whole matrices, so shards are uneven (layer-wise Muon)
    std::vector<std::int64_t> stage_layers; // layers of each (virtual) stage; empty: even
    // What is computed while bytes travel. Gradients and ZeRO's weights: Calibration::data_overlap.
    bool overlap_tensor = false;   // a layer's gathers and scatters beside the product they feed or follow
    bool overlap_expert = false;   // all-to-alls overlap another micro-batch
    bool overlap_pipeline = false; // activations between stages overlap another chunk

    bool operator==(const Parallel&) const;
};

enum class Precision
{
    fp32,
    fp16,
    bf16,
    fp8,
    mxfp8, // 8 bits, a scale of 8 for each 32 (OCP Microscaling Formats 1.0)
    nvfp4  // 4 bits, a scale of 8 for each 16
};
template <>
inline constexpr auto kNamesOf<Precision> = names<Precision>("fp32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4");
// Products whose operands have 8 bits or fewer.
constexpr bool is_narrow(Precision precision)
{
    return precision == Precision::fp8 || precision == Precision::mxfp8 || precision == Precision::nvfp4;
}
enum class Fp8Recipe
{
    bf16_weights,
    fp8_weights,
    deepseek
};
template <>
inline constexpr auto kNamesOf<Fp8Recipe> = names<Fp8Recipe>("bf16-weights", "fp8-weights", "deepseek");
enum class GradientDtype
{
    fp32,
    bf16,
    fp16
};
template <>
inline constexpr auto kNamesOf<GradientDtype> = names<GradientDtype>("fp32", "bf16", "fp16");
enum class Optimizer
{
    adamw,
    adamw_8bit,
    sgd_momentum,
    adafactor,
    muon
};
template <>
inline constexpr auto kNamesOf<Optimizer> = names<Optimizer>("adamw", "adamw-8bit", "sgd-momentum",
                                                             "adafactor", "muon");
enum class MomentsDtype
{
    usual, // fp32, and bf16 where the recipe of 8-bit training says so
    fp32,
    bf16,
    fp8 // with a scale for each tensor (Transformer Engine's FusedAdam)
};
template <>
inline constexpr auto kNamesOf<MomentsDtype> = names<MomentsDtype>("usual", "fp32", "bf16", "fp8");
enum class MasterWeights
{
    fp32,
    remainders, // the 16 bits that BF16 weights leave out of FP32 (FusedAdam's store_param_remainders)
    none
};
template <>
inline constexpr auto kNamesOf<MasterWeights> = names<MasterWeights>("fp32", "remainders", "none");
enum class Recompute
{
    none,
    selective, // recompute_modules, or attention's core
    full,      // all of a layer but its input
    alternate  // all but attention's output and that of every second product
};
template <>
inline constexpr auto kNamesOf<Recompute> = names<Recompute>("none", "selective", "full", "alternate");
// What selective recomputation computes again, by Megatron-Core's names (--recompute-modules).
enum class RecomputeModule
{
    core_attn,
    layernorm,
    mla_up_proj,
    mlp,
    moe_act,
    moe,
    shared_experts
};
template <>
inline constexpr auto kNamesOf<RecomputeModule> = names<RecomputeModule>("core_attn", "layernorm",
                                                                         "mla_up_proj", "mlp", "moe_act",
                                                                         "moe", "shared_experts");
using RecomputeModules = std::array<bool, kNamesOf<RecomputeModule>.size()>;
enum class Offload
{
    none,
    optimizer_cpu,
    optimizer_nvme,
    optimizer_and_weights_cpu,
    optimizer_and_weights_nvme
};
template <>
inline constexpr auto kNamesOf<Offload> = names<Offload>("none", "optimizer-cpu", "optimizer-nvme",
                                                         "optimizer-and-weights-cpu",
                                                         "optimizer-and-weights-nvme");
constexpr bool offloads_weights(Offload offload)
{
    return offload == Offload::optimizer_and_weights_cpu || offload == Offload::optimizer_and_weights_nvme;
}
constexpr bool uses_nvme(Offload offload)
{
    return offload == Offload::optimizer_nvme || offload == Offload::optimizer_and_weights_nvme;
}

// The matrices of a block that may get an adapter. Latent attention's two query matrices are both `query`,
// its compression `key` and its expansion `value`; of other attention what is neither query, value nor output
// is `key`, and an output's gate `output`.
enum class LoraModule : std::uint8_t
{
    query,
    key,
    value,
    output,
    gate,
    up,
    down
};
template <>
inline constexpr auto kNamesOf<LoraModule> = names<LoraModule>("query", "key", "value", "output", "gate",
                                                               "up", "down");
inline constexpr std::size_t kLoraModules = kNamesOf<LoraModule>.size();
using LoraModules = std::array<bool, kLoraModules>;
inline constexpr LoraModules kAllLinear{true, true, true, true, true, true, true};

// Adapters beside frozen weights (Hu et al., arXiv 2106.09685).
struct Lora
{
    std::int64_t rank = 0; // 0: everything is trained
    LoraModules targets = kAllLinear;
    bool quantized = false; // the frozen matrices of the blocks have 4 bits (QLoRA, arXiv 2305.14314)

    bool operator==(const Lora&) const = default;
};

struct Training
{
    std::int64_t sequence_length = 8192; // tokens, s
    std::int64_t micro_batch = 1;        // sequences of one micro-batch, b
    std::int64_t global_batch = 512;     // sequences of one optimizer step
    Precision precision = Precision::bf16;
    Fp8Recipe fp8_recipe = Fp8Recipe::bf16_weights;
    GradientDtype gradient_dtype = GradientDtype::fp32;
    Optimizer optimizer = Optimizer::adamw;
    MomentsDtype moments_dtype = MomentsDtype::usual;
    MasterWeights master_weights = MasterWeights::fp32;
    Recompute recompute = Recompute::selective;
    RecomputeModules recompute_modules{}; // of selective; none: attention's core
    std::int64_t recompute_layers = 0;    // the first ones of each (virtual) stage, of full; 0: all
    bool flash_attention = true;
    ScheduleKind schedule = ringside::schedule("1f1b"); // never null
    Offload offload = Offload::none;
    double offload_activations = 0;           // share of the layers' activations that wait on the host
    std::int64_t deferred_head_gradients = 0; // micro-batches whose head's gradient waits for the drain
    Lora lora;
    double fragmentation = 0; // share of the allocated bytes lost to fragmentation, 0 to 0.5
    double reserved_gb = 0;   // [GB] of the device kept from the allocator (driver context, NCCL)
    double tokens = 15e12;    // of the whole run, D

    bool operator==(const Training&) const;
};

// Costs of one even stage and one micro-batch, and what makes stages uneven beside Parallel::stage_layers.
struct PipelineTimes : StageTimes
{
    double embedding = 0; // forward of the embedding, in layers
    double head = 0;      // forward of the output projection and the loss, in layers

    bool operator==(const PipelineTimes&) const = default;
};

// What the collective picture shows; zero follows the layout.
struct CollectiveSettings
{
    std::int64_t ranks = 0; // 0: the data-parallel size, at most 16 drawn
    double message_gb = 0;  // [GB] 0: this GPU's gradients
    double latency_us = 5;  // [us] per hop, alpha

    bool operator==(const CollectiveSettings&) const = default;
};

struct Serving; // core/scenario/serving.h

struct Scenario
{
    Model model;
    Cluster cluster;
    Parallel parallel;
    Training training;
    PipelineTimes stage_times;
    CollectiveSettings collective;
    Software software;
    std::shared_ptr<const Serving> serving; // null: none is described; copies share one, which never changes

    bool operator==(const Scenario&) const; // of what it serves by value
};

// Data-parallel ranks: gpus / (tensor x context x pipeline), rounded down; at least 1.
std::int64_t data_parallel(const Scenario& scenario);
// Stages, micro-batches and chunks of its pipeline.
ScheduleShape pipeline_shape(const Scenario& scenario);
// Micro-batches of a pipeline in a step: global_batch / (data_parallel x micro_batch), at least 1.
std::int64_t micro_batches(const Scenario& scenario);
// Ranks with copies of the same dense weights: data_parallel x context (Megatron-Core's ZeRO-1 shards over
// both).
std::int64_t dense_replicas(const Scenario& scenario);
// Ranks that hold copies of the same experts: tensor x context x data / (expert x expert_tensor).
std::int64_t expert_replicas(const Scenario& scenario);
// The ranks among those that ZeRO shards over: all, or a group of parallel.shard_group. With groups there are
// as many copies of the experts as of the rest, where they have enough replicas.
std::int64_t dense_shards(const Scenario& scenario);
std::int64_t expert_shards(const Scenario& scenario);
// What a layout has that could travel beside compute, switched on or not. Tensor: gathers and scatters, which
// are sequence parallelism's. Expert: tokens. Pipeline: activations, where a stage has another chunk to work
// on than the one that travels.
struct Overlaps
{
    bool tensor = false;
    bool expert = false;
    bool pipeline = false;
};
Overlaps possible_overlaps(const Scenario& scenario);
// Blocks with those that predict further tokens.
constexpr std::int64_t all_layers(const Model& model)
{
    return model.layers + model.mtp_layers;
}
// The entry of attention_per_layer for layer `layer` (from 0): tokens it looks back at, 0: all; less than
// zero: -LayerAttention.
std::int64_t attention_entry(const Model& model, std::int64_t layer);
constexpr LayerAttention layer_attention(std::int64_t entry)
{
    return entry < 0 ? static_cast<LayerAttention>(-entry) : LayerAttention::full;
}
constexpr std::int64_t entry_of(LayerAttention kind)
{
    return -static_cast<std::int64_t>(kind);
}
// Kinds that keep a state instead of keys.
constexpr bool is_recurrent(LayerAttention kind)
{
    return kind >= LayerAttention::linear && kind <= LayerAttention::mamba2;
}
// Whether layers of such attention have an MLP.
constexpr bool has_mlp(const Model& model, LayerAttention kind)
{
    return !model.split_blocks || kind == LayerAttention::none;
}
// Whether windows have heads of their own, and the model whose heads are those.
constexpr bool has_window_heads(const Model& model)
{
    return model.window_heads > 0 || model.window_kv_heads > 0 || model.window_head_dim > 0 ||
           model.values_are_keys;
}
Model with_window_heads(Model model);
// Whether a layer attends to the keys and values of an earlier one, and the model whose layers all do.
constexpr bool borrows_keys(const Model& model, std::int64_t layer)
{
    return model.shared_kv_layers > 0 && layer >= model.layers - model.shared_kv_layers;
}
Model with_borrowed_keys(Model model);
// Tokens that one compressed key of such layers stands for (released DeepSeek-V4).
inline constexpr std::int64_t kCsaTokens = 4;
inline constexpr std::int64_t kHcaTokens = 128;
// Whether so many tensor-parallel ranks can share its key/value heads: a latent and a shared key are whole on
// each, heads divide or are copied.
bool kv_heads_split(const Model& model, std::int64_t tensor);
// Heads and widths of layers with a state, resolved: of values, of keys, and of all values together.
constexpr std::int64_t linear_heads(const Model& model)
{
    return model.linear_heads > 0 ? model.linear_heads : model.heads;
}
constexpr std::int64_t linear_key_heads(const Model& model)
{
    return model.linear_key_heads > 0 ? model.linear_key_heads : linear_heads(model);
}
constexpr std::int64_t linear_key_dim(const Model& model)
{
    return model.linear_key_dim > 0 ? model.linear_key_dim : model.linear_head_dim;
}
constexpr std::int64_t linear_width(const Model& model)
{
    return linear_heads(model) * model.linear_head_dim;
}
// Whether the ranks can share the heads of linear layers, and those of windows.
bool linear_heads_split(const Model& model, std::int64_t tensor);
// Whether layer `layer` (from 0) has experts.
bool has_experts(const Model& model, std::int64_t layer);
// One-way link rate inside a node [GB/s].
double node_link(const Cluster& cluster);

} // namespace ringside
