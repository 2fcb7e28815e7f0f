// The model among Megatron-LM's arguments: shapes whose defaults depend on other settings.
#include <fmt/format.h>

#include "core/launch_files/frameworks/megatron.h"

#include <algorithm>
#include <bit>

namespace ringside
{

namespace
{

// Layers of "MEM*EM|E-/ME": every letter before the prediction layers; | ends a stage.
std::int64_t layers_of_pattern(std::string_view pattern)
{
    const std::string_view main = pattern.substr(0, pattern.find('/'));
    return std::ranges::count_if(main, [](char c) { return c != '|' && c != '"' && c != '\'' && c != ' '; });
}

void megatron_layers(LaunchReader& r)
{
    const Setting* layers = r.find("--num-layers");
    const Setting* encoder = r.find("--encoder-num-layers");
    const Setting* pattern = r.find_any({"--hybrid-layer-pattern", "--hybrid-override-pattern"});
    if (pattern != nullptr)
    {
        r.unsayable(*pattern, "Mamba and attention layers mixed: states in place of keys");
        r.state("model.layers", layers_of_pattern(plain_text(pattern->value)), *pattern);
    }
    else if (layers != nullptr)
    {
        r.state("model.layers", layers->value, *layers);
    }
    else if (encoder != nullptr)
    {
        r.state("model.layers", encoder->value, *encoder);
    }
    if (encoder != nullptr)
    {
        r.unsayable(*encoder, "encoder of an encoder-decoder (T5); alone it is model.layers");
    }
}

// --num-query-groups without --group-query-attention is ignored; the MLP is 4 h, or 8/3 h in 64s with swiglu.
void megatron_widths(LaunchReader& r)
{
    const std::int64_t hidden = r.said("model.hidden", 768);
    const std::int64_t heads = std::max<std::int64_t>(1, r.said("model.heads", 12));
    const bool gated = r.said("model.gated_mlp") == true;
    if (const Setting* ffn = r.find("--ffn-hidden-size"))
    {
        r.state("model.ffn", ffn->value, *ffn);
    }
    // arguments.py: int((4 * hidden_size * 2 / 3) / 64) * 64
    r.follow("model.ffn", gated ? hidden * 8 / 3 / 64 * 64 : 4 * hidden,
             gated ? "8/3 of the hidden width in steps of 64 with --swiglu" : "4 x the hidden width");
    const Setting* groups = r.find("--num-query-groups");
    const bool mla = r.said("model.attention") == "mla";
    if (r.find("--group-query-attention") != nullptr)
    {
        const std::int64_t kv = groups == nullptr ? 1 : r.count("--num-query-groups", 1).value_or(1);
        const Setting& by = groups == nullptr ? *r.find("--group-query-attention") : *groups;
        r.state("model.kv_heads", kv, by);
        if (!mla)
        {
            r.state("model.attention", kv == heads ? "mha" : "gqa", by);
        }
    }
    else if (groups != nullptr)
    {
        r.unsayable(*groups, "ignored by Megatron-LM without --group-query-attention");
    }
    r.follow("model.kv_heads", heads, "every head has keys and values of its own");
    r.follow("model.attention", "mha", "no --group-query-attention, no --multi-latent-attention");
    if (mla)
    {
        r.pass("--kv-channels");
        r.follow("model.kv_lora_rank", 32, "default of --kv-lora-rank in Megatron-LM");
        r.follow("model.qk_nope_head_dim", 128, "default of --qk-head-dim in Megatron-LM");
        r.follow("model.qk_rope_head_dim", 64, "default of --qk-pos-emb-head-dim in Megatron-LM");
        r.follow("model.v_head_dim", 128, "default of --v-head-dim in Megatron-LM");
        return;
    }
    if (const Setting* channels = r.find("--kv-channels"))
    {
        r.state("model.head_dim", channels->value, *channels);
    }
    r.follow("model.head_dim", std::max<std::int64_t>(1, hidden / heads), "hidden width / heads");
    if (const Setting* norm = r.find("--qk-layernorm"))
    {
        r.state("model.qk_norm", "head", *norm);
    }
}

void megatron_dropout(LaunchReader& r)
{
    const Setting* hidden = r.find("--hidden-dropout");
    const Setting* attention = r.find("--attention-dropout");
    const auto off = [](const Setting* s) { return s != nullptr && any_number(s->value).value_or(1) == 0; };
    if (off(hidden) && off(attention))
    {
        r.state("model.dropout", false, *hidden);
    }
    else if (hidden != nullptr || attention != nullptr)
    {
        r.state("model.dropout", true, hidden != nullptr ? *hidden : *attention);
    }
    r.follow("model.dropout", true, "0.1 unless --hidden-dropout and --attention-dropout are 0");
}

// transformer_config.py: the token itself is not counted in a window; every n-th layer attends to all.
void megatron_windows(LaunchReader& r)
{
    const std::string variant = r.word("--experimental-attention-variant");
    if (const Setting* setting = r.find("--experimental-attention-variant"))
    {
        variant == "dsa" ? r.state("model.attention_per_layer", nlohmann::json::array({"sparse"}), *setting)
                         : r.unsayable(*setting, variant + ": states in place of keys in most layers");
    }
    const Setting* window = r.find("--window-size");
    if (window == nullptr)
    {
        return;
    }
    std::string text = plain_text(window->value);
    std::erase_if(text, [](char c) { return c == '(' || c == ')' || c == '"' || c == '\'' || c == ' '; });
    const auto tokens = whole_number(text.substr(0, text.find(',')));
    if (!tokens || *tokens < 0)
    {
        return; // -1: all
    }
    // Windows of 128 tokens are written as 128, too.
    const std::int64_t back =
        std::has_single_bit(static_cast<std::uint64_t>(*tokens)) ? *tokens : *tokens + 1;
    const std::string skip = r.word("--window-attn-skip-freq");
    auto entries = nlohmann::json::array();
    if (const auto every = whole_number(skip); every && *every > 0 && *every <= 64)
    {
        for (std::int64_t i = 1; i < *every; ++i)
        {
            entries.push_back(back);
        }
        entries.push_back(0);
    }
    else
    {
        for (const std::int64_t has_window : python_list(skip))
        {
            entries.push_back(has_window != 0 ? back : 0);
        }
    }
    r.state("model.attention_per_layer", entries.empty() ? nlohmann::json::array({back}) : entries, *window);
}

// Dense layers before those with experts, and every how-many-th layer has them.
void megatron_expert_layers(LaunchReader& r)
{
    const Setting* setting = r.find_any({"--moe-layer-freq", "--expert-interval"});
    const std::string text = setting == nullptr ? "" : plain_text(setting->value);
    r.follow("model.moe_interval",
             setting == nullptr ? 1 : std::max<std::int64_t>(1, whole_number(text).value_or(1)),
             "default of --moe-layer-freq in Megatron-LM");
    if (setting == nullptr || whole_number(text))
    {
        r.follow("model.dense_layers", 0, "every layer has experts");
        return;
    }
    state_expert_layers(r, *setting);
}

void megatron_shared_expert(LaunchReader& r)
{
    const Setting* setting = r.find("--moe-shared-expert-intermediate-size");
    const auto width = r.count("--moe-shared-expert-intermediate-size", 0);
    if (setting == nullptr || !width)
    {
        return;
    }
    const std::int64_t one = std::max<std::int64_t>(1, r.said("model.expert_ffn", r.said("model.ffn", 1)));
    r.state("model.shared_experts", std::max<std::int64_t>(*width > 0 ? 1 : 0, *width / one), *setting);
    if (*width % one != 0)
    {
        r.say(fmt::format("shared expert of {} is not a multiple of {}", *width, one));
        r.state("model.shared_ffn", *width, *setting);
    }
    if (const Setting* gate = r.find("--moe-shared-expert-gate"))
    {
        r.state("model.shared_gate", true, *gate);
    }
}

void megatron_experts(LaunchReader& r)
{
    const Setting* experts = r.find("--num-experts");
    const bool one =
        experts != nullptr && r.count("--num-experts", 0).value_or(0) == 1 &&
        r.find("--moe-expert-parallel-size") != nullptr; // Megatron-DeepSpeed: 1 is a dense model
    if (experts == nullptr || one || r.count("--num-experts", 0) == 0)
    {
        r.follow("model.experts", 0, one ? "--num-experts 1 means a dense model" : "no --num-experts");
        if (one)
        {
            r.forget("parallel.expert");
        }
        return;
    }
    r.state("model.experts", experts->value, *experts);
    r.follow("model.experts_per_token", 2, "default of --moe-router-topk in Megatron-LM");
    r.follow("model.expert_ffn", r.said("model.ffn", 1), "as --ffn-hidden-size");
    megatron_expert_layers(r);
    megatron_shared_expert(r);
    if (!r.has("model.shared_experts"))
    {
        r.follow("model.shared_experts", 0, "no --moe-shared-expert-intermediate-size");
    }
}

// tokenizer.py: rows are padded to a multiple of --make-vocab-size-divisible-by x TP.
void megatron_vocab(LaunchReader& r)
{
    const std::int64_t unit =
        std::max<std::int64_t>(1, r.count("--make-vocab-size-divisible-by", 1).value_or(128)) *
        std::max<std::int64_t>(1, r.said("parallel.tensor", 1));
    const auto padded = [&](std::int64_t rows) { return (rows + unit - 1) / unit * unit; };
    r.pass("--vocab-extra-ids");
    if (const Setting* whole = r.find("--padded-vocab-size"))
    {
        r.state("model.vocab", whole->value, *whole);
        r.pass("--vocab-size");
        return;
    }
    const Setting* size = r.find("--vocab-size");
    if (const auto rows = r.count("--vocab-size", 1); rows && *rows < (1 << 26) && size != nullptr)
    {
        r.state("model.vocab", padded(*rows), *size);
        return;
    }
    r.pass("--vocab-file");
    r.guess(
        "model.vocab", padded(50257),
        fmt::format(
            "GPT-2's 50,257 tokens, padded to a multiple of {}: the tokenizer is in a file that is not here",
            unit));
}

} // namespace

std::vector<std::int64_t> python_list(std::string_view text)
{
    std::vector<std::int64_t> all;
    constexpr std::size_t kMost = 10'000;
    for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at))
    {
        const std::size_t close = text.find(']', at);
        if (close == std::string_view::npos)
        {
            return {};
        }
        std::vector<std::int64_t> part;
        for (const char c : text.substr(at, close - at))
        {
            if (c == '0' || c == '1')
            {
                part.push_back(c - '0');
            }
        }
        at = close + 1;
        std::size_t end = text.find_first_not_of(' ', at);
        std::int64_t times = 1;
        if (end != std::string_view::npos && text[end] == '*')
        {
            std::size_t stop = ++end;
            while (stop < text.size() && (text[stop] == ' ' || (text[stop] >= '0' && text[stop] <= '9')))
            {
                ++stop;
            }
            std::string digits(text.substr(end, stop - end));
            std::erase(digits, ' ');
            times = whole_number(digits).value_or(0);
            at = stop;
        }
        for (std::int64_t n = 0; n < times && !part.empty() && all.size() + part.size() <= kMost; ++n)
        {
            all.insert(all.end(), part.begin(), part.end());
        }
    }
    return all;
}

void state_expert_layers(LaunchReader& r, const Setting& setting)
{
    const std::vector<std::int64_t> layers =
        python_list(setting.value.is_array() ? setting.value.dump() : plain_text(setting.value));
    const auto first = std::ranges::find(layers, 1);
    r.state("model.dense_layers", first - layers.begin(), setting);
    std::int64_t interval = 1;
    if (first != layers.end())
    {
        const auto second = std::find(first + 1, layers.end(), 1);
        interval = second == layers.end() ? 1 : second - first;
    }
    r.forget("model.moe_interval");
    r.state("model.moe_interval", interval, setting);
    for (auto at = first; at != layers.end(); ++at)
    {
        if ((*at == 1) != ((at - first) % interval == 0))
        {
            r.unsayable(setting, "layers with experts follow no interval; counted as if they did");
            return;
        }
    }
}

void read_megatron_model(LaunchReader& r)
{
    megatron_layers(r);
    if (const Setting* gated = r.find_any({"--swiglu", "--quick-geglu"}))
    {
        r.state("model.gated_mlp", true, *gated);
    }
    megatron_widths(r);
    megatron_dropout(r);
    megatron_windows(r);
    megatron_experts(r);
    megatron_vocab(r);
}

} // namespace ringside
