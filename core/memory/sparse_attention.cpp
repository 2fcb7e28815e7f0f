#include "core/memory/sparse_attention.h"

#include <algorithm>

namespace ringside
{

namespace
{

double width_of(const Model& model)
{
    return static_cast<double>(model.head_dim > 0 ? model.head_dim : model.hidden / model.heads);
}

SparseCost layer_cost(const Model& model, SparseKind kind, const SparseSetup& s, double tokens)
{
    const double each = key_flops(model);
    double keys = tokens;
    double more = 0;
    switch (kind)
    {
    case SparseKind::full:
        break;
    case SparseKind::native:
        keys = std::min(tokens, tokens / s.compression + s.selected + s.native_window);
        break;
    case SparseKind::indexed:
        keys = std::min(tokens, s.picked);
        more = tokens * s.indexer;
        break;
    case SparseKind::window:
        keys = std::min(tokens, s.window);
        break;
    case SparseKind::linear:
        // Keys times values added to the state, and the state read by the query: 2 d^2 each.
        keys = 0;
        more = 4 * static_cast<double>(model.heads) * width_of(model) * width_of(model);
        break;
    }
    return {keys, keys * each + more};
}

} // namespace

double key_flops(const Model& m)
{
    const auto heads = static_cast<double>(m.heads);
    if (m.attention == Attention::mla)
    {
        return 2 * heads * static_cast<double>(2 * m.kv_lora_rank + m.qk_rope_head_dim);
    }
    return 4 * heads * width_of(m);
}

SparseCost sparse_cost(const Model& model, SparseKind kind, const SparseSetup& setup, double tokens)
{
    const SparseCost own = layer_cost(model, kind, setup, tokens);
    const double full = setup.full_every > 0 ? 1 / static_cast<double>(setup.full_every) : 0;
    const SparseCost whole = layer_cost(model, SparseKind::full, setup, tokens);
    return {full * whole.keys + (1 - full) * own.keys, full * whole.flops + (1 - full) * own.flops};
}

} // namespace ringside
