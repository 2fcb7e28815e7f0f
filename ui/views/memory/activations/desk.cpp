#include "ui/views/memory/activations/desk.h"

#include "core/memory/context_length.h"
#include "core/memory/memory.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr std::array<std::int64_t, 15> kHeads{4, 8, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 112, 128, 256};
constexpr std::array<std::int64_t, 14> kWidths{768,  1024, 1536, 2048,  3072,  4096,  5120,
                                               6144, 7168, 8192, 10240, 12288, 16384, 20480};

void own_shape(Model& model)
{
    model.preset.clear();
    model.name.clear();
}

// `wide` times by / of, where that is whole; else 0, which is no shape.
std::int64_t scaled(std::int64_t wide, std::int64_t by, std::int64_t of)
{
    return wide * by % of == 0 ? wide * by / of : 0;
}

bool has_shape(const Model& m)
{
    return m.ffn > 0 && (m.attention == Attention::mla || m.head_dim > 0) &&
           (m.experts == 0 || m.expert_ffn > 0);
}

template <std::size_t N, class Change>
std::vector<double> stops_of(const Scenario& s, const std::array<std::int64_t, N>& candidates,
                             std::int64_t now, Change change)
{
    std::vector<double> stops{static_cast<double>(now)};
    for (const std::int64_t value : candidates)
    {
        const Scenario next = change(s, value);
        if (value != now && has_shape(next.model) && !has_errors(validate(next)))
        {
            stops.push_back(static_cast<double>(value));
        }
    }
    std::ranges::sort(stops);
    return stops;
}

} // namespace

const TensorRow* LayerTensors::find(std::string_view name) const
{
    const auto found = std::ranges::find(rows, name, [](const TensorRow& r) { return r.tensor.name; });
    return found == rows.end() ? nullptr : &*found;
}

const TensorRow& LayerTensors::most() const
{
    return *std::ranges::max_element(
        rows, {}, [](const TensorRow& r) { return r.keeping == Keeping::kept ? r.bytes : -1; });
}

LayerTensors layer_tensors(const Scenario& s, const ActivationsState& state)
{
    LayerTensors layer;
    bool dense = false;
    bool experts = false;
    for (std::int64_t i = 0; i < s.model.layers; ++i)
    {
        (has_experts(s.model, i) ? experts : dense) = true;
    }
    layer.both = dense && experts;
    layer.experts = experts && !(layer.both && state.other_kind);
    for (const ActivationTensor& t : activation_tensors(s.model, s.training, s.parallel, layer.experts))
    {
        const TensorRow row{t, keeping(t, s.training, s.training.recompute),
                            tensor_bytes(t, s.training, s.parallel)};
        (row.keeping == Keeping::kept    ? layer.kept
         : row.keeping == Keeping::again ? layer.again
                                         : layer.never) += row.bytes;
        layer.largest = std::max(layer.largest, row.keeping == Keeping::never ? 0 : row.bytes);
        layer.rows.push_back(row);
    }
    if (state.by_size)
    {
        std::ranges::stable_sort(layer.rows, std::ranges::greater{}, &TensorRow::bytes);
    }
    return layer;
}

LayerCuts layer_cuts(const Scenario& scenario, bool experts)
{
    Scenario s = scenario;
    const auto bytes = [&]
    { return layer_activations(s.model, s.training, s.parallel, experts, s.training.recompute); };
    LayerCuts cuts;
    for (const std::int64_t t : {std::int64_t{2}, std::int64_t{4}, std::int64_t{8}})
    {
        const bool fits = s.model.heads % t == 0 && s.model.ffn % t == 0;
        cuts.tensor = fits ? t : cuts.tensor;
    }
    cuts.tensor = scenario.parallel.tensor > 1 ? scenario.parallel.tensor : cuts.tensor;
    s.parallel.tensor = cuts.tensor;
    s.parallel.sequence_parallel = true;
    cuts.all = bytes();
    s.parallel.sequence_parallel = false;
    cuts.products = bytes();
    s.parallel.tensor = s.parallel.expert_tensor = 1;
    cuts.whole = bytes();
    return cuts;
}

ShapeStops shape_stops(const Scenario& s)
{
    const auto lengths = context_lengths(s);
    return {{lengths.begin(), lengths.end()},
            stops_of(s, kHeads, s.model.heads, with_heads),
            stops_of(s, kWidths, s.model.hidden, with_width)};
}

Scenario with_heads(Scenario s, std::int64_t heads)
{
    Model& m = s.model;
    if (m.attention != Attention::mla)
    {
        m.head_dim = scaled(m.head_dim, m.heads, heads);
        m.kv_heads = m.kv_heads == m.heads ? heads : std::gcd(m.kv_heads, heads);
    }
    m.heads = heads;
    own_shape(m);
    return s;
}

Scenario with_width(Scenario s, std::int64_t hidden)
{
    Model& m = s.model;
    m.ffn = scaled(m.ffn, hidden, m.hidden);
    m.head_dim = m.attention == Attention::mla ? m.head_dim : scaled(m.head_dim, hidden, m.hidden);
    if (m.experts > 0)
    {
        m.expert_ffn = scaled(m.expert_ffn, hidden, m.hidden);
    }
    m.hidden = hidden;
    own_shape(m);
    return s;
}

} // namespace ringside
