#include "app/train_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "core/base/text.h"
#include "core/lab/config_json.h"
#include "core/lab/corpus.h"
#include "core/trainer/checkpoint.h"
#include "core/trainer/devices.h"
#include "core/trainer/probe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>

namespace ringside
{

namespace
{

using nlohmann::json;
using trainer::StepResult;
using trainer::StepView;

// Ctrl C ends the training between two layers, so that it can still be saved.
std::atomic<bool> interrupted =
    false; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): a signal's

double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

Issues check_ranks(const TrainOptions& o)
{
    Issues issues;
    if (o.ranks != 1)
    {
        issues.push_back(
            {"--ranks", fmt::format("{} ranks: this build trains on one", o.ranks), "use --ranks 1"});
    }
    if (o.strategy != "none")
    {
        issues.push_back({"--strategy", fmt::format("“{}” is not available in this build", o.strategy),
                          "use --strategy none; ringside search ranks all strategies for a cluster"});
    }
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
    if (o.width || o.heads)
    {
        c.model.head_dim = c.model.kv_heads = c.model.ffn = 0;
    }
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
    const bool whole =
        std::any_of(o.sets.begin(), o.sets.end(),
                    [](const std::string& set) { return set.starts_with("training.global_batch="); });
    if (!whole)
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

json memory_json(const MemoryUse& use)
{
    json out;
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        out[std::string(key_of(static_cast<Component>(i)))] = use.parts[i];
    }
    out["total_bytes"] = use.total();
    return out;
}

struct Timing
{
    double seconds = 0;     // of the step
    double tokens = 0;      // in a step
    double predicted_s = 0; // of a step; 0: not asked for
    std::vector<double> all;

    double median() const
    {
        std::vector<double> sorted = all;
        const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
        std::nth_element(sorted.begin(), middle, sorted.end());
        return *middle;
    }
};

void print_json_line(std::int64_t step, const StepResult& r, const StepView& view, const Timing& time)
{
    json line{{"step", step},
              {"loss", r.loss},
              {"gradient_norm", std::isfinite(r.gradient_norm) ? json(r.gradient_norm) : json()},
              {"learning_rate", r.learning_rate},
              {"loss_scale", r.loss_scale},
              {"skipped", r.skipped},
              {"tokens_per_s", time.tokens / time.seconds},
              {"step_s", time.seconds},
              {"memory", memory_json(view.highest)},
              {"peak_bytes", view.peak.total()},
              {"ranks", json::array({{{"bytes_sent", 0}}})}};
    if (time.predicted_s > 0)
    {
        line["predicted_step_s"] = time.predicted_s;
    }
    fmt::print("{}\n", line.dump());
    std::fflush(stdout);
}

void print_line(std::int64_t step, const StepResult& r, const Timing& time)
{
    fmt::print("{:>7}  loss {:<7.4f} norm {:<7.3g} rate {:<8.3g} {:>10} tokens/s  {}{}\n", step, r.loss,
               r.gradient_norm, r.learning_rate,
               grouped(static_cast<std::int64_t>(time.tokens / time.seconds)),
               format_seconds(Seconds(time.seconds)), r.skipped ? "  skipped: a gradient is not finite" : "");
    std::fflush(stdout);
}

void print_memory(const TrainerConfig& config, const StepView& view)
{
    const StageMemory predicted = predicted_memory(config);
    fmt::print("\n{:<16}{:>14}{:>14}\n", "memory", "measured", "predicted");
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const auto component = static_cast<Component>(i);
        fmt::print("{:<16}{:>14}{:>14}\n", name_of(component),
                   format_bytes(Bytes(view.highest.of(component))), format_bytes(predicted.of(component)));
    }
    fmt::print("{:<16}{:>14}{:>14}\n", "peak", format_bytes(Bytes(view.peak.total())),
               format_bytes(predicted.total()));
}

void print_time(const Timing& time)
{
    fmt::print("{:<16}{:>14}", "step (median)", format_seconds(Seconds(time.median())));
    fmt::print("{:>14}\n", time.predicted_s > 0 ? format_seconds(Seconds(time.predicted_s)) : "--probe");
}

