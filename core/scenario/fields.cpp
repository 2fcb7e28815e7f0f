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

constexpr double kMaxWidth = 1 << 20;

const std::array kModelFields = {
    Field<Model>{"layers", "", "transformer blocks", &Model::layers, 1, 10000},
    Field<Model>{"hidden", "", "width of the residual stream", &Model::hidden, 1, kMaxWidth},
    Field<Model>{"ffn", "", "inner width of the MLP; 0: 4 x hidden, or 8/3 x hidden when gated", &Model::ffn,
                 0, 8 * kMaxWidth},
    Field<Model>{"heads", "", "query heads", &Model::heads, 1, 65536},
    Field<Model>{"kv_heads", "", "key and value heads; 0: as many as heads", &Model::kv_heads, 0, 65536},
    Field<Model>{"head_dim", "", "width of one head; 0: hidden / heads", &Model::head_dim, 0, 65536},
    Field<Model>{"vocab", "", "rows of the embedding, padding included", &Model::vocab, 1, 1 << 26},
    Field<Model>{"max_sequence_length", "tokens", "rows of a learned position table",
                 &Model::max_sequence_length, 1, 1 << 27},
    Field<Model>{"gated_mlp", "", "three MLP matrices (SwiGLU) instead of two", &Model::gated_mlp},
    Field<Model>{"tied_embeddings", "", "the output projection is the embedding", &Model::tied_embeddings},
    Field<Model>{"biases", "", "a bias on every linear layer", &Model::biases},
    Field<Model>{"qkv_bias", "", "a bias on query, key and value only", &Model::qkv_bias},
    Field<Model>{"attention", "", "mha, gqa (fewer key/value heads) or mla (latent)",
                 choice<&Model::attention>()},
    Field<Model>{"norm", "", "layernorm (gain and bias) or rmsnorm (gain)", choice<&Model::norm>()},
    Field<Model>{"norms_per_layer", "", "normalizations in one block", &Model::norms_per_layer, 0, 8},
    Field<Model>{"positions", "", "how positions enter; only learned ones have parameters",
                 choice<&Model::positions>(), 0, 0, "position_embedding"},
    Field<Model>{"qk_norm", "", "normalizes queries and keys: per head, or over all heads",
                 choice<&Model::qk_norm>()},
    Field<Model>{"attention_sinks", "", "one learned logit per head", &Model::attention_sinks, 0, 0, "sinks"},
    Field<Model>{"dropout", "", "trained with dropout, whose masks are kept for the backward pass",
                 &Model::dropout},
    Field<Model>{"q_lora_rank", "", "latent width of queries (mla); 0: not compressed", &Model::q_lora_rank,
                 0, kMaxWidth, "q_lora"},
    Field<Model>{"kv_lora_rank", "", "latent width of keys and values (mla)", &Model::kv_lora_rank, 0,
                 kMaxWidth, "kv_lora"},
    Field<Model>{"qk_nope_head_dim", "", "head width without positions (mla)", &Model::qk_nope_head_dim, 0,
                 65536, "qk_head_dim"},
    Field<Model>{"qk_rope_head_dim", "", "head width with rotary positions (mla)", &Model::qk_rope_head_dim,
                 0, 65536, "qk_pos_emb_head_dim"},
    Field<Model>{"v_head_dim", "", "head width of values (mla)", &Model::v_head_dim, 0, 65536},
    Field<Model>{"experts", "", "routed experts of a layer; 0: a dense model", &Model::experts, 0, 65536},
    Field<Model>{"experts_per_token", "", "routed experts a token visits", &Model::experts_per_token, 0,
                 65536, "top_k"},
    Field<Model>{"expert_ffn", "", "inner width of one expert; 0: as ffn", &Model::expert_ffn, 0,
                 8 * kMaxWidth, "moe_ffn"},
    Field<Model>{"shared_experts", "", "experts every token visits", &Model::shared_experts, 0, 1024},
    Field<Model>{"dense_layers", "", "leading layers with a dense MLP", &Model::dense_layers, 0, 10000},
    Field<Model>{"router_bias", "", "a balancing offset per expert", &Model::router_bias},
    Field<Model>{"moe_interval", "", "after those, every how-many-th layer has experts", &Model::moe_interval,
                 1, 10000},
};

