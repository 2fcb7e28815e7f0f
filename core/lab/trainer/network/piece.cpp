#include "core/lab/trainer/network/piece.h"

#include <numeric>

namespace ringside::trainer
{

Model Piece::model(Model whole) const
{
    whole.layers = static_cast<std::int64_t>(layers.size());
    whole.heads /= tensor_ranks;
    whole.kv_heads /= tensor_ranks;
    whole.ffn /= tensor_ranks;
    whole.vocab /= tensor_ranks;
    return whole;
}

Piece whole_piece(const Model& model)
{
    Piece piece;
    piece.layers.resize(static_cast<std::size_t>(model.layers));
    std::iota(piece.layers.begin(), piece.layers.end(), Index{0});
    return piece;
}

Cut cut_of(Index ranks, Index rank, Index length)
{
    const Index each = length / 2;
    return ranks == 1 ? Cut{} : Cut{2, {rank * each, (2 * ranks - 1 - rank) * each}};
}

} // namespace ringside::trainer
