#include "core/lab/trainer/network/network.h"

namespace ringside::trainer
{

// Returns the gradient of the last layer's output.
Held Network::backward_head(const Tokens& batch, const Tensor& x, Head& head, float* losses)
{
    const ParameterTable& table = parameters_.table();
    const DType type = parameters_.formats().activation;
    cross_entropy(batch, head.logits, weights_.target, losses);
    backend_.run(Product{.a = head.logits,
                         .b = gather(head.normed),
                         .c = parameters_.gradient(table.head),
                         .a_transposed = true,
                         .accumulate = true});
    Held part = matrix(batch.rows(), x.cols, type, Component::buffers);
    backend_.run(Product{.a = head.logits, .b = parameters_.weight(table.head), .c = part});
    const Held gradient = sum_of_parts(std::move(part));
    head.logits.drop();
    Held residual = matrix(x.rows, x.cols, type, Component::buffers);
    backend_.clear(residual.tensor().data, x.elements() * bytes_of(type));
    norm_backward(gradient, x, table.final_gain, table.final_bias, head.statistics, residual);
    return residual;
}

void Network::backward_mlp(const LayerPlaces& places, Layer& layer, const Tensor& residual)
{
    const DType type = parameters_.formats().activation;
    const Tensor& pre = layer.pre;
    const Held dpre = matrix(pre.rows, pre.cols, type, Component::buffers);
    {
        const Whole dout = gather(residual);
        const Held gradient = matrix(pre.rows, model_.ffn, type, Component::buffers);
        linear_backward(dout, layer.activated, places.down, places.down_bias, gradient);
        backend_.run(ActivationBackward{.pre = layer.pre, .gradient = gradient, .dpre = dpre});
    }
    look(onlookers_.gradients, dpre);
    Held part = matrix(pre.rows, residual.cols, type, Component::buffers);
    linear_backward(dpre, layer.normed2, places.up, places.up_bias, part, partners_.sequence_parallel());
    const Held gradient = sum_of_parts(std::move(part));
    norm_backward(gradient, layer.middle, places.gain2, places.bias2, layer.statistics2, residual);
}

// Probabilities that were dropped, by the forward's own arithmetic, so that they come out the same.
void Network::again_probabilities(const Tokens& batch, Layer& layer)
{
    const Tensor& out = layer.attention;
    layer.probabilities = matrix(batch.rows() * model_.heads, batch.length, parameters_.formats().activation,
                                 Component::buffers);
    const Held again = matrix(out.rows, out.cols, out.type, Component::buffers);
    Attention attention = attention_of(batch, layer);
    attention.out = again;
    backend_.run(attention);
}

void Network::backward_attention(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                                 const Tensor& residual)
{
    const DType type = parameters_.formats().activation;
    const Tensor& qkv = layer.qkv;
    const Held dqkv = matrix(qkv.rows, qkv.cols, type, Component::buffers);
    {
        const Whole dout = gather(residual);
        const Held gradient = matrix(qkv.rows, layer.attention.tensor().cols, type, Component::buffers);
        linear_backward(dout, layer.attention, places.out, places.out_bias, gradient);
        if (drops_probabilities())
        {
            again_probabilities(batch, layer);
        }
        attend_backward(batch, layer, gradient, dqkv);
    }
    turn(dqkv, batch, true);
    look(onlookers_.gradients, dqkv);
    Held part = matrix(qkv.rows, residual.cols, type, Component::buffers);
    linear_backward(dqkv, layer.normed1, places.qkv, places.qkv_bias, part, partners_.sequence_parallel());
    const Held gradient = sum_of_parts(std::move(part));
    norm_backward(gradient, layer.x, places.gain1, places.bias1, layer.statistics1, residual);
}

// Turns the gradient of the layer's output into that of its input, in place.
void Network::backward_layer(Index index, const Tokens& batch, Layer& layer, const Tensor& residual)
{
    if (training_.recompute == Recompute::full)
    {
        forward_layer(index, batch, layer, Component::buffers);
    }
    const LayerPlaces& places = parameters_.table().layers[static_cast<std::size_t>(index)];
    has_experts() ? backward_experts(places, batch, layer, residual) : backward_mlp(places, layer, residual);
    backward_attention(places, batch, layer, residual);
    look(onlookers_.gradients, residual);
}

void Network::backward_embedding(const Tokens& batch, const Tensor& residual)
{
    const ParameterTable& table = parameters_.table();
    const Whole gradient = gather(residual);
    backend_.run(EmbedBackward{.tokens = batch.tokens,
                               .gradient = gradient,
                               .table_gradient = parameters_.gradient(table.embedding),
                               .position_gradient = optional_gradient(table.positions),
                               .length = batch.length,
                               .first_token = model_.vocab * partners_.tensor_rank(),
                               .cut = own_cut(batch)});
}

} // namespace ringside::trainer
