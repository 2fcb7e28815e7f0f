// One file, since it is one thing: the tables of all fields of a scenario.
#include "core/scenario/fields.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

template <class>
struct MemberParts;
template <class S, class E>
struct MemberParts<E S::*>
{
    using Struct = S;
    using Enum = E;
};

template <auto M>
auto choice()
{
    using S = typename MemberParts<decltype(M)>::Struct;
    using E = typename MemberParts<decltype(M)>::Enum;
    return Choice<S>{kNamesOf<E>.all, [](const S& s) { return static_cast<int>(s.*M); },
                     [](S& s, int i) { s.*M = static_cast<E>(i); }};
}

// An array of switches, one for each name of E.
template <auto M, class E>
auto selection()
{
    using S = typename MemberParts<decltype(M)>::Struct;
    return Selection<S>{kNamesOf<E>.all, [](const S& s) { return std::span<const bool>(s.*M); },
                        [](S& s, std::size_t i, bool on) { (s.*M).at(i) = on; }};
}

Choice<Training> schedule_choice()
{
    static const std::vector<std::string_view> names = []
    {
        std::vector<std::string_view> ids;
        for (const ScheduleKind kind : schedules())
        {
            ids.push_back(kind->id);
        }
        return ids;
    }();
    return {names,
            [](const Training& t)
            {
                const auto all = schedules();
                return static_cast<int>(std::find(all.begin(), all.end(), t.schedule) - all.begin());
            },
            [](Training& t, int i) { t.schedule = schedules()[static_cast<std::size_t>(i)]; }};
}

constexpr FieldSlide linear(double low, double high, double step, bool zero_is_automatic = false)
{
    return {low, high, step, zero_is_automatic};
}
constexpr FieldSlide logarithmic(double low, double high, bool zero_is_automatic = false)
{
    return {low, high, kLogarithmic, zero_is_automatic};
}

constexpr double kMaxWidth = 1 << 20;

