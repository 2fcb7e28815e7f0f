// What torchtitan's log says of its job before the first step, as settings of its own configuration
// (pytorch/torchtitan v0.1.0 to August 2026: trainer.py or train.py, distributed/parallel_dims.py,
// distributed/pipeline_parallel.py, distributed/activation_checkpoint.py, components/metrics.py).
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/runs/log.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

struct MeshAxis
{
    std::string_view key; // "dp shard", in small letters
    std::string_view setting;
    bool counts = true; // its ranks are GPUs of their own
};
constexpr std::array kMeshAxes{
    MeshAxis{"pp", "parallelism.pipeline_parallel_degree"},
    MeshAxis{"dp replicate", "parallelism.data_parallel_replicate_degree"},
    MeshAxis{"dp shard", "parallelism.data_parallel_shard_degree"},
    MeshAxis{"cp", "parallelism.context_parallel_degree"},
    MeshAxis{"tp", "parallelism.tensor_parallel_degree"},
    MeshAxis{"ep", "parallelism.expert_parallel_degree", false},
    MeshAxis{"etp", "parallelism.expert_tensor_parallel_degree", false},
};

constexpr std::int64_t kMostOfAxis = 1 << 24;

// What stands between two words of a line; empty where one of them is missing.
std::string_view between_words(std::string_view text, std::string_view before, std::string_view after)
{
    const std::size_t from = text.find(before);
    const std::size_t end = from == std::string_view::npos ? from : text.find(after, from + before.size());
    return end == std::string_view::npos ? std::string_view()
                                         : text.substr(from + before.size(), end - from - before.size());
}

class TitanHead
{
public:
    TitanHead(TrainingLog& log, const std::vector<LogLine>& lines) : log_(log), lines_(lines) {}

    void read()
    {
        for (std::size_t i = 0; i < lines_.size(); ++i)
        {
            line_ = &lines_[i];
            read_model(i);
            read_mesh();
            read_batch();
            read_applied();
            if (const auto device = between_words(line_->text, " capacity: ", " with "); log_.device.empty())
            {
                log_.device = device.substr(0, 160);
            }
            add_number("", "peak FLOPS", "peak flops used for computing mfu");
        }
        count_replicas();
    }

private:
    std::string_view small() const { return line_->small; }

    bool is_new(std::string_view setting) const { return log_.settings.find(setting) == nullptr; }
    void set(std::string_view setting, nlohmann::json value)
    {
        if (is_new(setting))
        {
            log_.settings.add({std::string(setting), std::move(value), {.file = "log", .line = int_line()}});
        }
    }
    int int_line() const { return static_cast<int>(std::min<std::int64_t>(line_->number, 1 << 30)); }

    std::optional<double> number(std::string_view key, bool before = false) const
    {
        const auto value = log_number(small(), {LogValue::count, key, 1, before});
        return value && *value >= 1 && *value < 1e18 ? value : std::nullopt;
    }
    void add_fact(std::string_view field, std::string name, double value)
    {
        if (std::ranges::find(log_.facts, name, &LogFact::name) == log_.facts.end())
        {
            log_.facts.push_back({field, std::move(name), value, line_->text.substr(0, 160), line_->number});
        }
    }
    void add_number(std::string_view field, std::string name, std::string_view key)
    {
        if (const auto value = number(key))
        {
            add_fact(field, std::move(name), *value);
        }
    }

    // "Model llama3 8B size: 8,030,261,248 total parameters"
    void read_model(std::size_t i)
    {
        const std::string_view name = between_words(line_->text, "Model ", " size: ");
        const std::size_t space = name.find(' ');
        if (space != std::string_view::npos && small().find(" total parameters") != std::string_view::npos)
        {
            set("model.name", name.substr(0, space));
            set("model.flavor", name.substr(space + 1));
        }
        if (line_->text.find("Building ") != std::string::npos &&
            line_->text.find("with") != std::string::npos && small().find("mesh") == std::string_view::npos)
        {
            read_shape(i);
        }
    }

    // The arguments of a model of Llama's kind, on this line and those after it that have no clock.
    void read_shape(std::size_t i)
    {
        constexpr std::size_t kMostLines = 64;
        std::string all = line_->small;
        for (std::size_t k = i + 1; k < std::min(lines_.size(), i + kMostLines) && !lines_[k].stamp; ++k)
        {
            all += lines_[k].small + " ";
        }
        const auto of = [&](std::string_view key) { return log_number(all, {LogValue::count, key}); };
        const auto width = of("dim");
        const auto multiple = of("multiple of");
        const auto heads = of("n heads");
        if (!width || !multiple || !heads || *multiple < 1 || *width < 1 || *width > 1 << 20 ||
            all.find("experts") != std::string::npos)
        {
            return;
        }
        add_fact("model.hidden", "hidden size", *width);
        add_fact("model.heads", "heads", *heads);
        add_fact("model.kv_heads", "KV heads", of("n kv heads").value_or(*heads));
        for (const auto& [field, name, key] :
             {std::array<std::string_view, 3>{"model.layers", "layers", "n layers"},
              std::array<std::string_view, 3>{"model.vocab", "vocabulary", "vocab size"}})
        {
            if (const auto value = of(key))
            {
                add_fact(field, std::string(name), *value);
            }
        }
        // Two thirds of 4 h, times a factor, up to a multiple (models/llama3/model, FeedForward).
        const double inner = std::floor(std::floor(8 * *width / 3) * of("ffn dim multiplier").value_or(1));
        add_fact("model.ffn", "FFN size", std::ceil(inner / *multiple) * *multiple);
    }

