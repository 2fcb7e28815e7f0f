// What one new token costs in a layer that does not attend to every key: sliding windows, native sparse
// attention, an indexer that picks keys, linear attention. By the tokens before it; projections are left out.
//
// FLOPs of a key as in decoding: 4 a d, and 2 a (2 r + d_rope) where the latent cache is attended to as it is
// (DeepSeek-V2, arXiv 2405.04434, section 2.1.2): 278,528 for DeepSeek-V3.
#pragma once

#include "core/base/names.h"
#include "core/scenario/scenario.h"

namespace ringside
{

enum class SparseKind : std::uint8_t
{
    full,
    native, // compressed blocks, selected blocks and a window (Yuan et al., NSA, arXiv 2502.11089, section 3)
    indexed,    // an indexer scores all keys, the best are attended to (DeepSeek-V3.2-Exp, section 2.1)
    compressed, // in turns one key for 4 tokens, half as many picked, and one for 128 (DeepSeek-V4,
                // section 2.3)
    window,     // the last w keys (Beltagy et al., Longformer, arXiv 2004.05150, section 3.1)
    linear      // a state of d x d in place of keys (Katharopoulos et al., arXiv 2006.16236, section 3.2.1)
};
template <>
inline constexpr auto kNamesOf<SparseKind> = names<SparseKind>("full attention", "native sparse (NSA)",
                                                               "indexer (DSA)", "compressed (CSA, HCA)",
                                                               "sliding window", "linear attention");

struct SparseSetup
{
    double window = 4096;            // of `window`
    double compression = 16;         // NSA: tokens between two compressed keys
    double selected = 1024;          // NSA: 16 blocks of 64
    double native_window = 512;      // NSA
    double picked = 2048;            // DSA; half as many in compressed layers
    double indexer = 64 * 128 * 2.0; // [FLOP] DSA: of a key, 64 heads of 128 in FP8
    std::int64_t full_every = 0;     // one of so many layers attends to everything; 0: none

    bool operator==(const SparseSetup&) const = default;
};

// Tokens before the new one, where nothing else is said.
inline constexpr double kSparseTokens = 131072;

struct SparseCost
{
    double keys = 0;  // read by attention, mean of the layers
    double flops = 0; // the same, an indexer's included
};

// [FLOP] of one key in one layer.
double key_flops(const Model& model);
SparseCost sparse_cost(const Model& model, SparseKind kind, const SparseSetup& setup, double tokens);

} // namespace ringside