const std::array kGpuFields = {
    Field<Gpu>{"memory_gb", "GB", "memory of one accelerator, decimal", &Gpu::memory_gb, 0.1, 1e5},
    Field<Gpu>{"hbm_gb_per_s", "GB/s", "memory bandwidth", &Gpu::hbm_gb_per_s, 1, 1e7},
    Field<Gpu>{"bf16_tflops", "TFLOP/s", "dense 16-bit peak", &Gpu::bf16_tflops, 0.01, 1e7},
    Field<Gpu>{"fp8_tflops", "TFLOP/s", "dense 8-bit peak; 0: none", &Gpu::fp8_tflops, 0, 1e7},
    Field<Gpu>{"link_gb_per_s", "GB/s", "one-way rate to the GPUs of its node", &Gpu::link_gb_per_s, 0, 1e6},
    Field<Gpu>{"pcie_gb_per_s", "GB/s", "one-way rate to the host", &Gpu::pcie_gb_per_s, 0, 1e6},
    Field<Gpu>{"power_w", "W", "board power", &Gpu::power_w, 0, 1e6},
};

const std::array kCalibrationFields = {
    Field<Calibration>{"multiprocessors", "", "processors that share the tiles of a matrix product",
                       &Calibration::multiprocessors, 1, 1e5},
    Field<Calibration>{"gemm_efficiency", "", "share of the dense peak inside full waves of tiles",
                       &Calibration::gemm_efficiency, 0.01, 1},
    Field<Calibration>{"attention_efficiency", "", "share of the dense peak that flash attention reaches",
                       &Calibration::attention_efficiency, 0.01, 1},
    Field<Calibration>{"hbm_efficiency", "", "share of the memory bandwidth element-wise kernels reach",
                       &Calibration::hbm_efficiency, 0.01, 1},
    Field<Calibration>{"kernel_us", "us", "start and end of one kernel on the device",
                       &Calibration::kernel_us, 0, 1000},
    Field<Calibration>{"host_kernel_us", "us", "the framework takes to launch one kernel; CUDA graphs: 0",
                       &Calibration::host_kernel_us, 0, 1e5},
    Field<Calibration>{"link_efficiency", "", "share of the node's link that a ring reaches",
                       &Calibration::link_efficiency, 0.01, 1},
    Field<Calibration>{"network_efficiency", "", "share of the network's link that a ring reaches",
                       &Calibration::network_efficiency, 0.01, 1},
    Field<Calibration>{"collective_us", "us", "of a collective before the first byte",
                       &Calibration::collective_us, 0, 1e5},
    Field<Calibration>{"hop_us", "us", "of one step of a ring inside a node", &Calibration::hop_us, 0, 1e5},
    Field<Calibration>{"network_hop_us", "us", "of one step between nodes", &Calibration::network_hop_us, 0,
                       1e5},
    Field<Calibration>{"data_overlap", "", "share of the backward that gradient traffic can hide behind",
                       &Calibration::data_overlap, 0, 1},
    Field<Calibration>{"overlap_slowdown", "", "of hidden gradient traffic, what compute loses by it",
                       &Calibration::overlap_slowdown, 0, 1},
    Field<Calibration>{"gather_slowdown", "", "of ZeRO-3's hidden traffic, what compute loses by it",
                       &Calibration::gather_slowdown, 0, 1},
};

const std::array kClusterFields = {
    Field<Cluster>{"gpus", "", "GPUs in all", &Cluster::gpus, 1, 1 << 24},
    Field<Cluster>{"gpus_per_node", "", "GPUs in one fast-link domain", &Cluster::gpus_per_node, 1, 65536},
    Field<Cluster>{"node_link_gb_per_s", "GB/s", "one-way per GPU inside a node; 0: the GPU's own",
                   &Cluster::node_link_gb_per_s, 0, 1e6},
    Field<Cluster>{"network_gb_per_s", "GB/s", "one-way per GPU between nodes", &Cluster::network_gb_per_s,
                   0.001, 1e6},
    Field<Cluster>{"host_memory_gb", "GB", "memory of one host, for offload", &Cluster::host_memory_gb, 0,
                   1e7},
    Field<Cluster>{"nvme_gb_per_s", "GB/s", "one-way to the disks, per GPU", &Cluster::nvme_gb_per_s, 0, 1e5},
    Field<Cluster>{"usd_per_gpu_hour", "USD", "what an hour of one GPU costs", &Cluster::usd_per_gpu_hour, 0,
                   1000},
    Field<Cluster>{"host_gb_per_s", "GB/s", "memory bandwidth of one host, for its optimizer",
                   &Cluster::host_gb_per_s, 1, 1e7},
};

