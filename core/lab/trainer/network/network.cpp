#include "core/lab/trainer/network/network.h"

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

Network::Network(const TrainerConfig& config, Backend& backend, Arena& arena, ParameterStore& parameters)
    : model_(config.model), training_(config.training), capacity_factor_(config.recipe.capacity_factor),
      fused_(config.recipe.fused), backend_(backend), arena_(arena), parameters_(parameters),
      partners_(alone_)
{
}

Network::Network(const TrainerConfig& config, const Piece& piece, Backend& backend, Arena& arena,
                 ParameterStore& parameters, Partners& partners)
    : model_(piece.model(config.model)), training_(config.training),
      capacity_factor_(config.recipe.capacity_factor), fused_(config.recipe.fused), backend_(backend),
      arena_(arena), parameters_(parameters), partners_(partners)
{
}

void Network::set(const TrainerConfig& config)
{
    training_ = config.training;
    capacity_factor_ = config.recipe.capacity_factor;
    fused_ = config.recipe.fused;
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
    hunt(layer.router, "router", index);
    hunt(layer.pre, has_experts() ? "first matrix of the experts" : "first matrix of the MLP", index);
    hunt(layer.activated, has_experts() ? "activation of the experts" : "activation of the MLP", index);
    hunt(out, has_experts() ? "output of the experts" : "output of the MLP", index);
}

void Network::moment(MemoryMoment::Where where, Index layer)
{
    arena_.note_workspace();
    arena_.mark(where, layer);
    if (onlookers_.timeline)
    {
        onlookers_.timeline->push_back({where, layer, 0, arena_.use()});
    }
}

bool Network::train(const Tokens& batch, const LossWeights& weights, float* losses,
                    const Onlookers& onlookers)
{
    watch(onlookers);
    const Stretch all{0, model_.layers, true, true};
    Pass pass;
    forward(all, batch, {}, pass);
    if (!pass)
    {
        return false;
    }
    backward(all, batch, {}, pass, weights, losses);
    return !stopped();
}

Held Network::forward(const Stretch& stretch, const Tokens& batch, Held in, Pass& pass)
{
    pass = {};
    moment(MemoryMoment::Where::start);
    if (stretch.embeds)
    {
        partners_.before_forward(0);
        in = embed(batch, Component::activations);
        partners_.after_forward(0);
        moment(MemoryMoment::Where::embedding);
    }
    Held x = forward_layers(stretch, batch, std::move(in), pass.layers_, Component::activations);
    pass.begun_ = static_cast<bool>(x);
    if (stretch.heads)
    {
        pass.out_ = std::move(x);
        return {};
    }
    return x;
}

Held Network::backward(const Stretch& stretch, const Tokens& batch, Held gradient, Pass& pass,
                       const LossWeights& weights, float* losses, bool weights_later)
{
    weights_ = weights;
    later_ = weights_later ? &pass.later_ : nullptr;
    if (stretch.heads)
    {
        partners_.before_backward(head_unit());
        Head head = forward_head(pass.out_, Component::activations);
        hunt(head.normed, "final norm");
        hunt(head.logits, "logits");
        gradient = backward_head(batch, pass.out_, head, losses);
        hunt(gradient, "gradient of the head");
        partners_.after_backward(head_unit());
        moment(MemoryMoment::Where::head);
    }
    pass.out_.drop();
    for (Index i = stretch.count; i-- > 0 && !stopped();)
    {
        const Index index = stretch.first + i;
        partners_.before_backward(index + 1);
        backward_layer(index, batch, pass.layers_[static_cast<std::size_t>(i)], gradient);
        hunt(gradient, "gradient", index);
        moment(MemoryMoment::Where::backward, index);
        if (!weights_later)
        {
            partners_.after_backward(index + 1);
            pass.layers_.pop_back();
        }
    }
    if (stretch.embeds && !stopped())
    {
        partners_.before_backward(0);
        backward_embedding(batch, gradient);
        partners_.after_backward(0);
        gradient.drop();
    }
    return gradient;
}

void Network::backward_weights(const Stretch& stretch, Pass& pass)
{
    later_ = nullptr;
    for (const Later& later : pass.later_)
    {
        weight_gradient(later.dy, later.gathers ? gather(later.x).tensor() : later.x, later.weight,
                        later.bias);
    }
    for (Index i = stretch.count; i-- > 0;)
    {
        partners_.after_backward(stretch.first + i + 1);
    }
    pass = {};
}