const std::array kModelFields = {
    Field<Model>{"layers", "Layers", "", "transformer blocks", &Model::layers, 1, 10000},
    Field<Model>{"hidden", "Hidden", "", "width of the residual stream", &Model::hidden, 1, kMaxWidth},
    Field<Model>{"ffn", "FFN", "", "inner width of the MLP; 0: 4 x hidden, or 8/3 x hidden when gated",
                 &Model::ffn, 0, 8 * kMaxWidth},
    Field<Model>{"heads", "Heads", "", "query heads", &Model::heads, 1, 65536},
    Field<Model>{"kv_heads", "KV heads", "", "key and value heads; 0: as many as heads", &Model::kv_heads, 0,
                 65536},
    Field<Model>{"head_dim", "Head dim", "", "width of one head; 0: hidden / heads", &Model::head_dim, 0,
                 65536},
    Field<Model>{"vocab", "Vocab", "", "rows of the embedding, padding included", &Model::vocab, 1, 1 << 26},
    Field<Model>{"max_sequence_length", "Max sequence length", "tokens", "rows of a learned position table",
                 &Model::max_sequence_length, 1, 1 << 27},
    Field<Model>{"gated_mlp", "Gated MLP", "", "three MLP matrices (SwiGLU) instead of two",
                 &Model::gated_mlp},
    Field<Model>{"tied_embeddings", "Tied embeddings", "", "the output projection is the embedding",
                 &Model::tied_embeddings},
    Field<Model>{"biases", "Biases", "", "a bias on every linear layer", &Model::biases},
    Field<Model>{"qkv_bias", "QKV bias", "", "a bias on query, key and value only", &Model::qkv_bias},
    Field<Model>{
        "attention", "Attention", "",
        "mha, gqa (fewer key/value heads), mla (latent) or shared-kv (one key that is the value too)",
        choice<&Model::attention>()},
    Field<Model>{"norm", "Norm", "", "layernorm (gain and bias) or rmsnorm (gain)", choice<&Model::norm>()},
    Field<Model>{"norms_per_layer", "Norms per layer", "", "normalizations in one block",
                 &Model::norms_per_layer, 0, 8},
    Field<Model>{"positions", "Positions", "", "how positions enter; only learned ones have parameters",
                 choice<&Model::positions>(), 0, 0, "position_embedding"},
    Field<Model>{"qk_norm", "QK norm", "", "normalizes queries and keys: per head, or over all heads",
                 choice<&Model::qk_norm>()},
    Field<Model>{"attention_sinks", "Attention sinks", "", "one learned logit per head",
                 &Model::attention_sinks, 0, 0, "sinks"},
    Field<Model>{"dropout", "Dropout", "", "trained with dropout, whose masks are kept for the backward pass",
                 &Model::dropout},
    Field<Model>{"q_lora_rank", "Q lora rank", "", "latent width of queries (mla); 0: not compressed",
                 &Model::q_lora_rank, 0, kMaxWidth, "q_lora"},
    Field<Model>{"kv_lora_rank", "KV lora rank", "", "latent width of keys and values (mla)",
                 &Model::kv_lora_rank, 0, kMaxWidth, "kv_lora"},
    Field<Model>{"qk_nope_head_dim", "QK nope head dim", "", "head width without positions (mla)",
                 &Model::qk_nope_head_dim, 0, 65536, "qk_head_dim"},
    Field<Model>{"qk_rope_head_dim", "QK RoPE head dim", "", "head width with rotary positions (mla)",
                 &Model::qk_rope_head_dim, 0, 65536, "qk_pos_emb_head_dim"},
    Field<Model>{"v_head_dim", "V head dim", "", "head width of values; 0: head_dim", &Model::v_head_dim, 0,
                 65536},
    Field<Model>{"experts", "Experts", "", "routed experts of a layer; 0: a dense model", &Model::experts, 0,
                 65536},
    Field<Model>{"experts_per_token", "Experts per token", "", "routed experts per token",
                 &Model::experts_per_token, 0, 65536, "top_k"},
    Field<Model>{"expert_ffn", "Expert FFN", "", "inner width of one expert; 0: as ffn", &Model::expert_ffn,
                 0, 8 * kMaxWidth, "moe_ffn"},
    Field<Model>{"expert_hidden", "Expert hidden", "", "width that routed experts read and write; 0: hidden",
                 &Model::expert_hidden, 0, kMaxWidth},
    Field<Model>{"shared_experts", "Shared experts", "", "shared experts, used by every token",
                 &Model::shared_experts, 0, 1024},
    Field<Model>{"shared_ffn", "Shared FFN", "",
                 "inner width of all shared experts; 0: shared_experts x expert_ffn", &Model::shared_ffn, 0,
                 8 * kMaxWidth},
    Field<Model>{"shared_gate", "Shared gate", "", "the shared experts' output is multiplied by a gate",
                 &Model::shared_gate},
    Field<Model>{"latent_norm", "Latent norm", "", "a norm on what experts of another width put out",
                 &Model::latent_norm},
    Field<Model>{"dense_layers", "Dense layers", "", "leading layers with a dense MLP", &Model::dense_layers,
                 0, 10000},
    Field<Model>{"attention_per_layer", "Attention per layer", "tokens",
                 "tokens each layer looks back at, repeated over the layers; 0: all; or sparse, csa, hca, "
                 "linear, delta, "
                 "lightning, mamba, mamba2, hybrid, conv, none",
                 &Model::attention_per_layer, 1 - static_cast<double>(kNamesOf<LayerAttention>.size()),
                 1 << 27},
    Field<Model>{"attention_gate", "Attention gate", "", "attention's output is multiplied by a gate",
                 &Model::attention_gate},
    Field<Model>{"head_gate", "Head gate", "", "each head's output is multiplied by a gate of its own",
                 &Model::head_gate},
    Field<Model>{"values_are_keys", "Values are keys", "",
                 "layers without a window have no projection of values", &Model::values_are_keys},
    Field<Model>{"window_heads", "Window heads", "", "query heads of layers with a window; 0: as everywhere",
                 &Model::window_heads, 0, 65536},
    Field<Model>{"window_kv_heads", "Window KV heads", "",
                 "key and value heads of layers with a window; 0: as everywhere", &Model::window_kv_heads, 0,
                 65536},
    Field<Model>{"window_head_dim", "Window head dim", "",
                 "width of one head of layers with a window; 0: as everywhere", &Model::window_head_dim, 0,
                 65536},
    Field<Model>{"layer_embedding", "Layer embedding", "",
                 "width of an embedding of the token that each layer adds", &Model::layer_embedding, 0, 65536,
                 "hidden_size_per_layer_input"},
    Field<Model>{"layer_vocab", "Layer embedding rows", "", "rows of those embeddings; 0: the vocabulary",
                 &Model::layer_vocab, 0, 1 << 24, "vocab_size_per_layer_input"},
    Field<Model>{"shared_kv_layers", "Shared KV layers", "",
                 "last layers that attend to the keys and values of earlier ones", &Model::shared_kv_layers,
                 0, 10000, "num_kv_shared_layers"},
    Field<Model>{"shared_kv_ffn", "Shared KV ffn", "", "inner width of those layers' MLP; 0: ffn",
                 &Model::shared_kv_ffn, 0, kMaxWidth},
    Field<Model>{"laurel_rank", "LAuReL rank", "", "inner width of a low-rank product beside attention",
                 &Model::laurel_rank, 0, 65536},
    Field<Model>{"index_heads", "Indexer heads", "", "heads of the indexer (sparse and csa layers)",
                 &Model::index_heads, 0, 65536, "index_n_heads"},
    Field<Model>{"index_head_dim", "Indexer head dim", "", "width of one head of the indexer",
                 &Model::index_head_dim, 0, 65536},
    Field<Model>{"index_top_k", "Indexer top k", "", "keys that the indexer picks", &Model::index_top_k, 0,
                 1 << 27, "index_topk"},
    Field<Model>{"output_groups", "Output groups", "", "groups of heads that are projected apart (shared-kv)",
                 &Model::output_groups, 0, 65536, "o_groups"},
    Field<Model>{"output_lora_rank", "Output lora rank", "", "width that a group is projected to (shared-kv)",
                 &Model::output_lora_rank, 0, kMaxWidth, "o_lora_rank"},
    Field<Model>{"linear_heads", "Linear heads", "",
                 "value heads of linear, delta and Mamba layers; 0: as many as heads", &Model::linear_heads,
                 0, kMaxWidth},
    Field<Model>{"linear_head_dim", "Linear head dim", "", "width of one value head of such layers",
                 &Model::linear_head_dim, 0, 65536},
    Field<Model>{"linear_key_heads", "Linear key heads", "",
                 "key heads of delta layers, groups of Mamba-2; 0: linear_heads", &Model::linear_key_heads, 0,
                 65536},
    Field<Model>{"linear_key_dim", "Linear key dim", "",
                 "width of one key head, state size of Mamba; 0: linear_head_dim", &Model::linear_key_dim, 0,
                 65536},
    Field<Model>{"linear_rank", "Linear rank", "", "what the step sizes of Mamba come out of (dt_rank)",
                 &Model::linear_rank, 0, kMaxWidth},
    Field<Model>{"linear_norm", "Linear norm", "",
                 "a norm on Mamba-2's output, norms on Mamba's step, keys and queries", &Model::linear_norm},
    Field<Model>{"conv_tokens", "Convolution", "tokens", "tokens that a layer's convolution sees",
                 &Model::conv_tokens, 1, 64},
    Field<Model>{"split_blocks", "Split blocks", "",
                 "a layer is attention or, where attention is none, an MLP", &Model::split_blocks},
    Field<Model>{"residual_streams", "Residual streams", "", "streams of hyper-connections; 0: the residual",
                 &Model::residual_streams, 0, 64, "hc_mult"},
    Field<Model>{"residual_block", "Residual block", "layers",
                 "layers whose sum later ones attend to (attention residuals); 0: none",
                 &Model::residual_block, 0, 10000, "attn_res_block_size"},
    Field<Model>{"altup", "AltUp", "", "streams are predicted and corrected around each layer, not mixed",
                 &Model::altup},
    Field<Model>{"router_bias", "Router bias", "", "a balancing offset per expert", &Model::router_bias},
    Field<Model>{"moe_interval", "MoE interval", "", "after those, every how-many-th layer has experts",
                 &Model::moe_interval, 1, 10000},
    Field<Model>{"mtp_layers", "MTP layers", "", "layers that predict further tokens, on the last stage",
                 &Model::mtp_layers, 0, 8},
};

