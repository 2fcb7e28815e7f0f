// Layers of several kinds in one model: states beside attention, patterns, and windows with heads of their
// own.
#include <fmt/format.h>

#include "core/base/text/printable.h"
#include "core/scenario/hugging_face/readers.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

void read_delta(HfConfig& c, Model& m)
{
    m.linear_heads = c.count({"linear_num_value_heads"}, 32, kHeads);
    m.linear_head_dim = c.count({"linear_value_head_dim"}, 128, kHeads);
    m.linear_key_heads = c.count({"linear_num_key_heads"}, 16, kHeads);
    m.linear_key_dim = c.count({"linear_key_head_dim"}, 128, kHeads);
    m.conv_tokens = c.count({"linear_conv_kernel_dim"}, 4, {1, 64});
}

// Mamba-2, as Nemotron-H ("mamba_num_heads") or as Bamba and its kin ("mamba_n_heads") name it.
void read_mamba2(HfConfig& c, Model& m)
{
    m.linear_heads = c.count({"mamba_num_heads", "mamba_n_heads"}, 128, kHeads);
    const std::int64_t expand = c.maybe({"mamba_expand", "expand"}, {1, 64}).value_or(2);
    const std::int64_t all = c.maybe({"mamba_d_ssm"}).value_or(expand * m.hidden);
    const bool automatic = c.is_text("mamba_d_head");
    m.linear_head_dim = automatic ? all / std::max<std::int64_t>(1, m.linear_heads)
                                  : c.maybe({"mamba_head_dim", "mamba_d_head"}, kHeads)
                                        .value_or(all / std::max<std::int64_t>(1, m.linear_heads));
    m.linear_key_heads = c.count({"n_groups", "mamba_n_groups"}, 1, kHeads);
    m.linear_key_dim = c.count({"ssm_state_size", "mamba_d_state"}, 128, kHeads);
    m.conv_tokens = c.count({"conv_kernel", "mamba_d_conv"}, 4, {1, 64});
    m.linear_norm = c.flag("mamba_rms_norm", true);
    c.pass_over({"use_conv_bias", "mamba_conv_bias"}); // as counted
    if (c.flag("use_bias", false) || c.flag("mamba_proj_bias", false))
    {
        c.note("mamba_proj_bias", "biases of Mamba's projections are not counted");
    }
    if (c.has("use_conv_bias") && !c.flag("use_conv_bias", true))
    {
        c.note("use_conv_bias", "the convolution's bias is counted all the same");
    }
}

// Mamba in Jamba: heads are channels.
void read_mamba1(HfConfig& c, Model& m)
{
    m.linear_heads = c.maybe({"mamba_expand"}, {1, 64}).value_or(2) * m.hidden;
    m.linear_head_dim = m.linear_key_heads = 1;
    m.linear_key_dim = c.count({"mamba_d_state"}, 16, kHeads);
    m.linear_rank = c.is_text("mamba_dt_rank") ? (m.hidden + 15) / 16
                                               : c.maybe({"mamba_dt_rank"}).value_or((m.hidden + 15) / 16);
    m.conv_tokens = c.count({"mamba_d_conv"}, 4, {1, 64});
    c.pass_over({"mamba_conv_bias", "mamba_inner_layernorms"});
    if (c.flag("mamba_proj_bias", false))
    {
        c.note("mamba_proj_bias", "biases of Mamba's projections are not counted");
    }
}

LayerAttention state_of(const HfConfig& c, const Model& m)
{
    return c.has("linear_num_value_heads") ? LayerAttention::delta
           : m.linear_rank > 0             ? LayerAttention::mamba
           : m.linear_head_dim > 0         ? LayerAttention::mamba2
                                           : LayerAttention::conv;
}

// One layer by the library's word for it.
std::optional<std::int64_t> entry_of_word(const std::string& word, std::int64_t window, LayerAttention state)
{
    if (word == "full_attention" || word == "attention" || word == "global_attention")
    {
        return 0;
    }
    if (word == "sliding_attention" || word == "chunked_attention" || word == "local_attention")
    {
        return window;
    }
    if (word == "linear_attention" || word == "mamba" || word == "conv" || word == "short_conv")
    {
        return entry_of(state);
    }
    if (word == "hybrid")
    {
        return entry_of(LayerAttention::hybrid);
    }
    if (word == "moe" || word == "mlp")
    {
        return entry_of(LayerAttention::none);
    }
    return {};
}

