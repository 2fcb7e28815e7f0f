#include "core/runs/tensor_names.h"

#include <fmt/format.h>

#include "core/memory/activations/tensors.h"
#include "core/model/sizes.h"
#include "core/model/weights.h"

#include <array>

namespace ringside
{

namespace
{

constexpr std::int64_t kBlock = 512; // [B] the allocator rounds up to (c10/cuda/CUDACachingAllocator.cpp)

struct ElementType
{
    double bytes;
    std::string_view name;
};
constexpr std::array<ElementType, 3> kTypes{{{4, "FP32"}, {2, "16 bits"}, {1, "8 bits"}}};

struct TensorSize
{
    double elements = 0;
    std::string name;
};

void add_weights(std::vector<TensorSize>& out, const std::vector<Weight>& weights)
{
    for (const Weight& weight : weights)
    {
        if (weight.matrix())
        {
            out.push_back({static_cast<double>(weight.local_elements()),
                           fmt::format("as the weight \u201c{}\u201d", weight.name)});
        }
    }
}

// Weights first: a gradient or a moment is told from an activation of the same size by nothing.
std::vector<TensorSize> sizes_of_tensors(const Scenario& s)
{
    std::vector<TensorSize> out;
    const bool experts = s.model.experts > 0;
    add_weights(out, layer_weights(s.model, s.parallel, experts));
    add_weights(out, embedding_weights(s.model, s.parallel));
    add_weights(out, head_weights(s.model, s.parallel, false));
    for (const ActivationTensor& tensor : activation_tensors(s.model, s.training, s.parallel, experts))
    {
        out.push_back({tensor_bytes(tensor, s.training, s.parallel) / tensor.element,
                       fmt::format("activation: {}", tensor.name)});
    }
    const double tokens = micro_batch_tokens(s);
    const auto wide = [&](std::int64_t width, std::int64_t cut)
    { return tokens * static_cast<double>(width) / static_cast<double>(cut); };
    out.push_back({wide(s.model.hidden, 1), "activation as wide as the residual"});
    out.push_back({wide(s.model.ffn, s.parallel.tensor), "activation as wide as the MLP"});
    out.push_back({wide(2 * s.model.ffn, s.parallel.tensor), "activation twice as wide as the MLP"});
    out.push_back({wide(s.model.vocab, s.parallel.tensor), "logits"});
    out.push_back({wide(s.model.heads * s.training.sequence_length, s.parallel.tensor), "scores"});
    return out;
}

std::string name_of_size(std::int64_t bytes, const std::vector<TensorSize>& tensors)
{
    for (const TensorSize& tensor : tensors)
    {
        for (const ElementType& type : kTypes)
        {
            const auto size = static_cast<std::int64_t>(tensor.elements * type.bytes);
            if (size >= kBlock && bytes >= size && bytes < size + kBlock)
            {
                return fmt::format("{}, {}", tensor.name, type.name);
            }
        }
    }
    return {};
}

} // namespace

std::vector<NamedBlocks> named_blocks(const std::vector<SnapshotGroup>& sizes, const Scenario& scenario)
{
    const std::vector<TensorSize> tensors = sizes_of_tensors(scenario);
    const auto layers = static_cast<double>(scenario.model.layers);
    std::vector<NamedBlocks> out;
    for (const SnapshotGroup& blocks : sizes)
    {
        out.push_back(
            {blocks, name_of_size(blocks.bytes, tensors), static_cast<double>(blocks.count) / layers});
    }
    return out;
}

} // namespace ringside