const std::array kGpuFields = {
    Field<Gpu>{"memory_gb", "Memory", "GB", "memory of one accelerator, decimal", &Gpu::memory_gb, 0.1, 1e5},
    Field<Gpu>{"usable", "Usable memory", "", "what a program sees of it, as a share of the nameplate",
               &Gpu::usable, 0.1, 4},
    Field<Gpu>{"workspace_mb", "Workspace", "MB", "memory that its library of GEMMs takes for each handle",
               &Gpu::workspace_mb, 0, 1e4},
    Field<Gpu>{"hbm_gb_per_s", "HBM", "GB/s", "memory bandwidth", &Gpu::hbm_gb_per_s, 1, 1e7},
    Field<Gpu>{"bf16_tflops", "BF16", "TFLOP/s", "dense 16-bit peak", &Gpu::bf16_tflops, 1e-5, 1e7},
    Field<Gpu>{"fp8_tflops", "FP8", "TFLOP/s", "dense 8-bit peak; 0: none", &Gpu::fp8_tflops, 0, 1e7},
    Field<Gpu>{"fp4_tflops", "FP4", "TFLOP/s", "dense 4-bit peak; 0: none", &Gpu::fp4_tflops, 0, 1e7},
    Field<Gpu>{"link_gb_per_s", "Link", "GB/s", "one-way rate to the GPUs of its node", &Gpu::link_gb_per_s,
               0, 1e6},
    Field<Gpu>{"pcie_gb_per_s", "PCIe per direction", "GB/s", "rate to the host", &Gpu::pcie_gb_per_s, 0, 1e6,
               "", logarithmic(1, 1000)},
    Field<Gpu>{"power_w", "Power", "W", "board power", &Gpu::power_w, 0, 1e6},
};

