// Every parameter tensor of the model and how it is cut over GPUs: parameter counts, exact to the last one.
#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace ringside
{

// One kind of tensor in one layer. "Local" is what one GPU of a tensor/expert group holds, before ZeRO.
struct Weight
{
    std::string_view name;
    std::int64_t rows = 0; // inputs, whole
    std::int64_t cols = 0; // outputs, whole; 1 for vectors
    std::int64_t local_rows = 0;
    std::int64_t local_cols = 0;
    std::int64_t copies = 1;        // experts in the layer; 1 otherwise
    std::int64_t local_copies = 1;  // experts on one GPU
    std::int64_t active_copies = 1; // experts per token
    bool expert = false;            // replicated over the expert replicas instead of the dense ones
    std::int64_t queries = 0;       // of local_cols, where a product makes keys and values, too
    std::int64_t keys = 0;
    bool mlp = false; // of the MLP, router and experts included; else attention and norms

    bool matrix() const { return cols > 1; }
    std::int64_t elements() const { return rows * cols * copies; }
    std::int64_t local_elements() const { return local_rows * local_cols * local_copies; }
};

// What makes blocks differ in their tensors.
struct LayerKind
{
    bool experts = false;
    LayerAttention attention = LayerAttention::full;
    bool window = false;  // with heads of its own: see has_window_heads()
    bool borrows = false; // keys and values of an earlier layer: see borrows_keys()

    bool operator==(const LayerKind&) const = default;
};
LayerKind layer_kind(const Model& model, std::int64_t layer);
// The kinds that the first `count` blocks are of, and how many are of each. all_layers() includes those that
// predict further tokens.
struct LayersOfKind
{
    LayerKind kind;
    std::int64_t layers = 0;
};
std::vector<LayersOfKind> layers_by_kind(const Model& model, std::int64_t count);

// The tensors of one transformer block. Tensor parallelism cuts columns of the first
// matrix of a pair and rows of the second (Shoeybi et al., arXiv 1909.08053, section 3); norms, routers and
// latent projections stay whole. By `with_experts` alone, one that attends as the first does.
std::vector<Weight> layer_weights(const Model& model, const Parallel& parallel, LayerKind kind);
std::vector<Weight> layer_weights(const Model& model, const Parallel& parallel, bool with_experts);
// Token embedding and learned positions.
std::vector<Weight> embedding_weights(const Model& model, const Parallel& parallel);
// Final norm, the output projection unless it is the embedding of the same stage, and the inputs of
// prediction layers.
std::vector<Weight> head_weights(const Model& model, const Parallel& parallel, bool shares_embedding);

struct ParameterCount
{
    std::int64_t total = 0;
    std::int64_t active = 0;    // a token passes through: unvisited routed experts left out
    std::int64_t embedding = 0; // token embedding and positions
    std::int64_t head = 0;      // output projection; 0 when tied
    std::int64_t layers = 0;    // all blocks, those that predict further tokens included
};

ParameterCount count_parameters(const Model& model);

// What one stage holds on one GPU, in elements, before ZeRO.
struct StageWeights
{
    std::int64_t dense = 0;          // shared by all data-parallel and context ranks
    std::int64_t expert = 0;         // shared by the expert replicas only
    std::int64_t matrices_dense = 0; // of `dense`, in hidden matrices (what Muon orthogonalizes)
    std::int64_t matrices_expert = 0;
    std::int64_t factored_dense =
        0; // rows + columns of the matrices, plus all vectors (what Adafactor keeps)
    std::int64_t factored_expert = 0;
    std::int64_t largest_layer = 0; // elements of the largest block
    std::int64_t root = 0;          // embedding, final norm and head
    std::int64_t distinct = 0;      // one of every matrix shape in the stage
    // Linear layers of the blocks, which a quantized base has in 4 bits; the adapters beside those that LoRA
    // names; the largest hidden matrix, one expert's among the experts.
    std::int64_t linear_dense = 0;
    std::int64_t linear_expert = 0;
    std::int64_t adapters_dense = 0;
    std::int64_t adapters_expert = 0;
    std::int64_t matrix_dense = 0;
    std::int64_t matrix_expert = 0;

    std::int64_t total() const { return dense + expert; }
    bool operator==(const StageWeights&) const = default;
};

// The layers of one virtual stage.
struct LayerRange
{
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int64_t stage = 0;   // which virtual stage
    std::int64_t experts = 0; // layers of them that have experts

    std::int64_t dense() const { return count - experts; }
    bool operator==(const LayerRange&) const = default;
};

// What one rank of the pipeline holds.
struct StagePart
{
    std::vector<LayerRange> ranges; // one per chunk; two stages of the model with Placement::two_way
    bool embedding = false;
    bool head = false; // final norm, output projection, loss
    // Layers that predict further tokens embed those with a table of their own where the first stage is
    // another GPU's (Megatron-Core, multi_token_prediction.py).
    bool embeds_again = false;
};

// Whether the pipeline's last stage does.
constexpr bool embeds_again(const Model& model, const Parallel& parallel, Placement placement)
{
    return model.mtp_layers > 0 && parallel.pipeline > 1 && placement == Placement::loop;
}

// [rank]
std::vector<StagePart> stage_parts(const Model& model, const Parallel& parallel, Placement placement);
std::vector<StageWeights> stage_weights(const Model& model, const Parallel& parallel,
                                        std::span<const StagePart> parts, const Lora& lora = {});
std::vector<StageWeights> stage_weights(const Model& model, const Parallel& parallel, Placement placement,
                                        const Lora& lora = {});

} // namespace ringside
