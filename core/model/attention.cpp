#include "core/model/attention.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ringside
{

namespace
{

constexpr double kLocalWindow = 128;

double real(std::int64_t n)
{
    return static_cast<double>(n);
}

bool own_heads(const Model& m, std::int64_t entry)
{
    return entry > 0 && has_window_heads(m);
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
    case LayerAttention::hybrid:
        return {};
    case LayerAttention::linear:
    case LayerAttention::delta:
    case LayerAttention::lightning:
    case LayerAttention::mamba:
    case LayerAttention::mamba2:
    case LayerAttention::conv:
    case LayerAttention::none:
        break;
    }
    return {LayerKeys::kAll, LayerKeys::kAll, 0};
}

// What layers with a state compute and keep of a token: heads of n values with keys of d numbers.
void add_state(const Model& m, AttentionLayers& a)
{
    const double heads = real(linear_heads(m));
    const double n = real(m.linear_head_dim);
    const double d = real(linear_key_dim(m));
    const double keys = real(linear_key_heads(m)) * d;
    const double last = real(m.conv_tokens - 1);
    const double chunk = real(kLinearChunk);
    a.sharded = true;
    a.state = heads * n * d;
    switch (a.kind)
    {
    case LayerAttention::linear:
    case LayerAttention::delta:
        a.state_flops = heads * (6 * d * n + chunk * (2 * d + n) + chunk * chunk);
        a.state += last * (2 * keys + heads * n);
        break;
    case LayerAttention::lightning:
        a.state_flops = heads * (4 * d * n + chunk * (d + n));
        break;
    case LayerAttention::mamba:
        a.state_flops = 7 * a.state;
        a.state += last * heads * n;
        break;
    case LayerAttention::mamba2:
    case LayerAttention::hybrid:
        a.state_flops = 7 * a.state;
        a.state += last * (heads * n + 2 * keys);
        break;
    case LayerAttention::conv:
        a.state = last * real(m.hidden);
        a.state_flops = 2 * real(m.conv_tokens * m.hidden);
        break;
    default:
        a.state = 0;
        break;
    }
}

using KindOfEntry = std::pair<std::int64_t, bool>; // an entry of attention_per_layer, and keys of others

AttentionLayers alike(const Model& m, KindOfEntry kind)
{
    const std::int64_t entry = kind.first;
    if (own_heads(m, entry))
    {
        return alike(with_window_heads(m), kind);
    }
    AttentionLayers a;
    a.kind = layer_attention(entry);
    a.entry = entry;
    a.borrows = kind.second;
    a.keys = keys_of(m, entry);
    if (a.kind >= LayerAttention::linear)
    {
        add_state(m, a);
    }
    if (a.kind >= LayerAttention::linear && a.kind != LayerAttention::hybrid)
    {
        a.kv_heads = 1;
        return a;
    }
    const double heads = real(m.heads);
    const HeadWidths w = head_widths(m);
    a.kv_heads = w.kv_heads;
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

std::map<KindOfEntry, std::int64_t> entries_of(const Model& m, std::int64_t count)
{
    std::map<KindOfEntry, std::int64_t> entries;
    if (m.attention_per_layer.empty() && m.shared_kv_layers == 0)
    {
        entries[{0, false}] = count;
        return entries;
    }
    for (std::int64_t layer = 0; layer < count; ++layer)
    {
        entries[{attention_entry(m, layer), borrows_keys(m, layer)}] += 1;
    }
    return entries;
}

// The mean over the layers of what `of` says of those that attend alike.
template <class Of>
double mean_of(const Model& m, const Of& of)
{
    if ((m.attention_per_layer.empty() && m.shared_kv_layers == 0) || m.layers < 1)
    {
        return of(alike(m, {0, false}));
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
    const double v = m.v_head_dim > 0 ? real(m.v_head_dim) : d;
    return {d, v, real(m.kv_heads), d + v, (d + v) * real(m.kv_heads), true};
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

double passed_numbers(const Model& m, std::int64_t tensor, bool every_head)
{
    const double ranks = real(std::max<std::int64_t>(1, tensor));
    if (every_head)
    {
        const HeadWidths w = head_widths(m);
        return real(m.heads) / ranks * (w.key + w.value);
    }
    return mean_of(m, [&](const AttentionLayers& a) { return a.here(a.token_numbers(), 0, ranks); });
}

std::vector<ModelPart> attention_parts(const Model& m)
{
    // Windows with heads of their own apart, and layers that borrow keys.
    std::map<std::tuple<LayerAttention, bool, bool>, std::vector<std::int64_t>> kinds;
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
    {
        const std::int64_t entry = attention_entry(m, layer);
        kinds[{layer_attention(entry), own_heads(m, entry), borrows_keys(m, layer)}].push_back(entry);
    }
    std::vector<ModelPart> parts;
    for (const auto& [kind, entries] : kinds)
    {
        Model part = std::get<1>(kind) ? with_window_heads(m) : m;
        part = std::get<2>(kind) ? with_borrowed_keys(part) : part;
        part.shared_kv_layers = std::get<2>(kind) ? part.layers : 0;
        part.attention_per_layer = entries;
        parts.push_back({std::move(part), real(static_cast<std::int64_t>(entries.size())) / real(m.layers)});
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
    const bool some_borrow = m.shared_kv_layers > 0 && m.shared_kv_layers < m.layers;
    return !some_borrow && std::all_of(m.attention_per_layer.begin(), m.attention_per_layer.end(),
                                       [&](std::int64_t entry)
                                       {
                                           const std::int64_t first = m.attention_per_layer.front();
                                           return layer_attention(entry) == layer_attention(first) &&
                                                  own_heads(m, entry) == own_heads(m, first);
                                       });
}

} // namespace ringside