Held Network::forward_only(const Tokens& batch, const Onlookers& onlookers)
{
    watch(onlookers);
    std::vector<Layer> layers;
    return forward_layers({0, model_.layers}, batch, embed(batch, Component::buffers), layers,
                          Component::buffers);
}

bool Network::evaluate(const Tokens& batch, float* losses, const Onlookers& onlookers)
{
    const Held x = forward_only(batch, onlookers);
    if (!x)
    {
        return false;
    }
    const Head head = forward_head(x, Component::buffers);
    cross_entropy(batch, head.logits, 0, losses);
    return true;
}

Held Network::logits_after(const Tokens& batch, Index seen)
{
    const Held x = forward_only(batch, {});
    return forward_head(x.tensor().row_range(seen - 1, 1), Component::buffers).logits;
}

Network::Whole Network::gather(const Tensor& own)
{
    if (!partners_.sequence_parallel())
    {
        return {own, {}};
    }
    Held all = matrix(own.rows * partners_.tensor_ranks(), own.cols, own.type, Component::buffers);
    partners_.all_gather(own, all);
    return {own, std::move(all)};
}

Held Network::sum_of_parts(Held part, Component component)
{
    if (!splits())
    {
        return part;
    }
    if (!partners_.sequence_parallel())
    {
        partners_.all_reduce(part);
        return part;
    }
    const Tensor& whole = part;
    Held own = matrix(own_rows(whole.rows), whole.cols, whole.type, component);
    partners_.reduce_scatter(whole, own);
    return own;
}

void Network::linear_sum(const Tensor& x, int weight, int bias, const Tensor& out, const Tensor& add)
{
    // Bias and residual are added once, by the first of the group, or by each to its own rows.
    const int once = first_of_group() ? bias : -1;
    if (!partners_.sequence_parallel())
    {
        linear(x, weight, once, out, first_of_group() ? add : Tensor{});
        if (splits())
        {
            partners_.all_reduce(out);
        }
        return;
    }
    const Held part = matrix(x.rows, out.cols, out.type, Component::buffers);
    linear(x, weight, once, part);
    partners_.reduce_scatter(part, out);
    backend_.run(Add{.from = add, .to = out});
}

void Network::linear(const Tensor& x, int weight, int bias, const Tensor& out, const Tensor& add)
{
    Product product{.a = x,
                    .b = parameters_.forward_weight(weight),
                    .c = out,
                    .b_transposed = parameters_.is_eight_bit(weight),
                    .bias = optional_weight(bias)};
    Held rounded;
    if (parameters_.is_eight_bit(weight) && x.type != DType::e4m3)
    {
        rounded = matrix(x.rows, x.cols, DType::e4m3, Component::buffers);
        backend_.run(Convert{.from = x, .to = rounded});
        product.a = rounded;
    }
    const bool apart = add && !fused_;
    product.add = apart ? Tensor{} : add;
    backend_.run(product);
    if (apart)
    {
        backend_.run(Add{.from = add, .to = out});
    }
}

void Network::weight_gradient(const Tensor& dy, const Tensor& x, int weight, int bias)
{
    // In 8 bits too, the weight's gradient is made of dy in 16 bits: rows of dy have scales of their own,
    // which a sum over rows could not take out.
    backend_.run(Product{
        .a = x, .b = dy, .c = parameters_.gradient(weight), .a_transposed = true, .accumulate = true});
    if (bias >= 0)
    {
        backend_.run(SumRows{.gradient = dy, .bias_gradient = parameters_.gradient(bias)});
    }
}

void Network::linear_backward(const Tensor& dy, const Tensor& x, int weight, int bias, const Tensor& dx,
                              bool gathers)
{
    if (later_)
    {
        Held kept = matrix(dy.rows, dy.cols, dy.type, Component::activations);
        backend_.copy(kept.tensor().data, dy.data, dy.elements() * bytes_of(dy.type));
        later_->push_back({x, std::move(kept), weight, bias, gathers});
    }
    else
    {
        weight_gradient(dy, gathers ? gather(x).tensor() : x, weight, bias);
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