const std::array kCalibrationFields = {
    Field<Calibration>{"multiprocessors", "Multiprocessors", "", "SMs that share the tiles of a GEMM",
                       &Calibration::multiprocessors, 1, 1e5},
    Field<Calibration>{"gemm_efficiency", "GEMM efficiency", "",
                       "fraction of the dense peak in full waves of tiles", &Calibration::gemm_efficiency,
                       0.01, 1},
    Field<Calibration>{"attention_efficiency", "Attention efficiency", "",
                       "fraction of the dense peak that FlashAttention reaches",
                       &Calibration::attention_efficiency, 0.01, 1},
    Field<Calibration>{"hbm_efficiency", "HBM efficiency", "",
                       "fraction of the memory bandwidth that element-wise kernels reach",
                       &Calibration::hbm_efficiency, 0.01, 1},
    Field<Calibration>{"kernel_us", "Kernel", "us", "launch gap of one kernel on the device",
                       &Calibration::kernel_us, 0, 1000},
    Field<Calibration>{"host_kernel_us", "Host kernel", "us",
                       "host time per kernel: Python, dispatch, autograd, launch; 0 with CUDA graphs",
                       &Calibration::host_kernel_us, 0, 1e5},
    Field<Calibration>{"link_efficiency", "Link efficiency", "",
                       "fraction of the node's link bandwidth that a ring reaches",
                       &Calibration::link_efficiency, 0.01, 1},
    Field<Calibration>{"network_efficiency", "Network efficiency", "",
                       "fraction of the network bandwidth that a ring reaches",
                       &Calibration::network_efficiency, 0.01, 1},
    Field<Calibration>{"collective_us", "Collective", "us",
                       "start-up time of a collective, before its first byte", &Calibration::collective_us, 0,
                       1e5},
    Field<Calibration>{"hop_us", "Hop", "us", "latency of one ring step inside a node", &Calibration::hop_us,
                       0, 1e5},
    Field<Calibration>{"network_hop_us", "Network hop", "us", "latency of one step between nodes",
                       &Calibration::network_hop_us, 0, 1e5},
    Field<Calibration>{"data_overlap", "Data overlap", "",
                       "fraction of the backward that gradient traffic can overlap with",
                       &Calibration::data_overlap, 0, 1},
    Field<Calibration>{"overlap_slowdown", "Overlap slowdown", "",
                       "compute time lost per second of overlapped gradient traffic",
                       &Calibration::overlap_slowdown, 0, 1},
    Field<Calibration>{"attention_peak", "Attention, newest kernels", "",
                       "fraction of the dense peak that attention reaches at long sequences; 0: not measured",
                       &Calibration::attention_peak, 0, 1},
    Field<Calibration>{"attention_half", "Attention, half reached", "tokens",
                       "sequence length at which half of that is reached", &Calibration::attention_half, 0,
                       1e6},
    Field<Calibration>{
        "flash2_peak", "Attention, FlashAttention-2", "",
        "fraction of the dense peak that FlashAttention-2 reaches at long sequences; 0: not measured",
        &Calibration::flash2_peak, 0, 1},
    Field<Calibration>{"flash2_half", "FlashAttention-2, half reached", "tokens",
                       "sequence length at which half of that is reached", &Calibration::flash2_half, 0, 1e6},
    Field<Calibration>{"block_scaled", "MXFP8 GEMMs", "", "MXFP8's rate as a fraction of FP8's",
                       &Calibration::block_scaled, 0.1, 1},
    Field<Calibration>{"fp4_products", "NVFP4 GEMMs", "", "NVFP4's rate as a multiple of FP8's",
                       &Calibration::fp4_products, 0.1, 4},
    Field<Calibration>{"rated_w", "Rated power", "W",
                       "board power at which the other constants hold; a board limited to less is slower",
                       &Calibration::rated_w, 0, 1e6},
    Field<Calibration>{"gather_slowdown", "Gather slowdown", "",
                       "compute time lost per second of overlapped ZeRO-3 traffic",
                       &Calibration::gather_slowdown, 0, 1},
};

