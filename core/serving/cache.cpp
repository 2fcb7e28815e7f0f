#include "core/serving/cache.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

struct Known
{
    std::string_view preset;
    SlidingWindow window;
};

constexpr std::array kKnown{
    Known{"mistral-7b-v0.1", {4096, 0, "Mistral 7B, arXiv 2310.06825, section 2"}},
    Known{"gemma-2-2b", {4096, 2, "Gemma 2, arXiv 2408.00118, section 2"}},
    Known{"gemma-2-9b", {4096, 2, "Gemma 2, arXiv 2408.00118, section 2"}},
    Known{"gemma-2-27b", {4096, 2, "Gemma 2, arXiv 2408.00118, section 2"}},
    Known{"gemma-3-1b", {512, 6, "Gemma 3, arXiv 2503.19786, section 2; released config.json"}},
    Known{"gpt-oss-20b", {128, 2, "gpt-oss model card, arXiv 2508.10925, section 2"}},
    Known{"gpt-oss-120b", {128, 2, "gpt-oss model card, arXiv 2508.10925, section 2"}},
};

} // namespace

SlidingWindow sliding_window(const Model& model)
{
    const auto* const found = std::ranges::find(kKnown, model.preset, &Known::preset);
    return found == kKnown.end() ? SlidingWindow{} : found->window;
}

double CacheShape::kept(double tokens) const
{
    return static_cast<double>(full_layers) * tokens +
           static_cast<double>(window_layers) * std::min(tokens, static_cast<double>(window));
}

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
    const SlidingWindow w = sliding_window(model);
    c.window = w.window;
    c.full_layers = w.window == 0 ? model.layers : w.full_every == 0 ? 0 : model.layers / w.full_every;
    c.window_layers = model.layers - c.full_layers;
    return c;
}

} // namespace ringside