const std::array kParallelFields = {
    Field<Parallel>{"tensor", "", "GPUs that share each layer's matrices", &Parallel::tensor, 1, 65536},
    Field<Parallel>{"sequence_parallel", "", "norms and residual split along the sequence in a tensor group",
                    &Parallel::sequence_parallel},
    Field<Parallel>{"context", "", "GPUs that share one sequence's tokens", &Parallel::context, 1, 65536},
    Field<Parallel>{"pipeline", "", "stages the layers are cut into", &Parallel::pipeline, 1, 65536},
    Field<Parallel>{"chunks", "", "model chunks per stage (interleaving)", &Parallel::chunks, 1, 1024},
    Field<Parallel>{"expert", "", "GPUs that share the experts", &Parallel::expert, 1, 65536},
    Field<Parallel>{"expert_tensor", "", "GPUs that share one expert's matrices", &Parallel::expert_tensor, 1,
                    65536},
    Field<Parallel>{"zero", "", "0: replicated; 1: optimizer; 2: + gradients; 3: + weights sharded",
                    &Parallel::zero, 0, 3},
    Field<Parallel>{"stage_layers", "", "layers of each stage; empty: even", &Parallel::stage_layers, 0,
                    10000},
    Field<Parallel>{"overlap_tensor", "", "gathers and scatters of a layer beside its products",
                    &Parallel::overlap_tensor},
    Field<Parallel>{"overlap_expert", "", "tokens to experts and back beside another micro-batch",
                    &Parallel::overlap_expert},
    Field<Parallel>{"overlap_pipeline", "", "activations between stages beside another chunk",
                    &Parallel::overlap_pipeline},
};

const std::array kTrainingFields = {
    Field<Training>{"sequence_length", "tokens", "tokens of one sequence", &Training::sequence_length, 1,
                    1 << 27},
    Field<Training>{"micro_batch", "sequences", "sequences processed at once", &Training::micro_batch, 1,
                    1 << 20},
    Field<Training>{"global_batch", "sequences", "sequences of one optimizer step", &Training::global_batch,
                    1, 1 << 28},
    Field<Training>{"precision", "", "arithmetic of the matrix products", choice<&Training::precision>()},
    Field<Training>{"fp8_recipe", "", "what 8-bit training keeps", choice<&Training::fp8_recipe>()},
    Field<Training>{"gradient_dtype", "", "format gradients are summed in",
                    choice<&Training::gradient_dtype>()},
    Field<Training>{"optimizer", "", "what the step keeps per parameter", choice<&Training::optimizer>()},
    Field<Training>{"recompute", "", "activations recomputed in the backward pass",
                    choice<&Training::recompute>()},
    Field<Training>{"flash_attention", "", "never stores the score matrix", &Training::flash_attention},
    Field<Training>{"schedule", "", "order of micro-batches in the pipeline", schedule_choice()},
    Field<Training>{"offload", "", "state kept in host memory or on disk", choice<&Training::offload>()},
    Field<Training>{"fragmentation", "", "share of memory lost to fragmentation", &Training::fragmentation, 0,
                    0.5},
    Field<Training>{"reserved_gb", "GB", "device memory kept from the allocator", &Training::reserved_gb, 0,
                    1000},
    Field<Training>{"tokens", "tokens", "tokens of the whole run", &Training::tokens, 1, 1e18},
};

const std::array kPipelineTimesFields = {
    Field<PipelineTimes>{"forward", "units", "forward of one micro-batch on one stage",
                         &PipelineTimes::forward, 0.01, 1000},
    Field<PipelineTimes>{"backward_input", "units", "gradient with respect to the input",
                         &PipelineTimes::backward_input, 0, 1000},
    Field<PipelineTimes>{"backward_weight", "units", "gradient with respect to the weights",
                         &PipelineTimes::backward_weight, 0, 1000},
    Field<PipelineTimes>{"transfer", "units", "passing activations to the next stage",
                         &PipelineTimes::transfer, 0, 1000},
    Field<PipelineTimes>{"recompute", "units", "recomputed before a backward pass", &PipelineTimes::recompute,
                         0, 1000},
    Field<PipelineTimes>{"pair", "",
                         "a forward and a backward run together, over one after the other (DualPipe)",
                         &PipelineTimes::pair, 0.25, 1},
    Field<PipelineTimes>{"blocking", "", "a stage computes nothing while it sends", &PipelineTimes::blocking},
    Field<PipelineTimes>{"embedding", "layers", "forward of the embedding, in layers",
                         &PipelineTimes::embedding, 0, 1000},
    Field<PipelineTimes>{"head", "layers", "forward of the output projection and loss, in layers",
                         &PipelineTimes::head, 0, 1000},
};

const std::array kCollectiveFields = {
    Field<CollectiveSettings>{"ranks", "", "ranks of the ring; 0: the data-parallel size",
                              &CollectiveSettings::ranks, 0, 16},
    Field<CollectiveSettings>{"message_gb", "GB", "bytes to reduce; 0: this GPU's gradients",
                              &CollectiveSettings::message_gb, 0, 1e6},
    Field<CollectiveSettings>{"latency_us", "us", "latency of one hop", &CollectiveSettings::latency_us, 0,
                              1e6},
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
