#include "core/base/text/find_by.h"
#include "core/planner/launch/serving_flags.h"
#include "core/planner/launch/serving_launch.h"

#include <algorithm>
#include <optional>

namespace ringside
{

namespace
{

// A word of a command, or a line of a tree with what is below it: a name and its value.
using NamedValue = std::pair<std::string, std::string>;

std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    char quote = 0;
    bool open = false; // a word
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        const bool ends = quote == 0 && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
        const bool joins = quote == 0 && c == '\\' && i + 1 < text.size() && text[i + 1] == '\n';
        if (ends || joins)
        {
            open = false;
            continue;
        }
        if (!open)
        {
            words.emplace_back();
            open = true;
        }
        const bool quotes = quote == 0 ? c == '\'' || c == '"' : c == quote;
        quote = quotes ? (quote == 0 ? c : char(0)) : quote;
        words.back() += quotes ? "" : std::string(1, c);
    }
    return words;
}

// "--tp_size 8", "--tp-size=8"; names with dashes, as SGLang's long ones.
std::vector<NamedValue> flags_of(const std::vector<std::string>& words)
{
    std::vector<NamedValue> flags;
    for (const std::string& word : words)
    {
        if (word.starts_with("--"))
        {
            const std::size_t is = word.find('=');
            flags.emplace_back(word.substr(0, is), is == std::string::npos ? "" : word.substr(is + 1));
        }
        else if (!flags.empty() && flags.back().second.empty())
        {
            flags.back().second = word;
        }
    }
    return flags;
}

std::vector<NamedValue> options_of(std::string_view text)
{
    std::vector<NamedValue> options;
    for (std::size_t from = 0; from < text.size();)
    {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string_view line = text.substr(from, end - from);
        from = end + 1;
        const std::size_t colon = line.find(':');
        if (line.starts_with(' ') && !options.empty())
        {
            options.back().second += std::string(line) + ",";
        }
        else if (colon != std::string_view::npos && !line.starts_with('#'))
        {
            const std::size_t value = std::min(line.find_first_not_of(' ', colon + 1), line.size());
            std::string_view said = line.substr(value);
            said = said.substr(0, said.find(" #")); // a comment
            options.emplace_back(line.substr(0, colon), said.substr(0, said.find_last_not_of(' ') + 1));
        }
    }
    return options;
}

bool alike_flags(std::string_view a, std::string_view b)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kLong{
        {{"--tensor-parallel-size", "--tp-size"},
         {"--pipeline-parallel-size", "--pp-size"},
         {"--data-parallel-size", "--dp-size"},
         {"--expert-parallel-size", "--ep-size"}}}; // SGLang has both
    const auto same = [](char x, char y)
    { return x == y || (x == '_' && y == '-') || (x == '-' && y == '_'); };
    return std::ranges::equal(a, b, same) ||
           std::ranges::any_of(kLong, [&](const auto& l) { return a == l.first && b == l.second; });
}

std::optional<ServingTool> tool_of(const std::vector<std::string>& words)
{
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const std::string& word = words[i];
        const bool serves = i + 1 < words.size() && words[i + 1] == "serve";
        if (word == "trtllm-serve" || (word == "vllm" && serves))
        {
            return word == "vllm" ? ServingTool::vllm : ServingTool::trtllm;
        }
        if (word == "sglang.launch_server" || (word == "sglang" && serves))
        {
            return ServingTool::sglang;
        }
    }
    return std::nullopt;
}

void read_settings(ServingRead& read, const std::vector<NamedValue>& settings, ServingReading& out)
{
    for (const auto& [name, value] : settings)
    {
        bool known = false;
        for (const ServingFlag& row : serving_flags())
        {
            known = known || (alike_flags(name, flag_of(row, read.tool)) && row.read(read, value));
        }
        if (!known && !alike_flags(name, "--extra-llm-api-options") && !alike_flags(name, "--model-path"))
        {
            out.unread.push_back(name);
        }
    }
}

} // namespace

Result<ServingReading> read_serving_command(const std::vector<ServingCommand>& commands, const Serving& base,
                                            const Presets& presets)
{
    ServingReading out;
    out.serving = base;
    Serving& s = out.serving;
    s.disaggregated = commands.size() > 1;
    for (std::size_t i = 0; i < commands.size(); ++i)
    {
        const std::vector<std::string> words = words_of(commands[i].command);
        const auto tool = tool_of(words);
        if (!tool)
        {
            return Issues{{"command", "starts no serving engine",
                           "give the script of vllm serve, sglang.launch_server or trtllm-serve"}};
        }
        const auto own = [](const ServingEnginePreset& p) -> std::string_view { return p.engine.id; };
        const ServingEnginePreset* preset =
            presets.serving ? find_by(presets.serving->engines, row_of(*tool).engine, own) : nullptr;
        s.engine = preset != nullptr ? preset->engine : s.engine;
        s.scheduler = s.engine.scheduler;
        s.kv_cache = StorePrecision::bf16;
        s.max_num_seqs = s.max_num_batched_tokens = s.redundant_experts = s.speculative.tokens = 0;
        s.memory_fraction = 0;
        s.cuda_graphs = true;
        s.two_batch = false;
        ServingLayout layout;
        ServingRead read{s, layout, *tool};
        read_settings(read, flags_of(words), out);
        read_settings(read, options_of(commands[i].options), out);
        if (const std::int64_t all = layout.tensor; read.all_data)
        {
            layout.data = all;
            layout.tensor = 1;
        }
        else if (*tool != ServingTool::vllm && layout.data > 1)
        {
            layout.tensor = std::max<std::int64_t>(1, all / layout.data);
        }
        layout.expert = read.all_experts ? layout.tensor * layout.data : layout.expert;
        const bool front = read.prefills || (commands.size() > 1 && i == 0);
        layout.replicas = front ? base.prefill.replicas : base.layout.replicas;
        (front ? s.prefill : s.layout) = layout;
    }
    return out;
}

} // namespace ringside
