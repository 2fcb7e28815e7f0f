// The transformer itself: forward and backward written out by hand on top of a backend's operations. Knows
// nothing of optimizers, data or time. It may be a piece of a model whose other pieces are elsewhere; then
// what passes between two pieces goes through the caller, and inside a layer through Partners.
#pragma once

#include "core/lab/trainer/network/parameters.h"
#include "core/lab/trainer/schedule.h"

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
    std::int32_t* integers() const { return block_.as<std::int32_t>(); } // in the place of floats
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

// Sequences side by side, all of one length. With context parallelism, this rank's tokens of each.
struct Tokens
{
    const std::int32_t* tokens = nullptr;  // on the device
    const std::int32_t* targets = nullptr; // on the device
    Index sequences = 0;
    Index length = 0;

    Index rows() const { return sequences * length; }
};

// Which of the piece's layers a pass goes through, and whether the embedding comes before and the head after.
struct Stretch
{
    Index first = 0; // among the piece's layers
    Index count = 0;
    bool embeds = true;
    bool heads = true;
};

class Network
{
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
        Held pre; // of the MLP, or of the experts that are here
        Held activated;
        Held router; // probabilities
        Held slots;
        Held gates;
        Held tally;
        Held dispatched; // what came in for the experts here
        Held given;      // what its experts gave this rank's tokens
    };
    // A product for a weight's gradient that is made later.
    struct Later
    {
        Tensor x;
        Held dy;
        int weight = -1;
        int bias = -1;
        bool gathers = false; // x has this rank's rows only
    };

public:
    // What a micro-batch keeps from its forward until its backward has ended.
    class Pass
    {
    public:
        explicit operator bool() const { return begun_; }

    private:
        friend class Network;
        bool begun_ = false;
        std::vector<Layer> layers_;
        Held out_; // the last layer's, where the head follows
        std::vector<Later> later_;
    };

    Network(const TrainerConfig& config, Backend& backend, Arena& arena, ParameterStore& parameters);
    // A piece. `partners` must live as long.
    Network(const TrainerConfig& config, const Piece& piece, Backend& backend, Arena& arena,
            ParameterStore& parameters, Partners& partners);

    // Recomputation, flash attention, fusion and the experts' capacity may change between steps.
    void set(const TrainerConfig& config);
    // Who looks on from now on.
    void watch(const Onlookers& onlookers) { onlookers_ = onlookers; }

    // Adds the gradients of the weighted losses to the parameters' and writes each row's loss to `losses` on
    // the device. False when stopped: gradients are then incomplete.
    bool train(const Tokens& batch, const LossWeights& weights, float* losses, const Onlookers& onlookers);

    // One pass of a micro-batch. `in` is the output of the layers before, empty where the stretch embeds;
    // what comes back is for the layers after, or empty where it heads, or when stopped.
    Held forward(const Stretch& stretch, const Tokens& batch, Held in, Pass& pass);
    // `gradient` is that of the output, empty where the stretch heads (then `losses` count); what
    // comes back is that of the input, empty where the stretch embeds. With `weights_later` the products for
    // the gradients of the layers' matrices wait for backward_weights() (Qi et al., arXiv 2401.10241, section
    // 2), and so does what they need.
    Held backward(const Stretch& stretch, const Tokens& batch, Held gradient, Pass& pass,
                  const LossWeights& weights, float* losses, bool weights_later = false);
    void backward_weights(const Stretch& stretch, Pass& pass);
    // Adds the tallies of the last forward through these layers, over its sequences, to sums[layer of the
    // piece] x Route::tally_width(), as soon as they are there. Nothing without experts.
    void add_tallies(const Stretch& stretch, const std::shared_ptr<std::vector<double>>& sums);

    // Losses only. False when stopped.
    bool evaluate(const Tokens& batch, float* losses, const Onlookers& onlookers);
    // [1, vocab] after the first `seen` tokens of one sequence.
    Held logits_after(const Tokens& batch, Index seen);

    // Rows of the residual that this piece has of a micro-batch.
    Index own_rows(Index rows) const
    {
        return partners_.sequence_parallel() ? rows / partners_.tensor_ranks() : rows;
    }

