#include "core/model/attention.h"

#include <algorithm>
#include <map>

namespace ringside
{

namespace
{

constexpr double kLocalWindow = 128;

double real(std::int64_t n)
{
    return static_cast<double>(n);
}

// Sum over the first n tokens of min(i, limit).
double summed(double n, double limit)
{
    return n <= limit ? n * (n + 1) / 2 : limit * (limit + 1) / 2 + (n - limit) * limit;
}

// Mean of min(i, limit) over a sequence, in halves of the sequence.
double triangle(double tokens, double limit)
{
    const double r = limit < tokens ? limit / tokens : 1;
    return 2 * r - r * r;
}

LayerKeys keys_of(const Model& m, std::int64_t entry)
{
    switch (layer_attention(entry))
    {
    case LayerAttention::full:
        return entry > 0 ? LayerKeys{LayerKeys::kAll, LayerKeys::kAll, real(entry)} : LayerKeys{};
    case LayerAttention::sparse:
        return {1, real(m.index_top_k), 0};
    case LayerAttention::csa:
        return {real(kCsaTokens), real(m.index_top_k), kLocalWindow};
    case LayerAttention::hca:
        return {real(kHcaTokens), LayerKeys::kAll, kLocalWindow};
    case LayerAttention::linear:
        break;
    }
    return {LayerKeys::kAll, LayerKeys::kAll, 0};
}

AttentionLayers alike(const Model& m, std::int64_t entry)
{
    AttentionLayers a;
    a.kind = layer_attention(entry);
    a.entry = entry;
    a.keys = keys_of(m, entry);
    const double heads = real(m.heads);
    if (a.kind == LayerAttention::linear)
    {
        const double d = real(m.linear_head_dim);
        const double chunk = real(kLinearChunk);
        a.state_flops = heads * (6 * d * d + 3 * chunk * d + chunk * chunk);
        a.state = heads * d * (d + 3 * real(kConvolutionTokens - 1)); // of queries, keys and values
        a.sharded = true;
        return a;
    }
    const HeadWidths w = head_widths(m);
    a.key_flops = 2 * heads * (w.key + w.value);
    a.absorbed_flops = 2 * heads * w.absorbed;
    a.cached = w.cached;
    a.sharded = w.sharded;
    if (a.kind == LayerAttention::sparse || a.kind == LayerAttention::csa)
    {
        a.index_flops = 2 * real(m.index_heads) * real(m.index_head_dim);
        a.indexed = real(m.index_head_dim);
    }
    return a;
}

std::map<std::int64_t, std::int64_t> entries_of(const Model& m, std::int64_t count)
{
    std::map<std::int64_t, std::int64_t> entries;
    if (m.attention_per_layer.empty())
    {
        entries[0] = count;
        return entries;
    }
    for (std::int64_t layer = 0; layer < count; ++layer)
    {
        entries[attention_entry(m, layer)] += 1;
    }
    return entries;
}

// The mean over the layers of what `of` says of those that attend alike.
template <class Of>
double mean_of(const Model& m, const Of& of)
{
    if (m.attention_per_layer.empty() || m.layers < 1)
    {
        return of(alike(m, 0));
    }
    double sum = 0;
    for (const AttentionLayers& a : attention_layers(m, m.layers))
    {
        sum += real(a.layers) * of(a);
    }
    return sum / real(m.layers);
}

} // namespace

double LayerKeys::attended(double tokens) const
{
    return std::min(far(tokens), most) + std::min(tokens, window);
}

double LayerKeys::attended_by_all(double tokens) const
{
    return summed(tokens, most * every) / every + summed(tokens, window);
}

double LayerKeys::kept(double tokens) const
{
    return far(tokens) + std::min(tokens, window);
}

double LayerKeys::share(double tokens) const
{
    return triangle(tokens, most * every) / every + triangle(tokens, window);
}

HeadWidths head_widths(const Model& m)
{
    const double d = real(m.head_dim);
    switch (m.attention)
    {
    case Attention::mla:
    {
        const double rope = real(m.qk_rope_head_dim);
        const double latent = real(m.kv_lora_rank);
        return {real(m.qk_nope_head_dim) + rope,
                real(m.v_head_dim),
                real(m.heads),
                2 * latent + rope,
                latent + rope,
                false};
    }
    case Attention::shared_kv:
        return {d, d, 1, 2 * d, d, false};
    case Attention::mha:
    case Attention::gqa:
        break;
    }
    return {d, d, real(m.kv_heads), 2 * d, 2 * d * real(m.kv_heads), true};
}

double AttentionLayers::counted(double tokens) const
{
    return tokens * (key_flops * keys.share(tokens) + index_flops / keys.every) + state_flops;
}

double AttentionLayers::executed(double tokens) const
{
    return (counted(tokens) + state_flops) / 2;
}

std::vector<AttentionLayers> attention_layers(const Model& m, std::int64_t count)
{
    std::vector<AttentionLayers> all;
    for (const auto& [entry, layers] : entries_of(m, count))
    {
        all.push_back(alike(m, entry));
        all.back().layers = layers;
    }
    return all;
}

double executed_attention(const Model& m, double tokens)
{
    return mean_of(m, [&](const AttentionLayers& a) { return a.executed(tokens); });
}

double scores_share(const Model& m, double tokens)
{
    return mean_of(m, [&](const AttentionLayers& a) { return a.keys.share(tokens); });
}

double passed_numbers(const Model& m, std::int64_t tensor)
{
    const double heads = real(std::max<std::int64_t>(1, m.kv_heads / std::max<std::int64_t>(1, tensor)));
    return mean_of(m, [&](const AttentionLayers& a)
                   { return a.sharded ? a.token_numbers() / real(m.kv_heads) * heads : a.token_numbers(); });
}

std::vector<ModelPart> attention_parts(const Model& m)
{
    std::map<LayerAttention, std::vector<std::int64_t>> kinds;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        const std::int64_t entry = attention_entry(m, layer);
        kinds[layer_attention(entry)].push_back(entry);
    }
    std::vector<ModelPart> parts;
    for (const auto& [kind, entries] : kinds)
    {
        parts.push_back({m, real(static_cast<std::int64_t>(entries.size())) / real(m.layers)});
        parts.back().model.attention_per_layer = entries;
    }
    return parts;
}

Model most_layers(const Model& m)
{
    if (attends_alike(m))
    {
        return m;
    }
    const std::vector<ModelPart> parts = attention_parts(m);
    return std::max_element(parts.begin(), parts.end(),
                            [](const ModelPart& a, const ModelPart& b) { return a.share < b.share; })
        ->model;
}

bool attends_alike(const Model& m)
{
    return std::all_of(m.attention_per_layer.begin(), m.attention_per_layer.end(),
                       [&](std::int64_t entry)
                       { return layer_attention(entry) == layer_attention(m.attention_per_layer.front()); });
}

} // namespace ringside
