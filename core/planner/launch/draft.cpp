#include "core/planner/launch/draft.h"

#include "core/base/json/json.h"
#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/memory/memory.h"
#include "core/performance/step_time.h"
#include "core/scenario/json/json_fields.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringside
{

namespace
{

// "a.b.c" in parts; an empty text has none.
std::vector<std::string> parts_of(const std::string& path)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin < path.size())
    {
        const std::size_t dot = std::min(path.find('.', begin), path.size());
        parts.push_back(path.substr(begin, dot - begin));
        begin = dot + 1;
    }
    return parts;
}

std::string indent(std::size_t depth)
{
    return std::string(2 * depth, ' ');
}

std::size_t common(const std::vector<std::string>& a, const std::vector<std::string>& b)
{
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && a[n] == b[n])
    {
        ++n;
    }
    return n;
}

} // namespace

void LaunchDraft::set(std::string key, std::string value, std::string explains, std::string field)
{
    const bool option = key.starts_with("-");
    const std::string name = option || section_.empty() ? key : section_ + "." + key;
    open_.push_back({section_, std::move(key), static_cast<std::ptrdiff_t>(launch_.flags.size())});
    launch_.flags.push_back({name, std::move(value), std::move(explains), std::move(field)});
}

void LaunchDraft::not_expressed(std::string field, std::string value, std::string says)
{
    launch_.not_expressed.push_back({std::move(field), std::move(value), std::move(says)});
}

std::string LaunchDraft::steps_explained() const
{
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, train_steps(s)));
    return fmt::format("{} tokens in steps of {}", format_count(s.training.tokens),
                       format_count(s.training.tokens / steps));
}

LaunchFile LaunchDraft::begin(std::string name) const
{
    return {std::move(name), "# ", {{"# " + headline(s), -1}}};
}

void LaunchDraft::finish(LaunchFile file)
{
    open_.clear();
    launch_.files.push_back(std::move(file));
}

Launch LaunchDraft::take()
{
    std::vector<LaunchLine> notes;
    if (!has_errors(validate(s)))
    {
        const StepTime step = step_time(s);
        const Band band = step_band(s, step.total());
        notes.push_back(
            {fmt::format("# predicted by Ringside: {} of {} per GPU, {} per step, {} tokens/s, MFU {}",
                         format_bytes(memory_report(s).worst().total()),
                         format_bytes(Bytes(s.cluster.gpu.memory_gb * 1e9)),
                         format_seconds(Seconds(step.total())), format_count(step.tokens_per_second()),
                         format_percent(step.mfu())),
             -1});
        notes.push_back({fmt::format("# 80% range of the step: {} to {}",
                                     format_seconds(Seconds(step.total() * band.low)),
                                     format_seconds(Seconds(step.total() * band.high))),
                         -1});
    }
    for (const NotExpressed& item : launch_.not_expressed)
    {
        notes.push_back(
            {one_line(fmt::format("# not honored: {} {}: {}", item.field, item.value, item.says)), -1});
    }
    for (LaunchFile& file : launch_.files)
    {
        const auto headline = std::ranges::find_if(file.lines, [](const LaunchLine& line)
                                                   { return line.text.starts_with("# "); });
        if (!file.comment.empty() && headline != file.lines.end())
        {
            file.lines.insert(headline + 1, notes.begin(), notes.end());
        }
    }
    return std::move(launch_);
}

void LaunchDraft::config_file(std::string name, ConfigFormat format)
{
    LaunchFile file = begin(std::move(name));
    if (format == ConfigFormat::toml)
    {
        toml(file);
    }
    else if (format == ConfigFormat::yaml)
    {
        yaml(file);
    }
    else
    {
        file.comment.clear();
        file.lines.clear();
        json(file);
    }
    finish(std::move(file));
}

void LaunchDraft::toml(LaunchFile& file) const
{
    std::string section;
    for (const Placed& p : open_)
    {
        if (p.section != section)
        {
            section = p.section;
            file.lines.push_back({"", -1});
            file.lines.push_back({"[" + section + "]", -1});
        }
        const std::string& value = launch_.flags[static_cast<std::size_t>(p.flag)].value;
        file.lines.push_back({p.key + " = " + value, p.flag});
    }
}

void LaunchDraft::yaml(LaunchFile& file) const
{
    std::vector<std::string> open;
    for (const Placed& p : open_)
    {
        const std::vector<std::string> parts = parts_of(p.section);
        for (std::size_t i = common(open, parts); i < parts.size(); ++i)
        {
            file.lines.push_back({indent(i) + parts[i] + ":", -1});
        }
        open = parts;
        const std::string& value = launch_.flags[static_cast<std::size_t>(p.flag)].value;
        file.lines.push_back({indent(parts.size()) + p.key + ": " + value, p.flag});
    }
}