// "M*-E": Mamba, attention, MLP, experts (nemotron_h).
std::vector<std::string> words_of_pattern(HfConfig& c)
{
    std::vector<std::string> words;
    for (const char letter : c.word("hybrid_override_pattern", ""))
    {
        const char* word = letter == 'M'   ? "mamba"
                           : letter == '*' ? "attention"
                           : letter == 'E' ? "moe"
                           : letter == '-' ? "mlp"
                                           : nullptr;
        if (word == nullptr || words.size() >= 10000)
        {
            c.fault("hybrid_override_pattern", fmt::format("no layer is called {:?}", letter),
                    "use M, *, - and E");
            return {};
        }
        words.emplace_back(word);
    }
    return words;
}

// A pattern that is repeated, once; nothing where all layers attend to all tokens.
void shorten(std::vector<std::int64_t>& entries)
{
    std::size_t period = 1;
    for (std::size_t i = 1; i < entries.size(); ++i)
    {
        period = entries[i] == entries[i % period] ? period : i + 1; // no shorter one reaches this far
    }
    // What is left over by the longest start that repeats has to repeat from the first on.
    for (std::size_t i = 0; i < entries.size() && period < entries.size(); ++i)
    {
        if (entries[i] != entries[i % period])
        {
            i = 0;
            ++period;
        }
    }
    if (2 * period <= entries.size())
    {
        entries.resize(period);
    }
    if (entries == std::vector<std::int64_t>{0})
    {
        entries.clear();
    }
}

void read_words(HfConfig& c, Model& m, const std::vector<std::string>& words, const char* field)
{
    const std::int64_t window = c.maybe({"sliding_window", "attention_chunk_size"}, {0, 1 << 27}).value_or(0);
    const LayerAttention state = state_of(c, m);
    m.attention_per_layer.clear();
    bool dense = false;
    bool experts = false;
    for (const std::string& word : words)
    {
        const auto entry = entry_of_word(word, window, state);
        if (!entry)
        {
            c.fault(
                field, fmt::format("no layer of the kind {:?} is known", shortened(word)),
                "known are full_attention, sliding_attention, linear_attention, mamba, conv, hybrid, moe and "
                "mlp");
            return;
        }
        dense = dense || word == "mlp";
        experts = experts || word == "moe";
        m.attention_per_layer.push_back(*entry);
    }
    m.split_blocks = dense || experts;
    if (!m.split_blocks && std::ssize(words) > m.layers) // those that predict further tokens are behind
    {
        m.attention_per_layer.resize(static_cast<std::size_t>(m.layers));
    }
    if (m.split_blocks)
    {
        m.layers = std::ssize(words);
        m.experts = experts ? m.experts : 0;
    }
    if (dense && experts)
    {
        c.fault(field, "has both mlp and moe layers", "one of them in a model can be said");
    }
    shorten(m.attention_per_layer);
}

// Every n-th layer attends to all tokens; the others have a state or a window.
void read_interval(HfConfig& c, Model& m, std::int64_t other)
{
    const std::int64_t every =
        c.maybe({"full_attention_interval", "sliding_window_pattern", "global_attn_every_n_layers",
                 "attn_layer_period", "layer_group_size"},
                kLayers)
            .value_or(other < 0 ? 4 : 0);
    const std::int64_t at = c.maybe({"attn_layer_offset"}, {0, 10000}).value_or(every - 1);
    if (every > 0 && at < every)
    {
        m.attention_per_layer.assign(static_cast<std::size_t>(every), other);
        m.attention_per_layer[static_cast<std::size_t>(at)] = 0;
    }
    else if (other != 0)
    {
        m.attention_per_layer = {other};
    }
}

