// One file, since it is one class whose commands, steps and snapshots share the state of the run.
#include "core/lab/trainer/run.h"

#include <fmt/format.h>

#include "core/model/compute.h"
#include "core/model/sizes.h"

namespace ringside::trainer
{

namespace
{

constexpr std::size_t kMostMarks = 8;
constexpr std::size_t kMostEvents = 20;
constexpr double kLossMemory = 20;      // steps
constexpr double kTimeMemory = 10;      // steps
constexpr int kMostAsked = 3;           // steps of a device that the host does not wait for
constexpr std::int64_t kKeepEvery = 50; // steps between two states that are kept in case it is lost
constexpr double kNever = 1e300;        // [s]
constexpr double kTimedSeconds = 0.5;   // that timing kernels may take, about
constexpr double kMostRepeats = 64;     // of each, against a clock that is rounded to 100 us

// A running mean with a memory of `steps`, which is a plain mean until it has seen as many.
double smoothed(double mean, double value, std::int64_t count, double steps)
{
    return mean + (value - mean) / std::min(steps, static_cast<double>(std::max<std::int64_t>(1, count)));
}

void forget_optimizer(TrainerState& state)
{
    state.updates = 0;
    for (const char* name : {"momentum", "variance"})
    {
        if (TrainerState::Part* part = state.part(name))
        {
            std::ranges::fill(part->bytes, '\0');
        }
    }
}

Issues damage_weight(const Trainer& trainer, TrainerState& state, std::int64_t layer)
{
    TrainerState::Part* weights = state.part("weights");
    const ParameterTable& table = trainer.parameters();
    if (weights == nullptr || layer < 0 || layer >= std::ssize(table.layers))
    {
        return {{"layer", "is not there", "use one of the model's layers"}};
    }
    const LayerPlaces& places = table.layers[static_cast<std::size_t>(layer)];
    const Parameter& matrix =
        table.list[static_cast<std::size_t>(places.up < 0 ? places.expert_up : places.up)];
    const auto width = static_cast<Index>(element_bytes(trainer.config().training));
    // The sign is the highest bit of a float's last byte, the exponent's highest the one below it.
    const auto at = static_cast<std::size_t>((matrix.offset + matrix.elements() / 2) * width + width - 1);
    weights->bytes.at(at) = static_cast<char>(weights->bytes.at(at) ^ 0x40);
    return {};
}

} // namespace

TrainingRun::TrainingRun(TrainerConfig config, OpenBackend open, RunSettings settings,
                         std::optional<TrainerState> from)
    : config_(std::move(config)), open_(std::move(open)), settings_(std::move(settings)),
      plan_(std::move(settings_.plan))
{
    if (from)
    {
        from_ = Mark{std::move(*from), config_};
    }
    TrainingSnapshot first;
    first.config = config_;
    start(std::move(first), settings_.threaded);
}

void TrainingRun::change(TrainerConfig next)
{
    ask(
        [this, next = std::move(next)]
        {
            const auto ready = prepared(next);
            if (ready && !same_state(trainer_->config(), *ready) && same_weights(trainer_->config(), *ready))
            {
                return change_format(*ready);
            }
            report(trainer_->change(next), "not changed");
            take_over(*trainer_, trainer_->step_count());
        });
}
void TrainingRun::change(RunSettings settings)
{
    ask([this, settings = std::move(settings)]() mutable { settings_ = std::move(settings); });
}
void TrainingRun::sample()
{
    ask([this] { draw_sample(); });
}
void TrainingRun::time_kernels()
{
    ask([this] { time_one_step(); });
}
void TrainingRun::mark()
{
    ask([this] { add_mark(); });
}
void TrainingRun::rewind(std::int64_t step)
{
    ask([this, step] { go_back(step); });
}
void TrainingRun::checkpoint(std::function<void(const Checkpoint&)> take)
{
    ask(
        [this, take = std::move(take)] {
            with_state([this, take](const TrainerState& state) { take({trainer_->config(), state}); });
        });
}

void TrainingRun::open()
{
    if (!open_trainer())
    {
        return;
    }
    now_.changes.clear();
    now_.step = trainer_->step_count();
    now_.state = settings_.paused ? RunState::paused : RunState::running;
    add_mark();
}

// The trainer of the configuration, at the state it is to go on from.
bool TrainingRun::open_trainer()
{
    auto backend = open_();
    if (!backend)
    {
        fail({{"device", "could not be opened", "use the CPU"}});
        return false;
    }
    now_.device = backend->name();
    now_.on_gpu = backend->is_gpu();
    auto made = Trainer::create(config_, std::move(backend));
    if (!made)
    {
        fail(made.issues());
        return false;
    }
    trainer_ = std::move(*made);
    const Issues issues = from_ ? trainer_->restore(from_->state, from_->config) : Issues{};
    if (!issues.empty())
    {
        fail(issues);
        return false;
    }
    kept_ = std::exchange(from_, std::nullopt);
    take_over(*trainer_, trainer_->step_count());
    return true;
}

// Another trainer on the same device goes on from the fp32 weights and moments of this one. Not within the
// answer that brings them, which is this trainer's.
void TrainingRun::change_format(TrainerConfig next)
{
    if (Issues lacks = lacking(next, trainer_->abilities(), trainer_->backend().name()); !lacks.empty())
    {
        return report(lacks, "not changed");
    }
    with_state(
        [this, next = std::move(next)](const TrainerState& state)
        {
            kept_ = Mark{state, config_};
            ask(
                [this, next]
                {
                    const auto backend = trainer_->shared_backend();
                    trainer_.reset(); // its memory first
                    auto made = Trainer::create(next, backend);
                    Issues issues = made ? (*made)->restore(kept_->state, kept_->config) : made.issues();
                    if (!issues.empty())
                    {
                        return fail(issues);
                    }
                    trainer_ = std::move(*made);
                    take_over(*trainer_, trainer_->step_count());
                    pace();
                });
        });
}

void TrainingRun::lose_device(const std::string& why)
{
    if (!trainer_ || now_.state == RunState::failed)
    {
        return;
    }
    const auto steps = now_.step;
    steps_asked_ = states_asked_ = 0;
    trainer_.reset();
    from_ = kept_;
    if (open_trainer())
    {
        forget_after(trainer_->step_count());
        event(fmt::format("the GPU was lost ({}): resumed on {} from step {}, {} steps repeated", why,
                          now_.device, now_.step, steps - now_.step));
        pace();
    }
    publish(true);
}

void TrainingRun::say(std::string what)
{
    now_.message = std::move(what);
    publish(true);
}

template <class Work>
void TrainingRun::with_state(Work work)
{
    ++states_asked_;
    trainer_->ask_state(
        [this, work](const TrainerState& state)
        {
            --states_asked_;
            work(state);
            publish(true);
            pace();
        });
    pace();
}

// When the next step may begin: where the device answers later, only a few are under way, and one at a time
// where something is to be done after it.
void TrainingRun::pace()
{
    const bool last = settings_.last_step > 0 && trainer_->step_count() >= settings_.last_step;
    const int most = single_ || last || plan_is_due() ? 1 : kMostAsked;
    due_ = states_asked_ > 0 || steps_asked_ >= most ? kNever : 0;
}

// The trainer's knobs are ours from `step` on.
void TrainingRun::take_over(const Trainer& trainer, std::int64_t step)
{
    for (KnobChange& change : knob_changes(config_, trainer.config(), step))
    {
        now_.changes.push_back(std::move(change));
    }
    now_.config = config_ = trainer.config();
    step_flops_ = compute_report(scenario_of(config_)).model_step.value;
}

void TrainingRun::report(const Issues& issues, std::string_view what)
{
    for (const Issue& issue : issues)
    {
        event(fmt::format("{}: {}", what, to_line(issue)));
    }
}

bool TrainingRun::plan_is_due() const
{
    return !plan_.empty() && plan_.front().step <= trainer_->step_count();
}

void TrainingRun::carry_out_plan()
{
    while (plan_is_due() && !waiting())
    {
        intervene(plan_.front());
        plan_.erase(plan_.begin());
        take_over(*trainer_, trainer_->step_count());
    }
}

// What a demonstration does to a training on purpose, between two steps.
void TrainingRun::intervene(const Intervention& intervention)
{
    if (intervention.kind == Intervention::Kind::turn_knobs)
    {
        report(trainer_->change(intervention.config), "not done");
        return;
    }
    with_state(
        [this, intervention](TrainerState state)
        {
            Issues issues;
            if (intervention.kind == Intervention::Kind::forget_optimizer)
            {
                forget_optimizer(state);
            }
            else
            {
                issues = damage_weight(*trainer_, state, intervention.layer);
            }
            report(issues.empty() ? trainer_->restore(state) : issues, "not done");
        });
}

void TrainingRun::one_step()
{
    carry_out_plan();
    if (states_asked_ > 0 || plan_is_due())
    {
        return pace();
    }
    const bool looks = settings_.exponents_every > 0 &&
                       trainer_->step_count() % settings_.exponents_every == 0 &&
                       trainer_->abilities().exponents;
    ++steps_asked_;
    const Issues issues = trainer_->ask_step(&stop_, &view_, looks,
                                             [this, start = seconds_now(), looks](const StepResult& result)
                                             { step_done(result, start, looks); });
    if (!issues.empty())
    {
        steps_asked_ = 0;
        fail(issues);
        publish(true);
        return;
    }
    pace();
}

void TrainingRun::step_done(const StepResult& result, double asked_at, bool looked)
{
    --steps_asked_;
    if (!result.done)
    {
        return; // stopped
    }
    const double now = seconds_now();
    note(result,
         now - std::max(asked_at, last_answer_)); // of several under way, the time between two answers
    last_answer_ = now;
    if (looked)
    {
        now_.counted_step = result.step;
        now_.counted_scale = result.loss_scale;
        now_.activations = view_.activations;
        now_.activation_gradients = view_.activation_gradients;
        now_.weight_gradients = view_.weight_gradients;
    }
    if (settings_.sample_every > 0 && now_.step % settings_.sample_every == 0)
    {
        draw_sample();
    }
    keep_state();
    publish(pauses_after(settings_.last_step));
    pace();
}

// What the host can wait for is not lost.
void TrainingRun::keep_state()
{
    if (!trainer_->waits() && (!kept_ || trainer_->step_count() - kept_->state.step >= kKeepEvery) &&
        states_asked_ == 0)
    {
        with_state([this](const TrainerState& state) { kept_ = {state, config_}; });
    }
}

void TrainingRun::note(const StepResult& result, double seconds)
{
    now_.step = result.step;
    now_.message.clear();
    now_.loss = result.loss;
    now_.smoothed_loss = smoothed(now_.smoothed_loss, result.loss, ++seen_, kLossMemory);
    now_.gradient_norm = result.gradient_norm;
    noise_.add(norms_of(config_, result));
    now_.noise_scale = noise_.value();
    now_.learning_rate = result.learning_rate;
    now_.experts = result.experts;
    now_.loss_scale = result.loss_scale;
    now_.step_seconds = seconds;
    smoothed_seconds_ = smoothed(smoothed_seconds_, seconds, seen_, kTimeMemory);
    const auto tokens = static_cast<double>(config_.training.global_batch * config_.training.sequence_length);
    now_.tokens_per_second = tokens / smoothed_seconds_;
    now_.flops_per_second = step_flops_ / smoothed_seconds_;
    now_.memory = view_.memory;
    now_.peak = view_.peak;
    now_.highest = view_.highest;
    now_.timeline = view_.timeline;
    add_point(result, seconds);
    if (!view_.first_bad.empty() && now_.first_bad.empty())
    {
        now_.first_bad = view_.first_bad;
        now_.first_bad_step = now_.step;
        event("the first number that is not finite: " + now_.first_bad);
    }
    if (result.skipped)
    {
        ++now_.skipped;
        event(config_.training.precision == Precision::fp16
                  ? fmt::format("a gradient overflowed at loss scale {}: step skipped", result.loss_scale)
                  : std::string("a gradient is not finite: step skipped"));
    }
}

void TrainingRun::add_point(const StepResult& result, double seconds)
{
    if ((now_.step - 1) % now_.loss_stride != 0)
    {
        return;
    }
    now_.losses.push_back(static_cast<float>(result.loss));
    now_.norms.push_back(static_cast<float>(result.gradient_norm));
    now_.rates.push_back(static_cast<float>(result.learning_rate));
    now_.seconds.push_back(static_cast<float>(seconds));
    thin_out(now_.loss_stride, now_.losses, now_.norms, now_.rates, now_.seconds);
}

void TrainingRun::draw_sample()
{
    ++states_asked_;
    const Issues issues = trainer_->ask_sample(settings_.sample_tokens, settings_.temperature,
                                               settings_.top_k, static_cast<std::uint64_t>(now_.step), &stop_,
                                               [this, step = now_.step](std::string text)
                                               {
                                                   --states_asked_;
                                                   now_.sample = std::move(text);
                                                   now_.sample_step = step;
                                                   publish(true);
                                                   pace();
                                               });
    if (!issues.empty())
    {
        --states_asked_;
        event(to_line(issues.front()));
    }
    pace();
}

// The step that is timed leaves nothing: the run goes on from the state before it.
void TrainingRun::time_one_step()
{
    if (!trainer_->abilities().kernel_times)
    {
        event("kernels are not timed on " + now_.device);
        return;
    }
    with_state(
        [this](const TrainerState& state)
        {
            ++states_asked_;
            const double fit = smoothed_seconds_ > 0 ? kTimedSeconds / smoothed_seconds_ : 1;
            const auto repeats = static_cast<std::int64_t>(std::clamp(fit, 1.0, kMostRepeats));
            const auto timed = [this, state](KernelTimes times)
            {
                --states_asked_;
                report(trainer_->restore(state), "not restored");
                now_.kernels = std::move(times);
                now_.kernels.step = now_.step + 1;
                publish(true);
                pace();
            };
            if (const Issues issues = trainer_->ask_kernel_times(repeats, timed); !issues.empty())
            {
                --states_asked_;
                report(issues, "not timed");
            }
        });
}

void TrainingRun::add_mark()
{
    if (!marks_.empty() && marks_.back().state.step == trainer_->step_count())
    {
        return;
    }
    with_state(
        [this](const TrainerState& state)
        {
            marks_.push_back({state, config_});
            if (marks_.size() > kMostMarks)
            {
                marks_.erase(marks_.begin() + 1); // the start stays
            }
            now_.marks = list_of<std::int64_t>(marks_, [](const Mark& mark) { return mark.state.step; });
            kept_ = marks_.back();
        });
}

void TrainingRun::go_back(std::int64_t step)
{
    while (marks_.size() > 1 && marks_.back().state.step > step)
    {
        marks_.pop_back();
        now_.marks.pop_back();
    }
    const Issues issues = trainer_->restore(marks_.back().state, marks_.back().config);
    if (!issues.empty())
    {
        event(to_line(issues.front()));
        return;
    }
    kept_ = marks_.back();
    config_ = marks_.back().config;
    forget_after(trainer_->step_count());
    event(fmt::format("back at step {}", now_.step));
}

void TrainingRun::forget_after(std::int64_t step)
{
    now_.step = step;
    const auto kept = static_cast<std::size_t>((now_.step + now_.loss_stride - 1) / now_.loss_stride);
    for (std::vector<float>* series : {&now_.losses, &now_.norms, &now_.rates, &now_.seconds})
    {
        series->resize(std::min(series->size(), kept));
    }
    // Knobs stay as they are, so what was turned since is turned there from now on.
    std::erase_if(now_.changes, [&](const KnobChange& change) { return change.step >= now_.step; });
    take_over(*trainer_, now_.step);
    now_.first_bad.clear();
    noise_ = {};
    now_.noise_scale.reset();
    now_.smoothed_loss = now_.losses.empty() ? 0 : static_cast<double>(now_.losses.back());
}

void TrainingRun::event(std::string text)
{
    now_.events.push_back({now_.step, std::move(text)});
    if (now_.events.size() > kMostEvents)
    {
        now_.events.erase(now_.events.begin());
    }
}

} // namespace ringside::trainer
