// `ringside train`: the live lab's engine without a window.
#include "app/commands/console/options.h"
#include "app/commands/train/train_lines.h"
#include "app/commands/train/train_setup.h"
#include "app/commands/train/train_snapshot.h"
#include "app/files/checkpoint_file.h"
#include "app/files/files.h"
#include "core/base/text/text.h"
#include "core/lab/prediction.h"
#include "core/lab/trainer/devices.h"
#include "core/lab/trainer/probe/probe.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;
using trainer::StepView;

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

// `workspace`: what the device kept for itself before the first step.
void print_memory(const TrainerConfig& config, const StepView& view, trainer::Index workspace)
{
    const MemoryUse predicted = prediction_of(config, std::nullopt, workspace).memory;
    put("\n{:<16}{:>14}{:>14}\n", "memory", "measured", "predicted");
    for (std::size_t i = 0; i < kComponents; ++i)
    {
        const auto component = static_cast<Component>(i);
        put("{:<16}{:>14}{:>14}\n", name_of(component), format_bytes(Bytes(view.highest.of(component))),
            format_bytes(Bytes(predicted.of(component))));
    }
    put("{:<16}{:>14}{:>14}\n", "peak", format_bytes(Bytes(view.peak.total())),
        format_bytes(Bytes(predicted.total())));
}

void print_time(const Timing& time)
{
    put("{:<16}{:>14}", "step (median)", format_seconds(Seconds(time.median())));
    put("{:>14}\n", time.predicted_s > 0 ? format_seconds(Seconds(time.predicted_s)) : "--probe");
}

Timing timing(trainer::Trainer& t, const TrainOptions& o)
{
    Timing time;
    const Training& training = t.config().training;
    time.tokens = static_cast<double>(training.global_batch * training.sequence_length);
    if (o.probe)
    {
        const auto rates = trainer::measure(t.backend(), t.config(), 2, &stopped());
        time.predicted_s =
            trainer::predicted_step_s(t.config(), trainer::gpu_of(rates, t.config().training.precision));
    }
    return time;
}

void train_steps(trainer::Trainer& t, const TrainOptions& o, StepView& view, Timing& time)
{
    NoiseMeter noise;
    const StepPrinter printer{o.json_lines, o.steps, o.every};
    for (std::int64_t i = 0; i < o.steps && !stopped(); ++i)
    {
        const double start = trainer::seconds_now();
        const trainer::StepResult result = or_end(t.step(&stopped(), &view));
        if (!result.done)
        {
            break;
        }
        time.all.push_back(trainer::seconds_now() - start);
        noise.add(trainer::norms_of(t.config(), result));
        const StepLine::Rank alone{0, {}, view.highest, view.peak.total()};
        const StepLine line{t.step_count(),    result,           time.all.back(),
                            time.tokens,       time.predicted_s, view.highest,
                            view.peak.total(), {alone},          noise.value()};
        if (!printer.print(line, i))
        {
            break; // what was trained so far can still be saved
        }
    }
}

std::unique_ptr<trainer::Trainer> make_trainer(const Beginning& from, const TrainOptions& o)
{
    trainer::Device device = or_end(trainer::open_device(o.device, static_cast<std::size_t>(o.threads)));
    warn("{}\n", device.says);
    auto made = or_end(trainer::Trainer::create(from.config, std::move(device.backend)));
    end_with(from.state ? made->restore(*from.state) : Issues());
    return made;
}

void print_head(const trainer::Trainer& t)
{
    const TrainerConfig& c = t.config();
    put("{} parameters: {} layers of width {}, {} heads, {} tokens of {} symbols, batch {} x {}, {}, {}\n",
        grouped(t.parameters().elements), c.model.layers, c.model.hidden, c.model.heads,
        c.training.sequence_length, c.model.vocab, c.training.micro_batch, c.accumulation(),
        name_of(c.training.precision), c.data.name);
}