// Heads that layers with a window have for themselves. Gemma 4's `head_dim` is theirs; others name theirs
// apart.
void read_window_heads(HfConfig& c, Model& m)
{
    if (const auto global = c.maybe({"global_head_dim"}, kHeads))
    {
        m.window_head_dim = m.head_dim;
        m.window_kv_heads = m.kv_heads;
        m.head_dim = *global;
        m.values_are_keys = c.flag("attention_k_eq_v", false);
        const auto heads = c.maybe({"num_global_key_value_heads"}, kHeads);
        m.kv_heads = heads && m.values_are_keys ? *heads : m.kv_heads;
    }
    m.window_heads = c.maybe({"swa_num_attention_heads"}, kHeads).value_or(m.window_heads);
    m.window_kv_heads = c.maybe({"swa_num_key_value_heads"}, kHeads).value_or(m.window_kv_heads);
    m.window_head_dim = c.maybe({"swa_head_dim"}, kHeads).value_or(m.window_head_dim);
    if (const auto values = c.maybe({"swa_v_head_dim"}, kHeads); values && *values != m.v_head_dim)
    {
        c.fault("swa_v_head_dim", fmt::format("{} beside {} of the other layers", *values, m.v_head_dim),
                "values of both are as wide");
    }
    if (const json* other = c.object("attention_other_setting"))
    {
        HfConfig own(*other, "attention_other_setting.");
        m.window_heads = own.maybe({"num_attention_heads"}, kHeads).value_or(0);
        m.window_kv_heads = own.maybe({"num_attention_groups"}, kHeads).value_or(0);
        m.window_head_dim = own.maybe({"head_dim"}, kHeads).value_or(0);
        c.take(own);
    }
    m.window_heads = m.window_heads == m.heads ? 0 : m.window_heads;
    m.window_kv_heads = m.window_kv_heads == m.kv_heads ? 0 : m.window_kv_heads;
    m.window_head_dim = m.window_head_dim == m.head_dim ? 0 : m.window_head_dim;
}

// Mixed layers where no list of words says which.
void read_plain_kinds(HfConfig& c, Model& m)
{
    if (const std::vector<std::int64_t> pattern = c.indices("hybrid_layer_pattern"); !pattern.empty())
    {
        const std::int64_t window =
            c.maybe({"sliding_window", "sliding_window_size"}, {0, 1 << 27}).value_or(0);
        for (const std::int64_t windowed : pattern) // 1: a window (MiMo-V2)
        {
            m.attention_per_layer.push_back(windowed != 0 ? window : 0);
        }
        shorten(m.attention_per_layer);
        return;
    }
    const std::vector<std::int64_t> full =
        c.indices(c.has("full_attn_idxs") ? "full_attn_idxs" : "attn_layer_indices");
    if (!full.empty() && m.linear_head_dim + (c.has("conv_L_cache") ? 1 : 0) > 0)
    {
        m.attention_per_layer.assign(static_cast<std::size_t>(m.layers), entry_of(state_of(c, m)));
        for (const std::int64_t layer : full)
        {
            m.attention_per_layer[static_cast<std::size_t>(std::min(layer, m.layers - 1))] = 0;
        }
        return;
    }
    if (m.linear_head_dim > 0)
    {
        const bool beside = c.has("mamba_d_ssm");
        beside ? m.attention_per_layer.assign(1, entry_of(LayerAttention::hybrid))
               : read_interval(c, m, entry_of(state_of(c, m)));
        return;
    }
    const std::int64_t window = c.maybe({"sliding_window", "window_size"}, {0, 1 << 27}).value_or(0);
    if (window > 0 && c.flag("use_sliding_window", true) && m.attention_per_layer.empty())
    {
        read_interval(c, m, window);
    }
    c.pass_over({"max_window_layers"});
}

} // namespace

void read_state(HfConfig& c, Model& m)
{
    if (c.has("linear_num_value_heads"))
    {
        read_delta(c, m);
    }
    else if (c.has("mamba_dt_rank") || (c.has("mamba_d_state") && c.has("attn_layer_period")))
    {
        read_mamba1(c, m);
    }
    else if (c.has("mamba_n_heads") || c.has("mamba_num_heads"))
    {
        read_mamba2(c, m);
    }
    else if (c.has("conv_L_cache"))
    {
        m.conv_tokens = c.count({"conv_L_cache"}, 3, {1, 64});
    }
}

void read_layer_kinds(HfConfig& c, Model& m)
{
    read_window_heads(c, m);
    for (const char* field : {"hybrid_override_pattern", "layers_block_type", "layer_types"})
    {
        if (c.has(field))
        {
            const bool letters = std::string_view(field) == "hybrid_override_pattern";
            const auto words = letters ? words_of_pattern(c) : c.words(field);
            c.pass_over({"hybrid_override_pattern", "layers_block_type", "layer_types",
                         "full_attention_interval", "sliding_window_pattern", "global_attn_every_n_layers",
                         "attn_type_list", "max_window_layers", "full_attn_idxs", "attn_layer_indices",
                         "sliding_window", "layer_group_size"});
            if (!words.empty())
            {
                read_words(c, m, words, field);
            }
            return;
        }
    }
    read_plain_kinds(c, m);
}

} // namespace ringside