Timing timing(trainer::Trainer& t, const TrainOptions& o)
{
    Timing time;
    const Training& training = t.config().training;
    time.tokens = static_cast<double>(training.global_batch * training.sequence_length);
    if (o.probe)
    {
        const auto rates = trainer::measure(t.backend(), t.config(), 2, &interrupted);
        time.predicted_s = trainer::predicted_step_s(t.config(), trainer::gpu_of(rates, t.backend()));
    }
    return time;
}

// The loop; faults of a step, or none.
Issues train_steps(trainer::Trainer& t, const TrainOptions& o, StepView& view, Timing& time)
{
    const std::int64_t every = o.every > 0 ? o.every : std::max<std::int64_t>(1, o.steps / 20);
    for (std::int64_t i = 0; i < o.steps && !interrupted; ++i)
    {
        const double start = now_s();
        const auto result = t.step(&interrupted, &view);
        if (!result)
        {
            return result.issues();
        }
        if (!result->done)
        {
            break;
        }
        time.seconds = now_s() - start;
        time.all.push_back(time.seconds);
        if (o.json_lines)
        {
            print_json_line(t.step_count(), *result, view, time);
        }
        else if (i % every == 0 || i + 1 == o.steps)
        {
            print_line(t.step_count(), *result, time);
        }
    }
    return {};
}

Issues save_run(trainer::Trainer& t, const std::string& file)
{
    return save_text(file, trainer::checkpoint_text({t.config(), t.state()}));
}

struct Beginning
{
    TrainerConfig config;
    std::optional<trainer::TrainerState> state;
};

Result<Beginning> beginning(const CommonOptions& common, const TrainOptions& o)
{
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

Result<std::unique_ptr<trainer::Trainer>> make_trainer(const Beginning& from, const TrainOptions& o)
{
    auto device = trainer::open_device(o.device, static_cast<std::size_t>(o.threads));
    if (!device)
    {
        return device.issues();
    }
    fmt::print(stderr, "{}\n", device->says);
    auto made = trainer::Trainer::create(from.config, std::move(device->backend));
    if (made && from.state)
    {
        const Issues issues = (*made)->restore(*from.state);
        if (!issues.empty())
        {
            return issues;
        }
    }
    return made;
}

void print_head(const trainer::Trainer& t)
{
    const TrainerConfig& c = t.config();
    fmt::print(
        "{} parameters: {} layers of width {}, {} heads, {} tokens of {} symbols, batch {} x {}, {}, {}\n",
        grouped(t.parameters().elements), c.model.layers, c.model.hidden, c.model.heads,
        c.training.sequence_length, c.model.vocab, c.training.micro_batch, c.accumulation(),
        name_of(c.training.precision), c.data.name);
}

} // namespace

int run_train(const CommonOptions& common, const TrainOptions& options)
{
    const Issues wrong = check_ranks(options);
    if (!wrong.empty())
    {
        return print_faults(wrong);
    }
    const auto from = beginning(common, options);
    if (!from)
    {
        return print_faults(from.issues());
    }
    const auto made = make_trainer(*from, options);
    if (!made)
    {
        return print_faults(made.issues());
    }
    trainer::Trainer& t = **made;
    std::signal(SIGINT, [](int) { interrupted = true; });
    if (!options.json_lines)
    {
        print_head(t);
    }
    StepView view;
    Timing time = timing(t, options);
    Issues issues = train_steps(t, options, view, time);
    if (issues.empty() && !options.json_lines && !time.all.empty())
    {
        print_memory(t.config(), view);
        print_time(time);
    }
    if (issues.empty() && options.sample > 0)
    {
        const auto text = t.sample(options.sample, options.temperature, options.top_k,
                                   static_cast<std::uint64_t>(t.step_count()));
        issues = text ? Issues{} : text.issues();
        fmt::print("{}",
                   text ? options.json_lines ? json{{"sample", *text}}.dump() + "\n" : "\n" + *text + "\n"
                        : "");
    }
    if (issues.empty() && !options.save.empty())
    {
        issues = save_run(t, options.save);
    }
    return issues.empty() ? kDone : print_faults(issues);
}

} // namespace ringside