    // "Building device mesh with parallelism: pp=1, dp_replicate=1, dp_shard=4, cp=1, tp=2, ep=1", until 2025
    // "Building 2-D device mesh with ['dp_shard', 'tp'], [4, 2]".
    void read_mesh()
    {
        const std::string_view names = between_words(small(), "-d device mesh with [", "], [");
        if (small().find("device mesh with parallelism: ") == std::string_view::npos && names.empty())
        {
            return;
        }
        double gpus = 1;
        for (const MeshAxis& axis : kMeshAxes)
        {
            const auto ranks = names.empty() ? number(axis.key) : listed(names, axis.key);
            if (ranks && *ranks >= 1 && *ranks <= kMostOfAxis)
            {
                set(axis.setting, static_cast<std::int64_t>(*ranks));
                gpus *= axis.counts ? *ranks : 1;
            }
        }
        add_fact("cluster.gpus", "gpus", gpus);
    }
    std::optional<double> listed(std::string_view names, std::string_view key) const
    {
        std::string_view sizes = between_words(small(), "], [", "]");
        const std::size_t at = names.find(fmt::format("'{}'", key));
        if (at == std::string_view::npos)
        {
            return std::nullopt;
        }
        for (auto before = std::ranges::count(names.substr(0, at), ','); before > 0; --before)
        {
            sizes.remove_prefix(std::min(sizes.find(','), sizes.size() - 1) + 1);
        }
        sizes.remove_prefix(std::min(sizes.find_first_not_of(' '), sizes.size()));
        return parse_number(sizes.substr(0, sizes.find(',')));
    }

    // "Trainer is initialized with local batch size 1, global batch size 64, gradient accumulation steps 1,
    // sequence length 8192, total steps 1000"; in tokens since 2026.
    void read_batch()
    {
        if (small().find("trainer is initialized with") == std::string_view::npos &&
            small().find("training starts at step") == std::string_view::npos)
        {
            return;
        }
        const auto context = number("maximum context length");
        const double unit = context.value_or(1);
        const auto local = context ? number(" tokens per dp rank", true) : number("local batch size");
        const auto global = context ? number(" tokens per train step", true) : number("global batch size");
        const auto sequence = context ? context : number("sequence length");
        set_count("training.local_batch_size", "micro-batch", local, unit);
        set_count("training.global_batch_size", "global batch", global, unit);
        set_count("training.seq_len", "sequence", sequence, 1);
        set_count("training.steps", "steps", number("total steps"), 1);
        if (const auto accumulation = number("gradient accumulation steps"); accumulation && local && global)
        {
            replicas_ = std::floor(*global / (*local * *accumulation));
            replicas_line_ = line_;
        }
    }
    void set_count(std::string_view setting, std::string name, std::optional<double> value, double unit)
    {
        if (value && *value / unit >= 1 && *value / unit < 1e9)
        {
            set(setting, static_cast<std::int64_t>(*value / unit));
            add_fact("", std::move(name), std::floor(*value / unit));
        }
    }

    // "Applied selective activation checkpointing to the model", "Applied FullAC activation ..."
    void read_applied()
    {
        const std::string_view recompute = between_words(small(), "applied ", " activation checkpointing");
        const auto is = [&](std::string_view start) { return recompute.starts_with(start); };
        if (is("full") || is("selective") || is("memory"))
        {
            set("activation_checkpoint.mode", is("full")     ? "full"
                                              : is("memory") ? "memory_budget"
                                                             : "selective");
        }
        const std::string_view schedule = between_words(line_->text, "Using pipeline schedule ", " with ");
        if (!schedule.empty())
        {
            set("parallelism.pipeline_parallel_schedule", schedule);
        }
        const bool applied = small().find("applied ") != std::string_view::npos;
        sharded_ = sharded_ || (applied && (small().find("fsdp to the") != std::string_view::npos ||
                                            small().find("ddp to the") != std::string_view::npos));
        cut_ = cut_ ||
               (applied && (small().find("tensor parallel") != std::string_view::npos ||
                            small().find("context parallel") != std::string_view::npos)) ||
               !schedule.empty();
    }

    // Where no mesh is printed and nothing else was applied, every replica is a GPU.
    void count_replicas()
    {
        if (replicas_ >= 1 && sharded_ && !cut_)
        {
            line_ = replicas_line_;
            add_fact("cluster.gpus", "gpus", replicas_);
        }
    }

    TrainingLog& log_;
    const std::vector<LogLine>& lines_;
    const LogLine* line_ = nullptr;
    double replicas_ = 0;
    const LogLine* replicas_line_ = nullptr;
    bool sharded_ = false; // over replicas
    bool cut_ = false;     // within one
};

} // namespace

void read_titan_head(TrainingLog& log, const std::vector<LogLine>& lines)
{
    TitanHead(log, lines).read();
    // Settings say these, with what they mean where there is a pipeline.
    for (LogFact& fact : log.facts)
    {
        if (fact.name == "micro-batch" || fact.name == "global batch" || fact.name == "sequence")
        {
            fact.field = "";
        }
    }
}

} // namespace ringside
