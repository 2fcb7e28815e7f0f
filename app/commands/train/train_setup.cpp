#include "app/commands/train/train_setup.h"

#include <fmt/format.h>

#include "app/commands/console/input.h"
#include "app/files/checkpoint_file.h"
#include "core/lab/config_json.h"
#include "core/scenario/json/json.h"

#include <algorithm>

namespace ringside
{

namespace
{

// A name of the data, or a file of one's own.
Issues read_data(const TrainOptions& o, LabData& data)
{
    const std::string& asked = o.data;
    if (const auto task = kNamesOf<LabTask>.find(asked); task && *task != LabTask::text)
    {
        data.task = *task;
        data.text.reset();
        data.name = asked;
        return {};
    }
    std::string file = asked;
    if (asked == "text" || asked.empty())
    {
        const auto assets = find_assets(o.assets);
        if (!assets)
        {
            return assets.issues();
        }
        file = (*assets / "texts/genesis.txt").string();
    }
    auto text = read_text(file, {kMostTextBytes});
    if (!text)
    {
        return text.issues();
    }
    data.task = LabTask::text;
    data.name = std::filesystem::path(file).filename().string();
    data.text = std::make_shared<const std::string>(std::move(*text));
    return {};
}

// Whether --set names the field itself, which then counts.
bool is_set(const TrainOptions& o, std::string_view path)
{
    return std::ranges::any_of(o.sets,
                               [&](std::string_view text) {
                                   return text.starts_with(path) && text.substr(path.size()).starts_with('=');
                               });
}

// An option that is a field of the configuration.
struct Typed
{
    std::string_view option;
    std::string_view path;
    std::string value;
};

std::vector<Typed> typed(const TrainOptions& o)
{
    std::vector<Typed> all;
    const auto add = [&](std::string_view option, std::string_view path, const auto& value)
    {
        if (value && !is_set(o, path))
        {
            all.push_back({option, path, fmt::format("{}", *value)});
        }
    };
    add("--layers", "model.layers", o.layers);
    add("--width", "model.hidden", o.width);
    add("--heads", "model.heads", o.heads);
    add("--experts", "model.experts", o.experts);
    add("--experts-per-token", "model.experts_per_token", o.experts_per_token);
    add("--expert-width", "model.expert_ffn", o.expert_width);
    add("--capacity", "recipe.capacity_factor", o.capacity);
    add("--balance", "recipe.balance_loss", o.balance);
    add("--context", "training.sequence_length", o.context);
    add("--batch", "training.micro_batch", o.batch);
    add("--precision", "training.precision", o.precision);
    add("--optimizer", "training.optimizer", o.optimizer);
    add("--recompute", "training.recompute", o.recompute);
    add("--learning-rate", "recipe.learning_rate", o.learning_rate);
    return all;
}

std::vector<std::string> assignments(const TrainOptions& o)
{
    auto all = list_of<std::string>(typed(o), [&](const Typed& one)
                                    { return fmt::format("{}={}", one.path, one.value); });
    all.insert(all.end(), o.sets.begin(), o.sets.end());
    return all;
}

// A fault of a field that an option stands for is the option's.
Issues as_typed(Issues issues, const TrainOptions& o)
{
    std::vector<Typed> all = typed(o);
    if (o.symbols)
    {
        all.push_back({"--symbols", "data.symbols", {}});
    }
    for (Issue& issue : issues)
    {
        const auto found = std::ranges::find(all, issue.path, &Typed::path);
        issue.path = found == all.end() ? issue.path : std::string(found->option);
    }
    return issues;
}

// What the options make of a configuration. A width, number of heads or layers that is set anew lets what was
// derived from it be derived again.
Result<TrainerConfig> configured(TrainerConfig c, const TrainOptions& o)
{
    const std::int64_t accumulation = o.accumulation.value_or(std::max<std::int64_t>(1, c.accumulation()));
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
    if (o.width || o.heads)
    {
        c.model.head_dim = is_set(o, "model.head_dim") ? c.model.head_dim : 0;
        c.model.kv_heads = is_set(o, "model.kv_heads") ? c.model.kv_heads : 0;
        c.model.ffn = is_set(o, "model.ffn") ? c.model.ffn : 0;
        c.model.expert_ffn = o.expert_width || is_set(o, "model.expert_ffn") ? c.model.expert_ffn : 0;
    }
    if (!is_set(o, "training.global_batch"))
    {
        c.training.global_batch = c.training.micro_batch * accumulation;
    }
    c.seed = o.seed.value_or(c.seed);
    c.data.symbols = o.symbols.value_or(c.data.symbols);
    if (!o.data.empty() || (c.data.task == LabTask::text && !c.data.text))
    {
        const Issues issues = read_data(o, c.data);
        if (!issues.empty())
        {
            return issues;
        }
    }
    return prepared(std::move(c));
}

} // namespace

void save_training(const TrainOptions& o, const trainer::Checkpoint& checkpoint)
{
    if (!o.save.empty())
    {
        end_with(save_text(o.save, trainer::checkpoint_text(checkpoint)));
    }
    if (stopped())
    {
        warn("stopped after step {}{}\n", checkpoint.state.step,
             o.save.empty() ? "; nothing was saved, as there is no --save" : ", saved to " + o.save);
    }
}

void save_scenario(const TrainOptions& o, const Scenario& scenario)
{
    if (!o.scenario.empty())
    {
        end_with(save_text(o.scenario, to_json(scenario, open_presets(o).presets).dump(2) + "\n"));
    }
}

Result<Beginning> beginning(const TrainOptions& o)
{
    Beginning out{default_trainer_config(), {}};
    if (!o.resume.empty())
    {
        const auto text = read_checkpoint_text(o.resume);
        if (!text)
        {
            return text.issues();
        }
        auto checkpoint = trainer::checkpoint_from_text(*text);
        if (!checkpoint)
        {
            return of_file(checkpoint.issues(), o.resume);
        }
        out = {std::move(checkpoint->config), std::move(checkpoint->state)};
    }
    const TrainerConfig before = out.config;
    auto config = configured(out.config, o);
    if (!config)
    {
        return as_typed(config.issues(), o);
    }
    if (out.state && !same_state(before, *config))
    {
        return Issue{o.resume, "its weights are of another model, data or format than asked for",
                     "leave those options out, or start without --resume"};
    }
    out.config = std::move(*config);
    return out;
}

} // namespace ringside
