// The cache of keys and values: what one token of one sequence keeps, on one GPU of a tensor group. Counts
// bytes; how many sequences there are and how long they take is in serving.h.
//
// Grouped heads are sharded and repeated where there are fewer heads than GPUs; a latent is whole on every
// GPU, and decoding with it counts the absorbed products.
#pragma once

#include "core/base/units.h"
#include "core/scenario/scenario.h"

#include <limits>
#include <vector>

namespace ringside
{

// What the cache of one model grows by.
struct CacheShape
{
    struct Windowed
    {
        std::int64_t tokens = 0; // that such a layer keeps
        std::int64_t layers = 0;
    };

    double layer_numbers = 0;        // that one token leaves in one layer, whole model
    double local_layer_numbers = 0;  // on one GPU of `tensor`
    std::int64_t full_layers = 0;    // keep every token
    std::int64_t window_layers = 0;  // keep the last ones of their window
    std::vector<Windowed> windows;   // by size
    bool latent = false;             // one latent for all heads
    double widest_layer_numbers = 0; // if every query head had its own key and value

    // Numbers of `tokens` tokens of one sequence, on one GPU or in the whole model.
    double local(double tokens) const { return local_layer_numbers * kept(tokens); }
    double whole(double tokens) const { return layer_numbers * kept(tokens); }
    // Tokens kept, summed over the layers.
    double kept(double tokens) const
    {
        return over_layers([tokens](double limit) { return tokens < limit ? tokens : limit; });
    }
    // Sum over the layers of what one comes to that looks back at so many tokens at most.
    template <class Of>
    double over_layers(const Of& of) const
    {
        double sum = static_cast<double>(full_layers) * of(std::numeric_limits<double>::infinity());
        for (const Windowed& w : windows)
        {
            sum += static_cast<double>(w.layers) * of(static_cast<double>(w.tokens));
        }
        return sum;
    }
};

// 2 h_kv d_h numbers a layer and token (Pope et al., arXiv 2211.05102, section 3.3; Shazeer, arXiv
// 1911.02150); with latent attention d_c + d_h^R (DeepSeek-V2, arXiv 2405.04434, section 2.1.4). Heads are
// dealt out over the tensor group and copied where there are fewer than GPUs; the latent is needed whole on
// each.
CacheShape cache_shape(const Model& model, std::int64_t tensor);

} // namespace ringside
