// Attention where every rank of a ring holds pieces of each sequence: keys and values pass by, and in the
// backward their gradients travel after them (Liu et al., arXiv 2310.01889, section 3).
//
// A rank has one piece of every sequence from the front and one from the back. A hop (AttentionHop) merges
// the softmax over what has passed with that over what is here by their sums. Keys' gradients begin on the
// rank after their own and travel home in the wire's format, so the backward has as many hops as the
// forward, twice as wide.
#include "core/lab/trainer/network/network.h"

namespace ringside::trainer
{

void Network::attend(const Tokens& batch, Layer& layer)
{
    if (partners_.context_ranks() > 1)
    {
        attend_in_ring(batch, layer);
        return;
    }
    backend_.run(attention_of(batch, layer));
}

void Network::attend_backward(const Tokens& batch, Layer& layer, const Tensor& gradient, const Tensor& dqkv)
{
    if (partners_.context_ranks() > 1)
    {
        attend_in_ring_backward(batch, layer, gradient, dqkv);
        return;
    }
    backend_.run(
        AttentionBackward{.forward = attention_of(batch, layer), .gradient = gradient, .dqkv = dqkv});
}

Tensor Network::own_keys(const Tensor& qkv) const
{
    return qkv.columns(model_.heads * model_.head_dim, 2 * model_.kv_heads * model_.head_dim);
}

// After `hop` hops the keys are those of the rank so many places before this one.
AttentionHop Network::hop_of(const Tokens& batch, const Layer& layer, const Tensor& key_value,
                             Index hop) const
{
    const Index ranks = partners_.context_ranks();
    const Index whose = (partners_.context_rank() + ranks - hop) % ranks;
    return {.query = layer.qkv.tensor().columns(0, model_.heads * model_.head_dim),
            .key_value = key_value,
            .log_sums = layer.log_sums.floats(),
            .begins = hop == 0,
            .queries = own_cut(batch),
            .keys = cut_of(ranks, whose, batch.length),
            .length = batch.length,
            .heads = model_.heads,
            .kv_heads = model_.kv_heads,
            .head_dim = model_.head_dim};
}

void Network::attend_in_ring(const Tokens& batch, Layer& layer)
{
    const Tensor& qkv = layer.qkv;
    const Tensor own = own_keys(qkv);
    const Tensor& attention = layer.attention;
    const Held out = matrix(qkv.rows, attention.cols, DType::f32, Component::buffers);
    const std::array<Held, 2> passing{matrix(own.rows, own.cols, own.type, Component::buffers),
                                      matrix(own.rows, own.cols, own.type, Component::buffers)};
    backend_.run(Convert{.from = own, .to = passing[0]});
    for (Index hop = 0; hop < partners_.context_ranks(); ++hop)
    {
        const Tensor& here = passing[static_cast<std::size_t>(hop % 2)];
        if (hop > 0)
        {
            partners_.passed();
        }
        if (hop + 1 < partners_.context_ranks())
        {
            partners_.pass_on(here, passing[static_cast<std::size_t>((hop + 1) % 2)]);
        }
        AttentionHop step = hop_of(batch, layer, here, hop);
        step.out = out;
        backend_.run(step);
    }
    backend_.run(Convert{.from = out, .to = layer.attention});
}

// The gradients of a rank's keys and values start on the rank after it, which is the first to see those keys,
// and end at home, where what the rank itself adds has been waiting: one hop fewer than there are ranks.
void Network::attend_in_ring_backward(const Tokens& batch, Layer& layer, const Tensor& gradient,
                                      const Tensor& dqkv)
{
    const Index ranks = partners_.context_ranks();
    const Tensor own = own_keys(layer.qkv);
    const auto buffer = [&](Index cols, DType type)
    {
        Held held = matrix(own.rows, cols, type, Component::buffers);
        backend_.clear(held.tensor().data, own.rows * cols * bytes_of(type));
        return held;
    };
    const Held dquery = buffer(model_.heads * model_.head_dim, DType::f32);
    const Held at_home = buffer(own.cols, own.type);
    const std::array<Held, 2> keys{buffer(own.cols, own.type), buffer(own.cols, own.type)};
    const std::array<Held, 2> gradients{buffer(own.cols, own.type), buffer(own.cols, own.type)};
    backend_.run(Convert{.from = own, .to = keys[0]});
    for (Index hop = 0; hop < ranks; ++hop)
    {
        const auto now = static_cast<std::size_t>(hop % 2);
        const Tensor& here = keys[now];
        const Tensor& sums = hop == 0 ? at_home.tensor() : gradients[now].tensor();
        if (hop > 0)
        {
            partners_.passed(); // the keys
        }
        if (hop + 1 < ranks)
        {
            partners_.pass_on(here, keys[1 - now]);
        }
        if (hop > 1)
        {
            partners_.passed(); // the gradients that the rank before began
        }
        AttentionHopBackward step{.forward = hop_of(batch, layer, here, hop),
                                  .gradient = gradient,
                                  .dquery = dquery,
                                  .dkey_value = sums};
        step.forward.out = layer.attention;
        backend_.run(step);
        if (hop > 0)
        {
            partners_.pass_on(sums, gradients[1 - now]);
        }
    }
    partners_.passed();
    backend_.run(Add{.from = gradients[static_cast<std::size_t>(ranks % 2)], .to = at_home});
    backend_.run(Convert{.from = at_home, .to = own_keys(dqkv)});
    backend_.run(Convert{.from = dquery, .to = dqkv.columns(0, model_.heads * model_.head_dim)});
}

} // namespace ringside::trainer
