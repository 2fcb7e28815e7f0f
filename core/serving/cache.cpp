#include "core/serving/cache.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

CacheShape cache_shape(const Model& model, std::int64_t tensor)
{
    const HeadWidths w = head_widths(model);
    CacheShape c;
    c.layers = attention_layers(model, model.layers);
    c.ranks = static_cast<double>(std::max<std::int64_t>(1, tensor));
    c.kv_heads = w.kv_heads;
    c.latent = model.attention == Attention::mla;
    c.layer_numbers = w.cached;
    c.widest_layer_numbers = static_cast<double>(model.heads) * (w.key + w.value);
    return c;
}

double CacheShape::local_of(const AttentionLayers& alike, double tokens) const
{
    return alike.here(alike.numbers(tokens) - alike.state, alike.state, ranks);
}

double CacheShape::local_read(const AttentionLayers& alike, double tokens) const
{
    return alike.here(alike.cached * alike.keys.attended(tokens) + alike.indexed * alike.far(tokens),
                      alike.state, ranks);
}

double CacheShape::local(double tokens) const
{
    return over_layers([&](const AttentionLayers& alike) { return local_of(alike, tokens); });
}

double CacheShape::whole(double tokens) const
{
    return over_layers([&](const AttentionLayers& alike) { return alike.numbers(tokens); });
}

} // namespace ringside
