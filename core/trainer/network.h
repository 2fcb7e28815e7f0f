// The transformer itself: forward and backward written out by hand on top of a backend's operations. Knows
// nothing of optimizers, data or time.
#pragma once

#include "core/lab/snapshot.h"
#include "core/trainer/parameters.h"

#include <atomic>

namespace ringside::trainer
{

// A matrix with the memory it lies in.
class Held
{
public:
    Held() = default;
    Held(Arena& arena, Index rows, Index cols, DType type, Component component);

    const Tensor& tensor() const { return tensor_; }
    operator const Tensor&() const { return tensor_; } // NOLINT(google-explicit-constructor)
    explicit operator bool() const { return static_cast<bool>(block_); }
    float* floats() const { return block_.as<float>(); }
    void drop() { *this = Held(); }

private:
    Block block_;
    Block scales_;
    Tensor tensor_;
};

// What looks on while a step runs; all optional.
struct Onlookers
{
    const std::atomic<bool>* stop = nullptr; // checked between layers
    std::vector<MemoryMoment>* timeline = nullptr;
    ExponentHistogram* activations = nullptr;
    ExponentHistogram* gradients = nullptr;
    std::string* first_bad = nullptr; // told where the first number that is not finite comes from
};

// Sequences side by side, all of one length.
struct Tokens
{
    const std::int32_t* tokens = nullptr;  // on the device
    const std::int32_t* targets = nullptr; // on the device
    Index sequences = 0;
    Index length = 0;

    Index rows() const { return sequences * length; }
};

class Network
{
public:
    Network(const TrainerConfig& config, Backend& backend, Arena& arena, Parameters& parameters);

    // Recomputation and flash attention may change between steps.
    void set(const Training& training);

    // Adds the gradients of `scale` times the summed loss to the parameters' and writes each row's loss to
    // `losses` on the device. False when stopped: gradients are then incomplete.
    bool train(const Tokens& batch, float scale, float* losses, const Onlookers& onlookers);
    // Losses only. False when stopped.
    bool evaluate(const Tokens& batch, float* losses, const Onlookers& onlookers);
    // [1, vocab] after the first `seen` tokens of one sequence.
    Held logits_after(const Tokens& batch, Index seen);

private:
    // What a layer keeps for its backward.
    struct Layer
    {
        Held x; // its input
        Held statistics1;
        Held normed1;
        Held qkv; // queries and keys already turned
        Held log_sums;
        Held probabilities;
        Held attention;
        Held middle; // between attention and MLP
        Held statistics2;
        Held normed2;
        Held pre;
        Held activated;
    };
    struct Head
    {
        Held statistics;
        Held normed;
        Held logits;
    };

    Held matrix(Index rows, Index cols, DType type, Component component);
    Held embed(const Tokens& batch, Component component);
    // Everything inside a layer whose x is given; `component` says what it counts as.
    void forward_layer(Index index, const Tokens& batch, Layer& layer, Component component);
    Held output_of(Index index, const Layer& layer, Component component);
    void forward_attention(const LayerPlaces& places, const Tokens& batch, Layer& layer, Component component);
    void again_probabilities(const Tokens& batch, Layer& layer);
    Held forward_all(const Tokens& batch, std::vector<Layer>& layers, Component component);
    Head forward_head(const Tensor& x, Component component);
    Held backward_head(const Tokens& batch, const Tensor& x, Head& head, float scale, float* losses);
    void backward_layer(Index index, const Tokens& batch, Layer& layer, const Tensor& residual);
    void backward_mlp(const LayerPlaces& places, Layer& layer, const Tensor& residual);
    void backward_attention(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                            const Tensor& residual);
    void backward_embedding(const Tokens& batch, const Tensor& residual);

    // out = x weight + bias + add
    void linear(const Tensor& x, int weight, int bias, const Tensor& out, const Tensor& add = {});
    // Gradients of weight and bias; and of x, where `dx` is given.
    void linear_backward(const Tensor& dy, const Tensor& x, int weight, int bias, const Tensor& dx);
    void norm(const Tensor& x, int gain, int bias, Held& out, Held& statistics, DType type,
              Component component);
    void norm_backward(const Tensor& gradient, const Tensor& x, int gain, int bias, const Held& statistics,
                       const Tensor& dx);
    Attention attention_of(const Tokens& batch, const Layer& layer) const;
    bool keeps_probabilities() const { return !training_.flash_attention; }
    bool drops_probabilities() const
    {
        return keeps_probabilities() && training_.recompute == Recompute::selective;
    }
    Tensor optional_weight(int place) const { return place < 0 ? Tensor{} : parameters_.weight(place); }
    Tensor optional_gradient(int place) const { return place < 0 ? Tensor{} : parameters_.gradient(place); }

    void look(ExponentHistogram* histogram, const Tensor& tensor);
    // Looks for numbers that are not finite, where somebody wants to know.
    void hunt(const Tensor& tensor, std::string_view name, Index layer = -1);
    void hunt(const Layer& layer, const Tensor& out, Index index);
    void moment(MemoryMoment::Where where, Index layer = 0);
    bool stopped() const { return onlookers_.stop && onlookers_.stop->load(std::memory_order_relaxed); }

    Model model_;
    Training training_;
    Backend& backend_;
    Arena& arena_;
    Parameters& parameters_;
    Onlookers onlookers_;
};

} // namespace ringside::trainer