void print_sample(trainer::Trainer& t, const TrainOptions& o)
{
    const std::string text =
        or_end(t.sample(o.sample, o.temperature, o.top_k, static_cast<std::uint64_t>(t.step_count())));
    put("{}\n", o.json_lines ? json{{"sample", text}}.dump() : "\n" + text);
}

int run_train(const TrainOptions& o)
{
    end_with(check_can_save_checkpoint(o.save));
    end_with(o.snapshot.empty() ? Issues() : check_can_save(o.snapshot));
    if (!o.trace.empty() && o.ranks == 1)
    {
        end_with(
            {{"--trace", "a single rank has no operations of a schedule and no messages", "use --ranks 4"}});
    }
    end_with(o.trace.empty() ? Issues() : check_can_save(o.trace));
    if (!o.record.empty())
    {
        end_with(o.ranks > 1 ? check_can_save(o.record)
                             : Issues{{"--record", "a single rank is not recorded", "use --ranks 4"}});
    }
    const Beginning from = or_end(beginning(o));
    if (o.ranks != 1 || o.strategy != "none" || o.compress != "none")
    {
        return run_team(from, o);
    }
    const auto made = make_trainer(from, o);
    trainer::Trainer& t = *made;
    save_scenario(o, scenario_of(t.config()));
    const trainer::Index workspace = t.backend().workspace();
    stop_on_signals(); // a signal ends the training between two layers, so that it can still be saved
    if (!o.json_lines)
    {
        print_head(t);
    }
    StepView view;
    Timing time = timing(t, o);
    if (!o.snapshot.empty())
    {
        t.record_allocations();
    }
    train_steps(t, o, view, time);
    end_with(o.snapshot.empty() ? Issues() : save_text(o.snapshot, snapshot_text(t.allocations())));
    save_training(o, {t.config(), t.state()});
    if (!o.json_lines && !time.all.empty())
    {
        print_memory(t.config(), view, workspace);
        print_time(time);
    }
    if (o.sample > 0)
    {
        print_sample(t, o);
    }
    return stop_status(kDone);
}

// As the lab has the field of this path; for reals the field of a recipe.
CLI::Option* whole_of(std::string_view path, CLI::Option* option)
{
    const LabRange range = lab_range(path).value();
    return whole(option, range.least, range.most);
}
CLI::Option* real_of(std::string_view name, CLI::Option* option)
{
    for (const Field<Recipe>& field : fields_of(Recipe{}))
    {
        option = field.name == name ? real(option, field.least, field.most) : option;
    }
    return option;
}

void add_what_is_trained(CLI::App& train, TrainOptions& t)
{
    const auto count = [&train](std::string_view path, const char* name, auto& value, const char* says)
    { whole_of(path, train.add_option(name, value, says)); };
    count("model.layers", "--layers", t.layers, "transformer blocks");
    count("model.hidden", "--width", t.width, "hidden size");
    count("model.heads", "--heads", t.heads, "attention heads; default: one per 32 of --width");
    count("model.experts", "--experts", t.experts, "experts per layer in place of the MLP; 0: dense");
    count("model.experts_per_token", "--experts-per-token", t.experts_per_token,
          "experts each token is routed to, 1 or 2; default 2");
    count("model.expert_ffn", "--expert-width", t.expert_width, "FFN size of an expert; default 4 x --width");
    count("training.sequence_length", "--context", t.context, "sequence length in tokens");
    count("training.micro_batch", "--batch", t.batch, "sequences per micro-batch");
    real_of("capacity_factor", train.add_option("--capacity", t.capacity, "capacity factor"));
    real_of("balance_loss",
            train.add_option("--balance", t.balance, "load-balancing (auxiliary) loss coefficient; 0: none"));
    whole(
        train.add_option("--accumulation", t.accumulation, "micro-batches per step (gradient accumulation)"),
        1, kMostAccumulation);
    train.add_option("--data", t.data,
                     "training data: text (the one that ships), copy, sort, addition, or a text file");
    whole(train.add_option("--symbols", t.symbols, "symbols of copy and sort; modulus of addition"), 2,
          kMostLabSymbols);
    train.add_option("--precision", t.precision, "fp32, bf16, fp16 or fp8");
    train.add_option("--optimizer", t.optimizer, "adamw or sgd-momentum");
    real_of("learning_rate", train.add_option("--learning-rate", t.learning_rate,
                                              "peak learning rate, at the end of the warm-up"));
    train.add_option("--recompute", t.recompute, "none, selective or full");
    add_sets(train, t.sets, "any other field, for example recipe.clip=0.5 model.gated_mlp=true");
}