const std::array kSoftwareFields = {
    Field<Software>{"products", "GEMMs", "", "factor on the accelerator's GEMM efficiency",
                    &Software::products, 0.1, 2},
    Field<Software>{"fp8_products", "FP8 GEMMs", "", "FP8 GEMM efficiency as a fraction of the 16-bit one",
                    &Software::fp8_products, 0.1, 1},
    Field<Software>{"cast_bytes", "FP8 casts", "B", "moved per FP8 input element of a GEMM",
                    &Software::cast_bytes, 0, 64},
    Field<Software>{"routing_bytes", "Routing", "B",
                    "moved per element of a routed token, dispatch and combine", &Software::routing_bytes, 0,
                    1000},
    Field<Software>{"routing_kernels", "Routing kernels", "", "launches of MoE routing, counted in GEMMs",
                    &Software::routing_kernels, 0, 1000},
    Field<Software>{"elementwise", "Memory-bound kernels", "",
                    "factor on the HBM bandwidth they reach; fusion raises it", &Software::elementwise, 0.1,
                    10},
    Field<Software>{"launch", "Launches", "", "factor on the CPU time of a kernel launch", &Software::launch,
                    0, 10},
    Field<Software>{"graphs", "CUDA graphs", "", "share of the kernel launches that CUDA graphs replay",
                    &Software::graphs, 0, 1},
    Field<Software>{"loss_bytes", "Loss traffic", "B", "HBM traffic of the loss per logit, both passes",
                    &Software::loss_bytes, 0, 1000},
    Field<Software>{"attention", "Attention kernels", "",
                    "FlashAttention of 2022, FlashAttention-2, or the accelerator's newest",
                    choice<&Software::attention>()},
    Field<Software>{"picked_attention", "Sparse attention", "",
                    "attention's rate over keys picked one by one, as a fraction of that over all",
                    &Software::picked_attention, 0.01, 1},
    Field<Software>{"stream_mixing", "Residual streams", "",
                    "HBM traffic of mixing several residual streams, as a multiple of their bytes",
                    &Software::stream_mixing, 1, 100},
    Field<Software>{"gradient_sum_bytes", "Gradient sums", "B",
                    "HBM traffic per parameter of adding a micro-batch's gradients in FP32; 0: the GEMM does",
                    &Software::gradient_sum_bytes, 0, 100},
    Field<Software>{"launch_blocking", "Blocking launches", "",
                    "the host waits for every kernel (CUDA_LAUNCH_BLOCKING=1)", &Software::launch_blocking},
    Field<Software>{"gather", "Gather overlap", "",
                    "factor on the slowdown of compute by overlapped ZeRO-3 traffic", &Software::gather, 0,
                    10},
    Field<Software>{"data_overlap", "Data overlap", "",
                    "fraction of the backward that gradient traffic can overlap with; -1: the accelerator's",
                    &Software::data_overlap, -1, 1},
    Field<Software>{"parameter_overlap", "Parameter overlap", "",
                    "fraction of the forward that ZeRO-1's and 2's all-gather can overlap with; -1: as data",
                    &Software::parameter_overlap, -1, 1},
    Field<Software>{"tensor_overlap", "Tensor overlap", "",
                    "fraction of tensor-parallel overlap achieved where the layout asks for it",
                    &Software::tensor_overlap, 0, 1},
    Field<Software>{"own_shard", "Own shard", "",
                    "tensor-parallel gathers overlap with the product of the rank's own tokens only",
                    &Software::own_shard},
    Field<Software>{"collectives", "Collectives per layer", "",
                    "that gradients, and again weights, are sent in; 0: one for all layers",
                    &Software::collectives, 0, 100},
    Field<Software>{
        "blocking_zero", "Blocking ZeRO", "",
        "ZeRO-1 and 2 all-reduce whole gradients after the backward and copy weights shard by shard",
        &Software::blocking_zero},
    Field<Software>{"step_ms", "Between steps", "ms",
                    "CPU time per step that nothing hides: gradient norm, optimizer, next batch",
                    &Software::step_ms, 0, 1e5},
    Field<Software>{"context_gather", "Context gather", "",
                    "keys and values are all-gathered before attention, not passed around a ring beside it",
                    &Software::context_gather},
    Field<Software>{
        "context_heads", "Context heads", "",
        "keys and values are repeated for every query head before context parallelism sends them, "
        "as PyTorch's context_parallel does",
        &Software::context_heads},
    Field<Software>{"dispatch", "Expert dispatch", "",
                    "a token crosses the network once per expert, or once per node",
                    choice<&Software::dispatch>()},
    Field<Software>{"fp8_dispatch", "FP8 dispatch", "", "tokens are dispatched to their experts in FP8",
                    &Software::fp8_dispatch},
    Field<Software>{
        "loss", "Loss", "",
        "bytes per logit: 4 (fused), 6 (vocab-parallel), 9.7 (compiled), 10 (eager, logits freed), 16 "
        "(eager), 0.5 (chunked)",
        choice<&Software::loss>()},
    Field<Software>{"second_gradients", "Second gradients", "",
                    "a BF16 copy of the gradients in addition to the FP32 one", &Software::second_gradients},
    Field<Software>{"cast_weights", "Cast weights", "",
                    "shards are FP32 only; 16-bit weights exist while they are gathered (FSDP)",
                    &Software::cast_weights},
    Field<Software>{"whole_gradients", "Whole gradients", "",
                    "with pipeline stages, gradients are sharded after the last micro-batch (FSDP2)",
                    &Software::whole_gradients},
    Field<Software>{"fragmentation", "Allocator", "",
                    "fraction of activations and buffers that fragmentation adds", &Software::fragmentation,
                    0, 1},
    Field<Software>{"reserve_gb", "Reserve", "GB", "driver, communication library and allocator",
                    &Software::reserve_gb, 0, 1000},
    Field<Software>{"graph_pool_gb", "CUDA graph pools", "GB",
                    "private pools of CUDA graphs, beside what the same step takes without them",
                    &Software::graph_pool_gb, 0, 1000},
};

