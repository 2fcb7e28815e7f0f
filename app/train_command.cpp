#include "app/train_command.h"

#include <fmt/format.h>

#include "app/checkpoint_file.h"
#include "app/files.h"
#include "app/input.h"
#include "app/team_command.h"
#include "app/train_lines.h"
#include "app/train_setup.h"
#include "core/base/text.h"
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
using trainer::StepView;

// Ctrl C ends the training between two layers, so that it can still be saved.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal's
std::atomic<bool> interrupted = false;

double now_s()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Timing
{
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
    NoiseMeter noise;
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
        time.all.push_back(now_s() - start);
        noise.add(trainer::norms_of(t.config(), *result));
        const StepLine::Rank alone{0, {}, view.highest, view.peak.total()};
        const StepLine line{t.step_count(),    *result,          time.all.back(),
                            time.tokens,       time.predicted_s, view.highest,
                            view.peak.total(), {alone},          noise.value()};
        if (o.json_lines)
        {
            print_json(line);
        }
        else if (i % every == 0 || i + 1 == o.steps)
        {
            print_words(line);
        }
    }
    return {};
}

Issues save_run(trainer::Trainer& t, const std::string& file)
{
    return save_text(file, trainer::checkpoint_text({t.config(), t.state()}));
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
    const Issues unsaved = check_can_save_checkpoint(options.save);
    if (!unsaved.empty())
    {
        return print_faults(unsaved);
    }
    const auto from = beginning(common, options);
    if (!from)
    {
        return print_faults(from.issues());
    }
    if (options.ranks != 1 || options.strategy != "none" || options.compress != "none")
    {
        return run_team(*from, options);
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
