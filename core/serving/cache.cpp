#include "core/serving/cache.h"

#include <algorithm>
#include <map>

namespace ringside
{

CacheShape cache_shape(const Model& model, std::int64_t tensor)
{
    CacheShape c;
    c.latent = model.attention == Attention::mla;
    const auto heads = static_cast<double>(model.heads);
    if (c.latent)
    {
        c.layer_numbers = static_cast<double>(model.kv_lora_rank + model.qk_rope_head_dim);
        c.local_layer_numbers = c.layer_numbers;
        c.widest_layer_numbers =
            heads * static_cast<double>(model.qk_nope_head_dim + model.qk_rope_head_dim + model.v_head_dim);
    }
    else
    {
        const auto both = 2 * static_cast<double>(model.head_dim);
        c.layer_numbers = both * static_cast<double>(model.kv_heads);
        c.local_layer_numbers = both * static_cast<double>(std::max<std::int64_t>(
                                           1, model.kv_heads / std::max<std::int64_t>(1, tensor)));
        c.widest_layer_numbers = both * heads;
    }
    std::map<std::int64_t, std::int64_t> windows;
    for (std::int64_t layer = 0; layer < model.layers; ++layer)
    {
        windows[window_of(model, layer)] += 1;
    }
    for (const auto& [tokens, layers] : windows)
    {
        if (tokens == 0)
        {
            c.full_layers = layers;
            continue;
        }
        c.windows.push_back({tokens, layers});
        c.window_layers += layers;
    }
    return c;
}

} // namespace ringside