const std::array kClusterFields = {
    Field<Cluster>{"gpus", "GPUs", "", "GPUs in all", &Cluster::gpus, 1, 1 << 24},
    Field<Cluster>{"gpus_per_node", "GPUs per node", "", "GPUs in one fast-link domain",
                   &Cluster::gpus_per_node, 1, 65536},
    Field<Cluster>{"node_link_gb_per_s", "Node link, one way", "GB/s",
                   "one-way per GPU inside a node; 0: the GPU's own", &Cluster::node_link_gb_per_s, 0, 1e6,
                   "", logarithmic(10, 2000, true)},
    Field<Cluster>{"network_gb_per_s", "Network, one way", "GB/s", "one-way per GPU between nodes",
                   &Cluster::network_gb_per_s, 0.001, 1e6, "", logarithmic(1, 500)},
    Field<Cluster>{"host_memory_gb", "Host memory", "GB", "memory of one host, for offload",
                   &Cluster::host_memory_gb, 0, 1e7},
    Field<Cluster>{"nvme_gb_per_s", "NVMe per GPU", "GB/s", "one-way to the disks, per GPU",
                   &Cluster::nvme_gb_per_s, 0, 1e5, "", logarithmic(0.1, 100)},
    Field<Cluster>{"usd_per_gpu_hour", "Usd per GPU hour", "USD", "what an hour of one GPU costs",
                   &Cluster::usd_per_gpu_hour, 0, 1000},
    Field<Cluster>{"host_gb_per_s", "Host", "GB/s", "memory bandwidth of one host, for its optimizer",
                   &Cluster::host_gb_per_s, 1, 1e7},
};

