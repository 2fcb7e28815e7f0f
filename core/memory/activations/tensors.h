// What one layer leaves behind for its backward pass, tensor by tensor. The engine's count of activations
// (memory.h) is the sum of this list, so a picture of it cannot disagree. Statistics of norms and the like
// are left out, as in the paper.
//
// Under full recomputation the input of the first norm is what is kept: it is the input of the layer.
// Alternate recomputation is torchtitan's default ("op"): attention's output is kept, and of the products, in
// their order, every second one's, from the first on (torchtitan/distributed/activation_checkpoint.py).
#pragma once

#include "core/model/sizes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ringside
{

enum class LayerHalf : std::uint8_t
{
    attention,
    mlp
};

// One tensor of a layer, for one token before anything is cut.
struct ActivationTensor
{
    std::string_view name;  // "queries"
    std::string_view shape; // elements of a token in the papers' symbols, "a d"
    LayerHalf half = LayerHalf::attention;
    double element = 2;       // bytes
    double width = 0;         // elements of a token; of a token and each token of the sequence where `scores`
    bool by_sequence = false; // cut by tensor only with sequence parallelism; else always
    bool scores = false;      // grows with the square of the sequence; never written with flash attention
    bool input = false;       // the layer's input, which full recomputation keeps
    bool saved = false;       // kept by alternate recomputation, too
    bool unread = false;      // kept by that alone: no backward needs it
    unsigned modules = 0;     // a bit for each RecomputeModule that computes it again

    double per_token() const { return element * width; }
};

// The list, without a visit to the heap.
class ActivationTensors
{
public:
    // One that the model does not have is left out; what layers of several kinds have in common is one.
    void add(const ActivationTensor& tensor)
    {
        ActivationTensor* const known = std::find_if(tensors_.data(), tensors_.data() + count_,
                                                     [&](const auto& t) { return t.name == tensor.name; });
        if (known != tensors_.data() + count_)
        {
            known->width += tensor.width;
        }
        else if (tensor.width > 0)
        {
            tensors_[count_++] = tensor;
        }
    }
    const ActivationTensor* begin() const { return tensors_.data(); }
    const ActivationTensor* end() const { return begin() + count_; }
    std::size_t size() const { return count_; }
    const ActivationTensor& operator[](std::size_t i) const { return tensors_[i]; }

private:
    std::array<ActivationTensor, 80> tensors_{}; // 60 were a model to have every kind of layer
    std::size_t count_ = 0;
};

// Everything that a layer could keep, in the order in which its forward pass makes it. Korthikanti et al.,
// arXiv 2205.05198, section 4.1, extended to gated MLPs, grouped and latent attention, and experts.
ActivationTensors activation_tensors(const Model& model, const Training& training, const Parallel& parallel,
                                     bool with_experts);

// What becomes of a tensor between forward and backward.
enum class Keeping : std::uint8_t
{
    kept,
    never, // flash attention does not write it
    again  // let go, and computed again
};
Keeping keeping(const ActivationTensor& tensor, const Training& training, Recompute recompute);

// Bytes of one micro-batch on one GPU, were it kept.
double tensor_bytes(const ActivationTensor& tensor, const Training& training, const Parallel& parallel);

} // namespace ringside
