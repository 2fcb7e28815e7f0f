#include "core/trainer/network.h"

#include <fmt/format.h>

namespace ringside::trainer
{

Held::Held(Arena& arena, Index rows, Index cols, DType type, Component component)
    : block_(arena.take(rows * cols * bytes_of(type), component))
{
    if (has_scales(type))
    {
        scales_ = arena.take(rows * 4, component);
    }
    tensor_ = ringside::trainer::tensor(block_.data(), type, rows, cols, scales_.as<float>());
}

Network::Network(const TrainerConfig& config, Backend& backend, Arena& arena, Parameters& parameters)
    : model_(config.model), training_(config.training), backend_(backend), arena_(arena),
      parameters_(parameters)
{
}

void Network::set(const Training& training)
{
    training_ = training;
}

Held Network::matrix(Index rows, Index cols, DType type, Component component)
{
    return {arena_, rows, cols, type, component};
}

void Network::look(ExponentHistogram* histogram, const Tensor& tensor)
{
    if (histogram)
    {
        backend_.count_exponents(tensor, histogram->counts);
    }
}

void Network::hunt(const Tensor& tensor, std::string_view name, Index layer)
{
    if (!onlookers_.first_bad || !onlookers_.first_bad->empty() || !tensor)
    {
        return;
    }
    std::array<std::int64_t, 256> counts{};
    backend_.count_exponents(tensor, counts);
    if (counts.back() > 0)
    {
        *onlookers_.first_bad = layer < 0 ? std::string(name) : fmt::format("layer {}, {}", layer + 1, name);
    }
}

// In the order they are made.
void Network::hunt(const Layer& layer, const Tensor& out, Index index)
{
    hunt(layer.x, "input", index);
    hunt(layer.normed1, "first norm", index);
    hunt(layer.qkv, "queries, keys and values", index);
    hunt(layer.attention, "attention", index);
    hunt(layer.middle, "output of attention", index);
    hunt(layer.normed2, "second norm", index);
    hunt(layer.pre, "first matrix of the MLP", index);
    hunt(layer.activated, "activation of the MLP", index);
    hunt(out, "output of the MLP", index);
}

void Network::moment(MemoryMoment::Where where, Index layer)
{
    arena_.note_workspace();
    if (onlookers_.timeline)
    {
        onlookers_.timeline->push_back({where, layer, 0, arena_.use()});
    }
}

bool Network::train(const Tokens& batch, float scale, float* losses, const Onlookers& onlookers)
{
    onlookers_ = onlookers;
    std::vector<Layer> layers;
    moment(MemoryMoment::Where::start);
    Held x = forward_all(batch, layers, Component::activations);
    if (!x)
    {
        return false;
    }
    Held residual;
    {
        Head head = forward_head(x, Component::activations);
        hunt(head.normed, "final norm");
        hunt(head.logits, "logits");
        residual = backward_head(batch, x, head, scale, losses);
        hunt(residual, "gradient of the head");
        moment(MemoryMoment::Where::head);
    }
    x.drop();
    while (!layers.empty())
    {
        if (stopped())
        {
            return false;
        }
        const auto index = static_cast<Index>(layers.size()) - 1;
        backward_layer(index, batch, layers.back(), residual);
        hunt(residual, "gradient", index);
        moment(MemoryMoment::Where::backward, index);
        layers.pop_back();
    }
    backward_embedding(batch, residual);
    return true;
}

bool Network::evaluate(const Tokens& batch, float* losses, const Onlookers& onlookers)
{
    onlookers_ = onlookers;
    std::vector<Layer> layers;
    const Held x = forward_all(batch, layers, Component::buffers);
    if (!x)
    {
        return false;
    }
    const Head head = forward_head(x, Component::buffers);
    backend_.run(CrossEntropy{.logits = head.logits, .targets = batch.targets, .losses = losses, .scale = 0});
    return true;
}

Held Network::logits_after(const Tokens& batch, Index seen)
{
    onlookers_ = {};
    std::vector<Layer> layers;
    const Held x = forward_all(batch, layers, Component::buffers);
    return forward_head(x.tensor().row_range(seen - 1, 1), Component::buffers).logits;
}

void Network::linear(const Tensor& x, int weight, int bias, const Tensor& out, const Tensor& add)
{
    Product product{.a = x,
                    .b = parameters_.forward_weight(weight),
                    .c = out,
                    .b_transposed = parameters_.is_eight_bit(weight),
                    .bias = optional_weight(bias),
                    .add = add};
    Held rounded;
    if (parameters_.is_eight_bit(weight) && x.type != DType::e4m3)
    {
        rounded = matrix(x.rows, x.cols, DType::e4m3, Component::buffers);
        backend_.run(Convert{.from = x, .to = rounded});
        product.a = rounded;
    }
    backend_.run(product);
}

void Network::linear_backward(const Tensor& dy, const Tensor& x, int weight, int bias, const Tensor& dx)
{
    // In 8 bits too, the weight's gradient is made of dy in 16 bits: rows of dy have scales of their own,
    // which a sum over rows could not take out.
    backend_.run(Product{
        .a = x, .b = dy, .c = parameters_.gradient(weight), .a_transposed = true, .accumulate = true});
    if (bias >= 0)
    {
        backend_.run(SumRows{.gradient = dy, .bias_gradient = parameters_.gradient(bias)});
    }
    Product product{.a = dy, .b = parameters_.weight(weight), .c = dx, .b_transposed = true};
    Held rounded;
    if (parameters_.is_eight_bit(weight))
    {
        rounded = matrix(dy.rows, dy.cols, DType::e5m2, Component::buffers);
        backend_.run(Convert{.from = dy, .to = rounded});
        product.a = rounded;
    }
    backend_.run(product);
}

void Network::norm(const Tensor& x, int gain, int bias, Held& out, Held& statistics, DType type,
                   Component component)
{
    statistics = matrix(x.rows, bias < 0 ? 1 : 2, DType::f32, component);
    out = matrix(x.rows, x.cols, type, component);
    backend_.run(NormForward{.x = x,
                             .gain = parameters_.weight(gain),
                             .bias = optional_weight(bias),
                             .out = out,
                             .statistics = statistics.floats()});
}

void Network::norm_backward(const Tensor& gradient, const Tensor& x, int gain, int bias,
                            const Held& statistics, const Tensor& dx)
{
    backend_.run(NormBackward{.gradient = gradient,
                              .x = x,
                              .gain = parameters_.weight(gain),
                              .statistics = statistics.floats(),
                              .dx = dx,
                              .gain_gradient = parameters_.gradient(gain),
                              .bias_gradient = optional_gradient(bias)});
}

Attention Network::attention_of(const Tokens& batch, const Layer& layer) const
{
    return {.qkv = layer.qkv,
            .out = layer.attention,
            .log_sums = layer.log_sums.floats(),
            .probabilities = layer.probabilities,
            .length = batch.length,
            .heads = model_.heads,
            .kv_heads = model_.kv_heads,
            .head_dim = model_.head_dim};
}

} // namespace ringside::trainer
