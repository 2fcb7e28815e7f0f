#include "app/train_setup.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "core/lab/config_json.h"
#include "core/lab/corpus.h"
#include "core/trainer/checkpoint.h"

#include <algorithm>

namespace ringside
{

namespace
{

// A name of the data, or a file of one's own.
Issues read_data(const CommonOptions& common, const std::string& asked, LabData& data)
{
    if (const auto task = find_lab_task(asked); task && *task != LabTask::text)
    {
        data.task = *task;
        data.text.reset();
        data.name = asked;
        return {};
    }
    std::string file = asked;
    if (asked == "text" || asked.empty())
    {
        const auto assets = find_assets(common.assets);
        if (!assets)
        {
            return assets.issues();
        }
        file = (*assets / "texts/genesis.txt").string();
    }
    auto text = read_text(file, kMostTextBytes);
    if (!text)
    {
        return text.issues();
    }
    data.task = LabTask::text;
    data.name = std::filesystem::path(file).filename().string();
    data.text = std::make_shared<const std::string>(std::move(*text));
    return {};
}

Issues check_counts(const TrainOptions& o)
{
    Issues issues;
    if (o.steps < 0)
    {
        issues.push_back({"--steps", fmt::format("{} is out of range", o.steps), "use 0 or more"});
    }
    if (o.threads < 0 || o.threads > 1024)
    {
        issues.push_back({"--threads", fmt::format("{} is out of range", o.threads), "use 1 to 1024, or 0"});
    }
    return issues;
}

// The options that are fields of the configuration, as assignments.
std::vector<std::string> assignments(const TrainOptions& o)
{
    std::vector<std::string> all;
    const auto add = [&all](const char* path, const auto& value)
    {
        if (value)
        {
            all.push_back(fmt::format("{}={}", path, *value));
        }
    };
    add("model.layers", o.layers);
    add("model.hidden", o.width);
    add("model.heads", o.heads);
    add("model.experts", o.experts);
    add("model.experts_per_token", o.experts_per_token);
    add("model.expert_ffn", o.expert_width);
    add("recipe.capacity_factor", o.capacity);
    add("recipe.balance_loss", o.balance);
    add("training.sequence_length", o.context);
    add("training.micro_batch", o.batch);
    add("training.precision", o.precision);
    add("training.optimizer", o.optimizer);
    add("training.recompute", o.recompute);
    add("recipe.learning_rate", o.learning_rate);
    all.insert(all.end(), o.sets.begin(), o.sets.end());
    return all;
}

// What the options make of a configuration. A width, number of heads or layers that is set anew lets what was
// derived from it be derived again.
Result<TrainerConfig> configured(TrainerConfig c, const CommonOptions& common, const TrainOptions& o)
{
    const std::int64_t accumulation = o.accumulation.value_or(c.accumulation());
    if (o.width && !o.heads)
    {
        c.model.heads = std::max<std::int64_t>(1, *o.width / 32);
    }
    for (const std::string& assignment : assignments(o))
    {
        auto changed = with_setting(c, assignment);
        if (!changed)
        {
            return changed.issues();
        }
        c = std::move(*changed);
    }
    if (o.experts && c.model.experts_per_token == 0)
    {
        c.model.experts_per_token = std::min<std::int64_t>(2, c.model.experts);
    }
    const auto set = [&o](std::string_view path)
    {
        return std::ranges::any_of(
            o.sets, [&](std::string_view text)
            { return text.starts_with(path) && text.substr(path.size()).starts_with('='); });
    };
    if (o.width || o.heads)
    {
        c.model.head_dim = set("model.head_dim") ? c.model.head_dim : 0;
        c.model.kv_heads = set("model.kv_heads") ? c.model.kv_heads : 0;
        c.model.ffn = set("model.ffn") ? c.model.ffn : 0;
        c.model.expert_ffn = o.expert_width || set("model.expert_ffn") ? c.model.expert_ffn : 0;
    }
    if (!set("training.global_batch"))
    {
        c.training.global_batch = c.training.micro_batch * std::max<std::int64_t>(1, accumulation);
    }
    c.seed = o.seed.value_or(c.seed);
    c.data.symbols = o.symbols.value_or(c.data.symbols);
    if (!o.data.empty() || (c.data.task == LabTask::text && !c.data.text))
    {
        const Issues issues = read_data(common, o.data, c.data);
        if (!issues.empty())
        {
            return issues;
        }
    }
    return prepared(std::move(c));
}

} // namespace

Result<Beginning> beginning(const CommonOptions& common, const TrainOptions& o)
{
    const Issues wrong = check_counts(o);
    if (!wrong.empty())
    {
        return wrong;
    }
    Beginning out{default_trainer_config(), {}};
    if (!o.resume.empty())
    {
        const auto text = read_text(o.resume, trainer::kMostCheckpointBytes);
        if (!text)
        {
            return text.issues();
        }
        auto checkpoint = trainer::checkpoint_from_text(*text);
        if (!checkpoint)
        {
            return checkpoint.issues();
        }
        out = {std::move(checkpoint->config), std::move(checkpoint->state)};
    }
    const TrainerConfig before = out.config;
    auto config = configured(out.config, common, o);
    if (!config)
    {
        return config.issues();
    }
    if (out.state && !same_state(before, *config))
    {
        return Issue{o.resume, "its weights are of another model, data or format than asked for",
                     "leave those options away, or start without --resume"};
    }
    out.config = std::move(*config);
    return out;
}

} // namespace ringside