void LaunchDraft::json(LaunchFile& file) const
{
    const auto comma = [&]
    {
        std::string& last = file.lines.back().text;
        last += last.ends_with('{') ? "" : ",";
    };
    file.lines.push_back({"{", -1});
    std::vector<std::string> open;
    const auto close = [&](std::size_t depth)
    {
        for (; open.size() > depth; open.pop_back())
        {
            file.lines.push_back({indent(open.size()) + "}", -1});
        }
    };
    for (const Placed& p : open_)
    {
        const std::vector<std::string> parts = parts_of(p.section);
        close(common(open, parts));
        for (std::size_t i = open.size(); i < parts.size(); ++i)
        {
            comma();
            file.lines.push_back({fmt::format("{}\"{}\": {{", indent(i + 1), parts[i]), -1});
            open.push_back(parts[i]);
        }
        comma();
        const std::string& value = launch_.flags[static_cast<std::size_t>(p.flag)].value;
        file.lines.push_back({fmt::format("{}\"{}\": {}", indent(parts.size() + 1), p.key, value), p.flag});
    }
    close(0);
    file.lines.push_back({"}", -1});
}

void LaunchDraft::command_file(std::string name, const std::vector<std::string>& before,
                               const std::string& command)
{
    LaunchFile file = begin(std::move(name));
    file.lines.insert(file.lines.begin(), {"#!/usr/bin/env bash", -1});
    file.lines.push_back({"set -euo pipefail", -1});
    for (const std::string& line : before)
    {
        file.lines.push_back({line, -1});
    }
    file.lines.push_back({"options=(", -1});
    std::string section;
    for (const Placed& p : open_)
    {
        if (p.section != section)
        {
            section = p.section;
            file.lines.push_back({"    # " + section, -1});
        }
        const std::string& value = launch_.flags[static_cast<std::size_t>(p.flag)].value;
        file.lines.push_back({"    " + p.key + (value.empty() ? "" : " " + value), p.flag});
    }
    file.lines.push_back({")", -1});
    file.lines.push_back({command + " \"${options[@]}\" \"$@\"", -1});
    finish(std::move(file));
}

void LaunchDraft::code_file(std::string name, const std::vector<std::string>& head,
                            const std::vector<std::string>& tail)
{
    LaunchFile file = begin(std::move(name));
    for (const std::string& line : head)
    {
        file.lines.push_back({line, -1});
    }
    for (const Placed& p : open_)
    {
        const LaunchFlag& flag = launch_.flags[static_cast<std::size_t>(p.flag)];
        file.lines.push_back({fmt::format("    config.{} = {}", flag.flag, flag.value), p.flag});
    }
    for (const std::string& line : tail)
    {
        file.lines.push_back({line, -1});
    }
    finish(std::move(file));
}

void LaunchDraft::plain_file(std::string name, std::vector<std::string> lines)
{
    LaunchFile file = begin(std::move(name));
    file.lines.insert(file.lines.begin(), {"#!/usr/bin/env bash", -1});
    file.lines.push_back({"set -euo pipefail", -1});
    for (std::string& line : lines)
    {
        file.lines.push_back({std::move(line), -1});
    }
    finish(std::move(file));
}

std::string quoted(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

std::string one_line(std::string_view name)
{
    std::string line(name.empty() ? "custom model" : name);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; }, ' ');
    return line;
}

std::string headline(const Scenario& s)
{
    const Parallel& p = s.parallel;
    return one_line(fmt::format("{} on {} x {}: data {} x tensor {} x context {} x pipeline {}", s.model.name,
                                s.cluster.gpus, s.cluster.gpu.name, data_parallel(s), p.tensor, p.context,
                                p.pipeline));
}

namespace
{

// One computer with its GPUs. The largest have 16 (NVIDIA DGX-2); larger fast-link domains are racks of hosts
// with four each (NVIDIA GB200 NVL72: 18 compute trays; Google TPU v4 and v5p: 4 chips a host).
std::int64_t gpus_per_host(const Cluster& cluster)
{
    constexpr std::int64_t kMostInAHost = 16;
    constexpr std::int64_t kOfARack = 4;
    return cluster.gpus_per_node > kMostInAHost ? kOfARack : cluster.gpus_per_node;
}

} // namespace

std::int64_t processes_per_host(const Scenario& s)
{
    // Where not all hosts are filled, as many on each as make the number of GPUs.
    return std::gcd(s.cluster.gpus, std::min(s.cluster.gpus, gpus_per_host(s.cluster)));
}