private:
    struct Head
    {
        Held statistics;
        Held normed;
        Held logits;
    };
    // A tensor of all rows: the one that is there, or gathered from the tensor group.
    class Whole
    {
    public:
        Whole(const Tensor& there, Held gathered) : there_(there), gathered_(std::move(gathered)) {}
        const Tensor& tensor() const { return gathered_ ? gathered_.tensor() : there_; }
        operator const Tensor&() const { return tensor(); } // NOLINT(google-explicit-constructor)

    private:
        Tensor there_;
        Held gathered_;
    };

    Held matrix(Index rows, Index cols, DType type, Component component);
    Held embed(const Tokens& batch, Component component);
    void turn(const Tensor& qkv, const Tokens& batch, bool backwards);
    // The output of the last layer, with nothing kept; empty when stopped.
    Held forward_only(const Tokens& batch, const Onlookers& onlookers);
    // Everything inside a layer whose x is given; `component` says what it counts as.
    void forward_layer(Index index, const Tokens& batch, Layer& layer, Component component);
    void forward_mlp(const LayerPlaces& places, const Tokens& batch, Layer& layer, Component component);
    Held output_of(Index index, const Layer& layer, Component component);

    // Experts, in experts.cpp.
    bool has_experts() const { return model_.experts > 0; }
    Index capacity(Index length) const;
    Held zeros(Index rows, Index cols, DType type, Component component);
    Route route_of(const Tokens& batch, const Layer& layer) const;
    Held exchanged(Held own, Component component);
    // Calls work(expert among those that are here, first row, rows) for each part of an experts' buffer.
    template <class Work>
    void each_part(Index rows, const Work& work) const;
    void forward_experts(const LayerPlaces& places, const Tokens& batch, Layer& layer, Component component);
    void run_experts(const LayerPlaces& places, Layer& layer, const Tensor& out, Component component);
    void backward_experts(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                          const Tensor& residual);
    Held run_experts_backward(const LayerPlaces& places, const Layer& layer, Held gradient);
    void keep_tally(Index index, const Layer& layer);
    void forward_attention(const LayerPlaces& places, const Tokens& batch, Layer& layer, Component component);
    void attend(const Tokens& batch, Layer& layer);
    void attend_in_ring(const Tokens& batch, Layer& layer);
    void attend_backward(const Tokens& batch, Layer& layer, const Tensor& gradient, const Tensor& dqkv);
    void attend_in_ring_backward(const Tokens& batch, Layer& layer, const Tensor& gradient,
                                 const Tensor& dqkv);
    AttentionHop hop_of(const Tokens& batch, const Layer& layer, const Tensor& key_value, Index hop) const;
    Tensor own_keys(const Tensor& qkv) const;
    Cut own_cut(const Tokens& batch) const
    {
        return cut_of(partners_.context_ranks(), partners_.context_rank(), batch.length);
    }
    void again_probabilities(const Tokens& batch, Layer& layer);
    Held forward_layers(const Stretch& stretch, const Tokens& batch, Held x, std::vector<Layer>& layers,
                        Component component);
    Head forward_head(const Tensor& x, Component component);
    Held backward_head(const Tokens& batch, const Tensor& x, Head& head, float* losses);
    void cross_entropy(const Tokens& batch, const Tensor& logits, float scale, float* losses);
    void backward_layer(Index index, const Tokens& batch, Layer& layer, const Tensor& residual);
    void backward_mlp(const LayerPlaces& places, Layer& layer, const Tensor& residual);
    void backward_attention(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                            const Tensor& residual);
    void backward_embedding(const Tokens& batch, const Tensor& residual);

    // out = x weight + bias + add
    void linear(const Tensor& x, int weight, int bias, const Tensor& out, const Tensor& add = {});
    // linear() where x is split by columns over the tensor group: the sum of all parts.
    void linear_sum(const Tensor& x, int weight, int bias, const Tensor& out, const Tensor& add);
    // Gradients of weight and bias, and of x.
    void linear_backward(const Tensor& dy, const Tensor& x, int weight, int bias, const Tensor& dx,
                         bool gathers = false);
    void weight_gradient(const Tensor& dy, const Tensor& x, int weight, int bias);
    bool splits() const { return partners_.tensor_ranks() > 1; }
    bool first_of_group() const { return partners_.tensor_rank() == 0; }
    Whole gather(const Tensor& own);
    // Sums the tensor group's parts of a gradient; the rows of this rank are left.
    Held sum_of_parts(Held part, Component component = Component::buffers);
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
    // Looks for numbers that are not finite, where that is wanted.
    void hunt(const Tensor& tensor, std::string_view name, Index layer = -1);
    void hunt(const Layer& layer, const Tensor& out, Index index);
    void moment(MemoryMoment::Where where, Index layer = 0);
    bool stopped() const { return onlookers_.stop && onlookers_.stop->load(std::memory_order_relaxed); }

    Index head_unit() const { return model_.layers + 1; }

    Model model_; // of this piece
    Training training_;
    double capacity_factor_;
    bool fused_;
    Backend& backend_;
    Arena& arena_;
    ParameterStore& parameters_;
    Partners alone_;
    Partners& partners_;
    Onlookers onlookers_;
    LossWeights weights_;                 // of the backward that runs
    Held tallies_;                        // of the last forward, layer after layer
    std::vector<Later>* later_ = nullptr; // where products for weight gradients wait; null: they do not
};

} // namespace ringside::trainer
