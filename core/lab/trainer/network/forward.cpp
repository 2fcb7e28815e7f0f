#include "core/lab/trainer/network/network.h"

namespace ringside::trainer
{

Held Network::embed(const Tokens& batch, Component component)
{
    const ParameterTable& table = parameters_.table();
    const DType type = parameters_.formats().activation;
    Held x = matrix(batch.rows(), model_.hidden, type,
                    partners_.sequence_parallel() ? Component::buffers : component);
    backend_.run(Embed{.tokens = batch.tokens,
                       .table = parameters_.weight(table.embedding),
                       .positions = first_of_group() ? optional_weight(table.positions) : Tensor{},
                       .out = x,
                       .length = batch.length,
                       .first_token = model_.vocab * partners_.tensor_rank(),
                       .cut = own_cut(batch)});
    return sum_of_parts(std::move(x), component);
}

// Queries and keys by RoPE, or back again.
void Network::turn(const Tensor& qkv, const Tokens& batch, bool backwards)
{
    if (model_.positions == Positions::rope)
    {
        backend_.run(Rope{.heads = qkv.columns(0, (model_.heads + model_.kv_heads) * model_.head_dim),
                          .head_dim = model_.head_dim,
                          .length = batch.length,
                          .backwards = backwards,
                          .cut = own_cut(batch)});
    }
}

void Network::forward_attention(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                                Component component)
{
    const Formats& f = parameters_.formats();
    const Index rows = batch.rows();
    norm(layer.x, places.gain1, places.bias1, layer.normed1, layer.statistics1, f.input, component);
    layer.qkv = matrix(rows, (model_.heads + 2 * model_.kv_heads) * model_.head_dim, f.activation, component);
    linear(gather(layer.normed1), places.qkv, places.qkv_bias, layer.qkv);
    turn(layer.qkv, batch, false);
    layer.attention = matrix(rows, model_.heads * model_.head_dim, f.activation, component);
    if (keeps_probabilities())
    {
        layer.probabilities = matrix(rows * model_.heads, batch.length, f.activation,
                                     drops_probabilities() ? Component::buffers : component);
    }
    else
    {
        layer.log_sums = matrix(rows, model_.heads, DType::f32, component);
    }
    attend(batch, layer);
    if (drops_probabilities())
    {
        layer.probabilities.drop();
    }
    layer.middle = matrix(own_rows(rows), model_.hidden, f.activation, component);
    linear_sum(layer.attention, places.out, places.out_bias, layer.middle, layer.x);
}

void Network::forward_layer(Index index, const Tokens& batch, Layer& layer, Component component)
{
    const Formats& f = parameters_.formats();
    const LayerPlaces& places = parameters_.table().layers[static_cast<std::size_t>(index)];
    forward_attention(places, batch, layer, component);
    norm(layer.middle, places.gain2, places.bias2, layer.normed2, layer.statistics2, f.input, component);
    has_experts() ? forward_experts(places, batch, layer, component)
                  : forward_mlp(places, batch, layer, component);
}

void Network::forward_mlp(const LayerPlaces& places, const Tokens& batch, Layer& layer, Component component)
{
    const Formats& f = parameters_.formats();
    layer.pre = matrix(batch.rows(), model_.gated_mlp ? 2 * model_.ffn : model_.ffn, f.activation, component);
    linear(gather(layer.normed2), places.up, places.up_bias, layer.pre);
    layer.activated = matrix(batch.rows(), model_.ffn, f.input, component);
    backend_.run(Activation{.pre = layer.pre, .out = layer.activated});
}

Held Network::output_of(Index index, const Layer& layer, Component component)
{
    const LayerPlaces& places = parameters_.table().layers[static_cast<std::size_t>(index)];
    const Tensor& middle = layer.middle;
    Held out = matrix(middle.rows, middle.cols, middle.type, component);
    if (has_experts())
    {
        backend_.run(Combine{.from = layer.given,
                             .out = out,
                             .add = middle,
                             .slots = layer.slots.integers(),
                             .gates = layer.gates.floats(),
                             .chosen = model_.experts_per_token});
        return out;
    }
    linear_sum(layer.activated, places.down, places.down_bias, out, middle);
    return out;
}

Held Network::forward_layers(const Stretch& stretch, const Tokens& batch, Held x, std::vector<Layer>& layers,
                             Component component)
{
    const bool trains = component == Component::activations;
    const bool keeps = trains && training_.recompute != Recompute::full;
    for (Index index = stretch.first; index < stretch.first + stretch.count; ++index)
    {
        if (stopped())
        {
            return {};
        }
        Layer layer;
        layer.x = std::move(x);
        partners_.before_forward(index + 1);
        forward_layer(index, batch, layer, keeps ? component : Component::buffers);
        x = output_of(index, layer, component);
        partners_.after_forward(index + 1);
        if (trains && has_experts())
        {
            keep_tally(index, layer);
        }
        hunt(layer, x, index);
        look(onlookers_.activations, layer.x);
        look(onlookers_.activations, layer.qkv);
        look(onlookers_.activations, layer.pre);
        if (trains && !keeps)
        {
            Held input = std::move(layer.x);
            layer = {};
            layer.x = std::move(input);
        }
        if (trains)
        {
            layers.push_back(std::move(layer));
            moment(MemoryMoment::Where::forward, index);
        }
    }
    return x;
}

Network::Head Network::forward_head(const Tensor& x, Component component)
{
    const ParameterTable& table = parameters_.table();
    Head head;
    norm(x, table.final_gain, table.final_bias, head.normed, head.statistics,
         parameters_.formats().activation, component);
    const Whole normed = gather(head.normed);
    head.logits = matrix(normed.tensor().rows, model_.vocab, DType::f32, component);
    backend_.run(
        Product{.a = normed, .b = parameters_.weight(table.head), .c = head.logits, .b_transposed = true});
    return head;
}

// Where the words are split, each rank says the largest and the sum of its own, three numbers a row.
void Network::cross_entropy(const Tokens& batch, const Tensor& logits, float scale, float* losses)
{
    CrossEntropy loss{.logits = logits, .targets = batch.targets, .losses = losses, .scale = scale};
    if (!splits())
    {
        backend_.run(loss);
        return;
    }
    loss.parts = partners_.tensor_ranks();
    loss.first_word = model_.vocab * partners_.tensor_rank();
    const Held own = matrix(logits.rows, 3, DType::f32, Component::buffers);
    const Held all = matrix(loss.parts * logits.rows, 3, DType::f32, Component::buffers);
    backend_.run(LogitStatistics{
        .logits = logits, .targets = batch.targets, .out = own.floats(), .first_word = loss.first_word});
    partners_.all_gather(own, all);
    loss.statistics = all.floats();
    backend_.run(loss);
}

} // namespace ringside::trainer