const std::array kParallelFields = {
    Field<Parallel>{"tensor", "Tensor parallel", "", "GPUs that share each layer's matrices",
                    &Parallel::tensor, 1, 65536},
    Field<Parallel>{"sequence_parallel", "Sequence parallel", "",
                    "norms and residual split along the sequence in a tensor group",
                    &Parallel::sequence_parallel},
    Field<Parallel>{"context", "Context parallel", "", "GPUs that share one sequence's tokens",
                    &Parallel::context, 1, 65536},
    Field<Parallel>{"pipeline", "Pipeline stages", "", "stages the layers are split into",
                    &Parallel::pipeline, 1, 65536},
    Field<Parallel>{"chunks", "Chunks per stage", "", "model chunks per stage (interleaving)",
                    &Parallel::chunks, 1, 1024},
    Field<Parallel>{"expert", "Expert parallel", "", "GPUs that share the experts", &Parallel::expert, 1,
                    65536},
    Field<Parallel>{"expert_tensor", "Expert tensor", "", "GPUs that share one expert's matrices",
                    &Parallel::expert_tensor, 1, 65536},
    Field<Parallel>{"zero", "ZeRO stage", "",
                    "0: replicated; 1: optimizer; 2: + gradients; 3: + weights sharded", &Parallel::zero, 0,
                    3, "", linear(0, 3, 1)},
    Field<Parallel>{"shard_group", "Shard group", "ranks",
                    "data-parallel ranks that share one sharded copy (HSDP); 0: all of them",
                    &Parallel::shard_group, 0, 1 << 24},
    Field<Parallel>{"whole_shards", "Whole shards", "",
                    "ZeRO deals out whole matrices, not even shares (layer-wise Muon)",
                    &Parallel::whole_shards},
    Field<Parallel>{"stage_layers", "Stage layers", "", "layers of each stage; empty: even",
                    &Parallel::stage_layers, 0, 10000},
    Field<Parallel>{"overlap_tensor", "Overlap tensor", "",
                    "all-gathers and reduce-scatters overlap a layer's GEMMs", &Parallel::overlap_tensor},
    Field<Parallel>{"overlap_expert", "Overlap expert", "", "all-to-alls overlap another micro-batch",
                    &Parallel::overlap_expert},
    Field<Parallel>{"overlap_pipeline", "Overlap pipeline", "",
                    "activations between stages overlap another chunk", &Parallel::overlap_pipeline},
};

const std::array kTrainingFields = {
    Field<Training>{"sequence_length", "Sequence length", "tokens", "tokens of one sequence",
                    &Training::sequence_length, 1, 1 << 27},
    Field<Training>{"micro_batch", "Micro-batch size", "sequences",
                    "sequences of one forward and backward pass", &Training::micro_batch, 1, 1 << 20},
    Field<Training>{"global_batch", "Global batch", "sequences", "sequences of one optimizer step",
                    &Training::global_batch, 1, 1 << 28},
    Field<Training>{"precision", "Precision", "", "arithmetic of the matrix products",
                    choice<&Training::precision>()},
    Field<Training>{"fp8_recipe", "FP8 recipe", "", "what 8-bit training keeps",
                    choice<&Training::fp8_recipe>()},
    Field<Training>{"gradient_dtype", "Gradient dtype", "", "format gradients are summed in",
                    choice<&Training::gradient_dtype>()},
    Field<Training>{"optimizer", "Optimizer", "", "what the step keeps per parameter",
                    choice<&Training::optimizer>()},
    Field<Training>{"moments_dtype", "Moments", "",
                    "format of the optimizer's moments; usual: FP32, or what the FP8 recipe says",
                    choice<&Training::moments_dtype>()},
    Field<Training>{"master_weights", "Master weights", "",
                    "copy that 16-bit weights are updated in: FP32, its lower 16 bits, or none",
                    choice<&Training::master_weights>()},
    Field<Training>{"recompute", "Recompute", "", "activations recomputed in the backward pass",
                    choice<&Training::recompute>()},
    Field<Training>{"recompute_modules", "Recomputed modules", "",
                    "what selective recomputation covers; none: attention's core (core_attn)",
                    selection<&Training::recompute_modules, RecomputeModule>()},
    Field<Training>{"recompute_layers", "Recomputed layers", "layers",
                    "layers of each stage that full recomputation applies to; 0: all",
                    &Training::recompute_layers, 0, 10000},
    Field<Training>{"flash_attention", "Flash attention", "", "never stores the score matrix",
                    &Training::flash_attention},
    Field<Training>{"schedule", "Schedule", "", "order of micro-batches in the pipeline", schedule_choice()},
    Field<Training>{"offload", "Offload", "", "state kept in host memory or on disk",
                    choice<&Training::offload>()},
    Field<Training>{"offload_activations", "Offload activations", "",
                    "share of the layers' activations kept in host memory until their backward pass",
                    &Training::offload_activations, 0, 1},
    Field<Training>{"deferred_head_gradients", "Deferred head gradients", "",
                    "micro-batches whose gradient of the output projection waits for the pipeline to drain",
                    &Training::deferred_head_gradients, 0, 1 << 20},
    Field<Training>{"fragmentation", "Fragmentation", "", "share of memory lost to fragmentation",
                    &Training::fragmentation, 0, 0.5},
    Field<Training>{"reserved_gb", "Reserved", "GB", "device memory kept from the allocator",
                    &Training::reserved_gb, 0, 1000},
    Field<Training>{"tokens", "Tokens", "tokens", "tokens of the whole run", &Training::tokens, 1, 1e18},
};

