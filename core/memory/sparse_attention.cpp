#include "core/memory/sparse_attention.h"

#include "core/model/attention.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <vector>

namespace ringside
{

namespace
{

double width_of(const Model& model)
{
    return static_cast<double>(model.head_dim > 0 ? model.head_dim : model.hidden / model.heads);
}

// Which keys a token looks at, how many of them are scored first, and what a state costs.
struct Kind
{
    LayerKeys keys;
    double scored = 0; // by an indexer, of each token before it
    double state = 0;  // [FLOP]
};

// The layers of one kind, in equal shares.
std::vector<Kind> kinds_of(const Model& model, SparseKind kind, const SparseSetup& s)
{
    constexpr double kAll = LayerKeys::kAll;
    constexpr double kLocal = 128;
    const auto csa = static_cast<double>(kCsaTokens);
    const auto hca = static_cast<double>(kHcaTokens);
    switch (kind)
    {
    case SparseKind::full:
        break;
    case SparseKind::native:
        return {{{s.compression, kAll, s.selected + s.native_window}}};
    case SparseKind::indexed:
        return {{{1, s.picked, 0}, 1}};
    case SparseKind::compressed:
        return {{{csa, s.picked / 2, kLocal}, 1 / csa}, {{hca, kAll, kLocal}}};
    case SparseKind::window:
        return {{{kAll, kAll, s.window}}};
    case SparseKind::linear:
        // Keys times values added to the state, and the state read by the query: 2 d^2 each.
        return {
            {{kAll, kAll, 0}, 0, 4 * static_cast<double>(model.heads) * width_of(model) * width_of(model)}};
    }
    return {{}};
}

SparseCost layer_cost(const Model& model, SparseKind kind, const SparseSetup& s, double tokens)
{
    const std::vector<Kind> kinds = kinds_of(model, kind, s);
    const auto share = 1 / static_cast<double>(kinds.size());
    SparseCost cost;
    for (const Kind& k : kinds)
    {
        const double keys = std::min(tokens, k.keys.attended(tokens));
        cost.keys += share * keys;
        cost.flops += share * (keys * key_flops(model) + tokens * k.scored * s.indexer + k.state);
    }
    return cost;
}

} // namespace

double key_flops(const Model& m)
{
    return 2 * static_cast<double>(m.heads) * head_widths(resolved(m)).absorbed;
}

SparseCost sparse_cost(const Model& model, SparseKind kind, const SparseSetup& setup, double tokens)
{
    const SparseCost own = layer_cost(model, kind, setup, tokens);
    const double full = setup.full_every > 0 ? 1 / static_cast<double>(setup.full_every) : 0;
    const SparseCost whole = layer_cost(model, SparseKind::full, setup, tokens);
    return {full * whole.keys + (1 - full) * own.keys, full * whole.flops + (1 - full) * own.flops};
}

} // namespace ringside
