// A layer whose MLP is a mixture of experts. With expert parallelism the tokens go to the ranks that have
// their experts and come back, in the backward too; buffers have as many rows for every expert, so what
// travels depends on no token.
#include "core/lab/trainer/network/network.h"
#include "core/parallelism/experts/router.h"

#include <cstring>

namespace ringside::trainer
{

Index Network::capacity(Index length) const
{
    return slots_of_expert(model_, capacity_factor_, length);
}

Held Network::zeros(Index rows, Index cols, DType type, Component component)
{
    Held held = matrix(rows, cols, type, component);
    const Tensor& t = held;
    backend_.clear(t.data, t.elements() * bytes_of(type));
    if (t.scales)
    {
        backend_.clear(t.scales, rows * 4);
    }
    return held;
}

Route Network::route_of(const Tokens& batch, const Layer& layer) const
{
    return {.logits = layer.router,
            .slots = layer.slots.integers(),
            .gates = layer.gates.floats(),
            .tally = layer.tally.floats(),
            .length = batch.length,
            .chosen = model_.experts_per_token,
            .capacity = capacity(batch.length)};
}

// This rank's experts' part of every rank's buffer for this rank's buffer, and the other way round.
Held Network::exchanged(Held own, Component component)
{
    if (partners_.expert_ranks() == 1)
    {
        return own;
    }
    const Tensor& out = own;
    Held in = matrix(out.rows, out.cols, out.type, component);
    partners_.all_to_all(out, in);
    return in;
}

// A buffer has a part for each expert that is here, once for every rank that sends to them.
template <class Work>
void Network::each_part(Index rows, const Work& work) const
{
    const Index held = model_.experts / partners_.expert_ranks();
    const Index each = rows / model_.experts;
    for (Index part = 0; part < model_.experts; ++part)
    {
        work(static_cast<int>(part % held), part * each, each);
    }
}

void Network::forward_experts(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                              Component component)
{
    const Formats& f = parameters_.formats();
    const Index tokens = batch.rows();
    const Index chosen = model_.experts_per_token;
    layer.router = matrix(tokens, model_.experts, DType::f32, component);
    linear(layer.normed2, places.router, places.router_bias, layer.router);
    layer.slots = matrix(tokens, chosen, DType::f32, component);
    layer.gates = matrix(tokens, chosen, DType::f32, component);
    layer.tally = matrix(batch.sequences, Route::tally_width(model_.experts), DType::f32, component);
    const Route route = route_of(batch, layer);
    backend_.run(route);
    const bool alone = partners_.expert_ranks() == 1;
    Held sent = zeros(route.rows(), model_.hidden, f.input, alone ? component : Component::buffers);
    backend_.run(Dispatch{
        .from = layer.normed2, .to = sent, .slots = route.slots, .gates = nullptr, .chosen = chosen});
    layer.dispatched = exchanged(std::move(sent), component);
    Held out = matrix(route.rows(), model_.hidden, f.activation, alone ? component : Component::buffers);
    run_experts(places, layer, out, component);
    layer.given = exchanged(std::move(out), component);
}

void Network::run_experts(const LayerPlaces& places, Layer& layer, const Tensor& out, Component component)
{
    const Formats& f = parameters_.formats();
    const Tensor& in = layer.dispatched;
    const Index width = model_.expert_ffn;
    const auto bias = [](int first, int expert) { return first < 0 ? -1 : first + expert; };
    layer.pre = matrix(in.rows, model_.gated_mlp ? 2 * width : width, f.activation, component);
    each_part(in.rows,
              [&](int expert, Index first, Index rows)
              {
                  linear(in.row_range(first, rows), places.expert_up + expert,
                         bias(places.expert_up_bias, expert), layer.pre.tensor().row_range(first, rows));
              });
    layer.activated = matrix(in.rows, width, f.input, component);
    backend_.run(Activation{.pre = layer.pre, .out = layer.activated});
    each_part(in.rows,
              [&](int expert, Index first, Index rows)
              {
                  linear(layer.activated.tensor().row_range(first, rows), places.expert_down + expert,
                         bias(places.expert_down_bias, expert), out.row_range(first, rows));
              });
}

// Gradient of what came in for the experts here, from that of what they gave.
Held Network::run_experts_backward(const LayerPlaces& places, const Layer& layer, Held gradient)
{
    const DType type = parameters_.formats().activation;
    const Tensor& pre = layer.pre;
    const auto bias = [](int first, int expert) { return first < 0 ? -1 : first + expert; };
    const Held dpre = matrix(pre.rows, pre.cols, type, Component::buffers);
    {
        const Held inner = matrix(pre.rows, model_.expert_ffn, type, Component::buffers);
        each_part(pre.rows,
                  [&](int expert, Index first, Index rows)
                  {
                      linear_backward(gradient.tensor().row_range(first, rows),
                                      layer.activated.tensor().row_range(first, rows),
                                      places.expert_down + expert, bias(places.expert_down_bias, expert),
                                      inner.tensor().row_range(first, rows));
                  });
        backend_.run(ActivationBackward{.pre = pre, .gradient = inner, .dpre = dpre});
        gradient.drop();
    }
    look(onlookers_.gradients, dpre);
    Held dx = matrix(pre.rows, model_.hidden, type, Component::buffers);
    each_part(pre.rows,
              [&](int expert, Index first, Index rows)
              {
                  linear_backward(dpre.tensor().row_range(first, rows),
                                  layer.dispatched.tensor().row_range(first, rows), places.expert_up + expert,
                                  bias(places.expert_up_bias, expert), dx.tensor().row_range(first, rows));
              });
    return dx;
}

void Network::backward_experts(const LayerPlaces& places, const Tokens& batch, Layer& layer,
                               const Tensor& residual)
{
    const DType type = parameters_.formats().activation;
    const Route route = route_of(batch, layer);
    Held dgiven = zeros(route.rows(), residual.cols, type, Component::buffers);
    backend_.run(Dispatch{
        .from = residual, .to = dgiven, .slots = route.slots, .gates = route.gates, .chosen = route.chosen});
    Held arrived = exchanged(std::move(dgiven), Component::buffers);
    const Held dx = exchanged(run_experts_backward(places, layer, std::move(arrived)), Component::buffers);
    const Held dlogits = matrix(batch.rows(), model_.experts, DType::f32, Component::buffers);
    backend_.run(RouteBackward{.forward = route,
                               .gradient = residual,
                               .given = layer.given,
                               .dlogits = dlogits,
                               .balance = weights_.balance});
    const Held part = matrix(batch.rows(), residual.cols, type, Component::buffers);
    linear_backward(dlogits, layer.normed2, places.router, places.router_bias, part);
    backend_.run(Combine{.from = dx, .out = part, .add = part, .slots = route.slots, .chosen = route.chosen});
    norm_backward(part, layer.middle, places.gain2, places.bias2, layer.statistics2, residual);
}

// Where a reader finds it when the layer is gone.
void Network::keep_tally(Index index, const Layer& layer)
{
    const Tensor& tally = layer.tally;
    const Index rows = tally.rows * model_.layers;
    if (!tallies_ || tallies_.tensor().rows != rows)
    {
        tallies_ = zeros(rows, tally.cols, DType::f32, Component::buffers);
    }
    backend_.copy(tallies_.tensor().at(index * tally.rows), tally.data, tally.elements() * 4);
}

void Network::add_tallies(const Stretch& stretch, const std::shared_ptr<std::vector<double>>& sums)
{
    if (!has_experts() || !tallies_)
    {
        return;
    }
    const Tensor& all = tallies_;
    const Index sequences = all.rows / model_.layers;
    const auto add =
        [sums, stretch, sequences, cols = all.cols, layers = model_.layers](std::span<const char> bytes)
    {
        std::vector<float> tallies(bytes.size() / sizeof(float));
        std::memcpy(tallies.data(), bytes.data(), bytes.size());
        sums->resize(static_cast<std::size_t>(layers * cols));
        for (Index row = stretch.first * sequences; row < (stretch.first + stretch.count) * sequences; ++row)
        {
            for (Index col = 0; col < cols; ++col)
            {
                (*sums)[static_cast<std::size_t>(row / sequences * cols + col)] +=
                    static_cast<double>(tallies[static_cast<std::size_t>(row * cols + col)]);
            }
        }
    };
    backend_.read(all.data, all.elements() * 4, add);
}

} // namespace ringside::trainer