const std::array kLoraFields = {
    Field<Lora>{"rank", "LoRA rank", "", "rank of the adapters; 0: all weights are trained", &Lora::rank, 0,
                65536},
    Field<Lora>{"targets", "LoRA targets", "", "matrices of a block that get an adapter",
                selection<&Lora::targets, LoraModule>()},
    Field<Lora>{"quantized", "4-bit base", "", "frozen matrices of the blocks in 4 bits (QLoRA)",
                &Lora::quantized},
};

const std::array kPipelineTimesFields = {
    Field<PipelineTimes>{"forward", "Forward", "units", "forward of one micro-batch on one stage",
                         &PipelineTimes::forward, 0.01, 1000, "", linear(0.25, 4, 0.25)},
    Field<PipelineTimes>{"backward_input", "Backward, input", "units", "gradient with respect to the input",
                         &PipelineTimes::backward_input, 0, 1000, "", linear(0.25, 4, 0.25)},
    Field<PipelineTimes>{"backward_weight", "Backward, weight", "units",
                         "gradient with respect to the weights", &PipelineTimes::backward_weight, 0, 1000, "",
                         linear(0.25, 4, 0.25)},
    Field<PipelineTimes>{"transfer", "Transfer", "units", "passing activations to the next stage",
                         &PipelineTimes::transfer, 0, 1000, "", linear(0, 2, 0.05)},
    Field<PipelineTimes>{"recompute", "Recompute", "units", "recomputed before a backward pass",
                         &PipelineTimes::recompute, 0, 1000},
    Field<PipelineTimes>{"pair", "Pair", "",
                         "a forward and a backward run together, over one after the other (DualPipe)",
                         &PipelineTimes::pair, 0.25, 1},
    Field<PipelineTimes>{"blocking", "Blocking", "", "a stage computes nothing while it sends",
                         &PipelineTimes::blocking},
    Field<PipelineTimes>{"embedding", "Embedding", "layers", "forward of the embedding, in layers",
                         &PipelineTimes::embedding, 0, 1000},
    Field<PipelineTimes>{"head", "Head", "layers", "forward of the output projection and loss, in layers",
                         &PipelineTimes::head, 0, 1000},
};

const std::array kCollectiveFields = {
    Field<CollectiveSettings>{"ranks", "Ranks", "", "ranks of the ring; 0: the data-parallel size",
                              &CollectiveSettings::ranks, 0, 16, "", linear(2, 16, 1, true)},
    Field<CollectiveSettings>{"message_gb", "Message", "GB", "bytes to reduce; 0: this GPU's gradients",
                              &CollectiveSettings::message_gb, 0, 1e6, "", logarithmic(0.001, 1000, true)},
    Field<CollectiveSettings>{"latency_us", "Latency per hop", "us", "latency of one hop",
                              &CollectiveSettings::latency_us, 0, 1e6, "", logarithmic(0.1, 100)},
};

} // namespace

std::span<const Field<Model>> fields_of(const Model&)
{
    return kModelFields;
}
std::span<const Field<Gpu>> fields_of(const Gpu&)
{
    return kGpuFields;
}
std::span<const Field<Calibration>> fields_of(const Calibration&)
{
    return kCalibrationFields;
}
std::span<const Field<Software>> fields_of(const Software&)
{
    return kSoftwareFields;
}
std::span<const Field<Cluster>> fields_of(const Cluster&)
{
    return kClusterFields;
}
std::span<const Field<Parallel>> fields_of(const Parallel&)
{
    return kParallelFields;
}
std::span<const Field<Training>> fields_of(const Training&)
{
    return kTrainingFields;
}
std::span<const Field<Lora>> fields_of(const Lora&)
{
    return kLoraFields;
}
std::span<const Field<PipelineTimes>> fields_of(const PipelineTimes&)
{
    return kPipelineTimesFields;
}
std::span<const Field<CollectiveSettings>> fields_of(const CollectiveSettings&)
{
    return kCollectiveFields;
}

std::string_view name_of(ScheduleKind value)
{
    return value->id;
}

} // namespace ringside