void add_sample(CLI::App& train, TrainOptions& t)
{
    whole(train.add_option("--sample", t.sample, "characters to sample from the model at the end"), 0,
          kMostDrawn)
        ->capture_default_str();
    real(train.add_option("--temperature", t.temperature, "sampling temperature; 0: greedy"), 0,
         kMostTemperature)
        ->capture_default_str();
    whole(train.add_option("--top-k", t.top_k, "sample from the k most likely symbols; 0: all"), 0,
          kMostSymbols)
        ->capture_default_str();
}

void add_train_options(CLI::App& train, TrainOptions& t)
{
    train.add_option("--device", t.device, "auto, cpu or cuda")->capture_default_str();
    whole(train.add_option("--threads", t.threads,
                           "CPU threads; 0: all processors, minus one if there are more than 2"),
          0, kMostThreads)
        ->capture_default_str();
    whole(train.add_option("--ranks", t.ranks,
                           "ranks that train together, as threads of this process; 1 to 64"),
          1, kMostTeamRanks)
        ->capture_default_str();
    train
        .add_option(
            "--strategy", t.strategy,
            "ddp, zero1, zero2, zero3, tp, sp, cp, ep, pp, or a product such as dp2-tp2-pp2; see --ranks")
        ->capture_default_str();
    auto* compress = train
                         .add_option("--compress", t.compress,
                                     "compression of gradients between ranks: none, bf16, fp16, top-k=0.01, "
                                     "random-k=0.01, sign or "
                                     "powersgd=2; see --ranks")
                         ->capture_default_str();
    train.add_flag("--no-feedback", t.no_feedback, "no error feedback: the compression error is dropped")
        ->needs(compress);
    whole(train.add_option("--steps", t.steps, "optimizer steps to train"), 0, kMostSteps)
        ->capture_default_str();
    whole(train.add_option("--seed", t.seed, "seed of weights, batches and samples"), 0, kMostSeed);
    train.add_option("--resume", t.resume, "resume from a checkpoint that --save wrote, bit for bit");
    train.add_option("--save", t.save, "write a checkpoint at the end, also when a signal ends the training");
    train.add_option("--record", t.record,
                     "write the last 4 steps of several ranks, to be played in a page; see --ranks");
    train.add_option("--snapshot", t.snapshot,
                     "write a memory snapshot of the last step as PyTorch does, of several ranks one each "
                     "(-rank0); import run and pytorch.org/memory_viz open it");
    train.add_option("--trace", t.trace,
                     "write a trace of the last step of several ranks as PyTorch's profiler does, one each "
                     "(-rank0): operations and messages; import run and Perfetto open it");
    train.add_option(
        "--scenario", t.scenario,
        "write the scenario that the engine predicts this training by, for import run --scenario");
    train.add_flag("--json-lines", t.json_lines, "one JSON object per step");
    train.add_flag("--probe", t.probe, "measure the device for 2 seconds to predict the step time");
    whole(train.add_option("--every", t.every, "steps between two lines; 0: about twenty lines in all"), 0,
          kMostSteps)
        ->capture_default_str();
    add_sample(train, t);
    add_what_is_trained(train, t);
}

} // namespace

const CliCommand train_command =
    command<add_train_options, run_train>("train", "train a small GPT for real, on this machine");

} // namespace ringside