std::int64_t hosts(const Scenario& s)
{
    return s.cluster.gpus / processes_per_host(s);
}

std::string torchrun(const Scenario& s)
{
    if (hosts(s) == 1)
    {
        return fmt::format("torchrun --standalone --nproc-per-node {}", processes_per_host(s));
    }
    return fmt::format("torchrun --nproc-per-node {} --nnodes {} --node-rank \"$NODE_RANK\" "
                       "--master-addr \"$MASTER_ADDR\" --master-port \"${{MASTER_PORT:-29500}}\"",
                       processes_per_host(s), hosts(s));
}

void no_overlap(LaunchDraft& d, const Overlaps& tool)
{
    const Parallel& p = d.s.parallel;
    const Overlaps can = possible_overlaps(d.s);
    const auto say = [&](bool missing, const char* field)
    {
        if (missing)
        {
            d.not_expressed(field, "true", "no setting overlaps this communication with compute");
        }
    };
    say(p.overlap_tensor && can.tensor && !tool.tensor, "parallel.overlap_tensor");
    say(p.overlap_expert && can.expert && !tool.expert, "parallel.overlap_expert");
    say(p.overlap_pipeline && can.pipeline && !tool.pipeline, "parallel.overlap_pipeline");
}

void no_special_blocks(LaunchDraft& d, bool windows)
{
    const Model& m = d.s.model;
    std::vector<std::int64_t> kinds = m.attention_per_layer; // each once
    std::sort(kinds.begin(), kinds.end());
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    const auto say = [&](bool used, const char* field, const std::string& value, const char* says)
    {
        if (used)
        {
            d.not_expressed(field, value, says);
        }
    };
    say(!m.attention_per_layer.empty() && !windows, "model.attention_per_layer", list_json(kinds).dump(),
        "every layer attends to all tokens before");
    say(m.attention == Attention::shared_kv, "model.attention", "shared-kv",
        "no attention has one key that is the value too");
    say(m.attention_gate, "model.attention_gate", "true", "attention has no gate");
    say(m.head_gate, "model.head_gate", "true", "attention has no gate");
    say(has_window_heads(m), "model.window_head_dim", fmt::format("{}", m.window_head_dim),
        "layers with a window have the heads of the others");
    say(m.layer_embedding > 0, "model.layer_embedding", fmt::format("{}", m.layer_embedding),
        "tokens are embedded once");
    say(m.shared_kv_layers > 0, "model.shared_kv_layers", fmt::format("{}", m.shared_kv_layers),
        "every layer has keys and values of its own");
    say(m.laurel_rank > 0, "model.laurel_rank", fmt::format("{}", m.laurel_rank),
        "nothing stands next to attention");
    say(m.attention != Attention::mla && m.v_head_dim > 0 && m.v_head_dim != m.head_dim, "model.v_head_dim",
        fmt::format("{}", m.v_head_dim), "values are as wide as keys");
    say(m.split_blocks, "model.split_blocks", "true", "every layer has attention and an MLP");
    say(m.experts > 0 && m.shared_gate, "model.shared_gate", "true", "shared experts have no gate");
    say(m.expert_hidden > 0, "model.expert_hidden", fmt::format("{}", m.expert_hidden),
        "experts are as wide as the model");
    say(m.residual_streams > 0, "model.residual_streams", fmt::format("{}", m.residual_streams),
        "there is one residual stream");
    say(m.residual_block > 0, "model.residual_block", fmt::format("{}", m.residual_block),
        "layers read the residual stream only");
}

void check_hosts(LaunchDraft& draft)
{
    const Cluster& c = draft.s.cluster;
    const std::int64_t host = gpus_per_host(c);
    const std::int64_t used = processes_per_host(draft.s);
    if (hosts(draft.s) > 1 && used < host)
    {
        draft.not_expressed(
            "cluster.gpus", fmt::format("{}", c.gpus),
            fmt::format("do not fill hosts of {}: {} start on each of {}", host, used, hosts(draft.s)));
    }
    else if (host < c.gpus_per_node && hosts(draft.s) > 1)
    {
        draft.not_expressed("cluster.gpus_per_node", fmt::format("{}", c.gpus_per_node),
                            fmt::format("is one fast-link domain of hosts with {} GPUs each, which torchrun "
                                        "starts one by one",
                                        host));
    }
}

std::int64_t train_steps(const Scenario& s)
{
    const double step =
        static_cast<double>(s.training.global_batch) * static_cast<double>(s.training.sequence_length);
    return std::max<std::int64_t>(1, std::llround(std::min(s.training.tokens / step, 1e12)));
}

} // namespace ringside
