// The cache of keys and values: what one token of one sequence keeps, on one GPU of a tensor group. Counts
// bytes; how many sequences there are and how long they take is in serving.h.
//
// Grouped heads are sharded and repeated where there are fewer heads than GPUs; a latent is whole on every
// GPU, and decoding with it counts the absorbed products.
#pragma once

#include "core/base/units.h"
#include "core/model/attention.h"

#include <functional>
#include <vector>

namespace ringside
{

// What the cache of one model grows by.
struct CacheShape
{
    std::vector<AttentionLayers> layers;
    double ranks = 1;    // tensor-parallel
    double kv_heads = 1; // of the model
    bool latent = false; // one latent for all heads
    // In one layer that keeps every token, numbers of one token: as kept, and if every query head had its own
    // key and value.
    double layer_numbers = 0;
    double widest_layer_numbers = 0;

    // Numbers of `tokens` tokens of one sequence, on one GPU or in the whole model.
    double local(double tokens) const;
    double whole(double tokens) const;
    // In one layer, on one GPU, and what of it a decoding step reads: the picked keys only, but all that an
    // indexer scores.
    double local_of(const AttentionLayers& alike, double tokens) const;
    double local_read(const AttentionLayers& alike, double tokens) const;
    // Sum over the layers.
    template <class Of>
    double over_layers(const Of& of) const
    {
        double sum = 0;
        for (const AttentionLayers& alike : layers)
        {
            sum += static_cast<double>(alike.layers) * std::invoke(of, alike);
        }
        return sum;
    }
};

// 2 h_kv d_h numbers a layer and token (Pope et al., arXiv 2211.05102, section 3.3; Shazeer, arXiv
// 1911.02150); with latent attention d_c + d_h^R (DeepSeek-V2, arXiv 2405.04434, section 2.1.4). Heads are
// dealt out over the tensor group and copied where there are fewer than GPUs; the latent is needed whole on
// each. Windows, sparse, compressed and linear layers as attention_layers() says.
CacheShape cache_shape(const Model& model, std::int64_t tensor);

} // namespace ringside
