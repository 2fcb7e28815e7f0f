// What of a block LoRA's adapters stand beside: its linear layers, each matrix by itself where one product
// makes several. Norms, routers, embedding and head have no adapter.
#pragma once

#include "core/model/weights.h"

namespace ringside
{

// One matrix of a layer's tensor, as large as on one GPU of a tensor or expert group.
struct LoraPiece
{
    LoraModule module = LoraModule::query;
    std::int64_t rows = 0; // inputs
    std::int64_t cols = 0; // outputs

    std::int64_t elements() const { return rows * cols; }
    // r (d_in + d_out) (Hu et al., LoRA, arXiv 2106.09685, section 4.1).
    std::int64_t adapter(std::int64_t rank) const { return rank * (rows + cols); }
};

// None for a tensor that is no linear layer of a block.
std::vector<LoraPiece> lora_pieces(const Weight& weight);
// Those that get an adapter; none without one.
std::vector<LoraPiece> adapted_pieces(const Weight& weight, const Lora& lora);
// The share of all parameters that is trained: 1 without adapters.
double trained_share(const Model& model, const Lora& lora);

} // namespace ringside
