#include "core/trainer/run.h"

#include <fmt/format.h>

#include "core/engine/compute.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ringside::trainer
{

namespace
{

constexpr double kPublishEvery = 0.02; // [s]
constexpr std::size_t kMostLosses = 4096;
constexpr std::size_t kMostMarks = 8;
constexpr std::size_t kMostEvents = 20;
constexpr double kLossMemory = 20; // steps
constexpr double kTimeMemory = 10; // steps

double seconds_now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// A running mean with a memory of `steps`, which is a plain mean until it has seen as many.
double smoothed(double mean, double value, std::int64_t count, double steps)
{
    return mean + (value - mean) / std::min(steps, static_cast<double>(std::max<std::int64_t>(1, count)));
}

} // namespace

TrainingRun::TrainingRun(TrainerConfig config, OpenBackend open, RunSettings settings,
                         std::optional<TrainerState> from)
    : config_(std::move(config)), open_(std::move(open)), from_(std::move(from)),
      settings_(std::move(settings)), plan_(std::move(settings_.plan))
{
    now_.config = config_;
    now_.state = RunState::running;
    published_ = std::make_shared<TrainingSnapshot>(now_);
    thread_ = std::thread([this] { work(); });
}

TrainingRun::~TrainingRun()
{
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
}

void TrainingRun::ask(std::function<void()> command)
{
    {
        const std::scoped_lock lock(mutex_);
        commands_.push_back(std::move(command));
    }
    wake_.notify_all();
}

void TrainingRun::pause()
{
    ask([this] { now_.state = RunState::paused; });
}
void TrainingRun::resume()
{
    ask([this] { now_.state = RunState::running; });
}
void TrainingRun::step_once()
{
    ask(
        [this]
        {
            now_.state = RunState::running;
            single_ = true;
        });
}
void TrainingRun::change(TrainerConfig next)
{
    ask(
        [this, next = std::move(next)]
        {
            for (const Issue& issue : trainer_->change(next))
            {
                event("not changed: " + to_line(issue));
            }
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
    ask([this, take = std::move(take)] { take({trainer_->config(), trainer_->state()}); });
}

std::shared_ptr<const TrainingSnapshot> TrainingRun::snapshot() const
{
    const std::scoped_lock lock(mutex_);
    return published_;
}

bool TrainingRun::wait_until_idle(double seconds) const
{
    std::unique_lock lock(mutex_);
    return idle_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [this] { return commands_.empty() && published_->state != RunState::running; });
}

// The state of a failed run goes to the snapshot and stays there; commands are then dropped.
void TrainingRun::fail(const Issues& issues)
{
    now_.state = RunState::failed;
    now_.message.clear();
    for (const Issue& issue : issues)
    {
        now_.message += (now_.message.empty() ? "" : "\n") + to_line(issue);
    }
}

void TrainingRun::open_trainer()
{
    auto backend = open_();
    if (!backend)
    {
        fail({{"device", "could not be opened", "use the CPU"}});
        return;
    }
    now_.device = backend->name();
    auto made = Trainer::create(config_, std::move(backend));
    if (!made)
    {
        fail(made.issues());
        return;
    }
    trainer_ = std::move(*made);
    const Issues issues = from_ ? trainer_->restore(*from_) : Issues{};
    if (!issues.empty())
    {
        fail(issues);
        return;
    }
    from_.reset();
    take_over(*trainer_, trainer_->step_count());
    now_.changes.clear();
    now_.step = trainer_->step_count();
    now_.state = settings_.paused ? RunState::paused : RunState::running;
    add_mark();
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

void TrainingRun::carry_out_plan()
{
    while (!plan_.empty() && plan_.front().step <= trainer_->step_count())
    {
        for (const Issue& issue : intervene(*trainer_, plan_.front()))
        {
            event("not done: " + to_line(issue));
        }
        plan_.erase(plan_.begin());
        take_over(*trainer_, trainer_->step_count());
    }
}

void TrainingRun::work()
{
    try
    {
        open_trainer();
        publish(true);
        while (serve_commands())
        {
            one_step();
        }
    }
    catch (const std::exception& fault) // the host's own memory, the device's driver
    {
        fail({{"run", fault.what(), "use a smaller model"}});
    }
    if (now_.state != RunState::failed)
    {
        now_.state = RunState::stopped;
    }
    trainer_.reset();
    publish(true);
}

// Waits while there is nothing to do. False when the run is to end.
bool TrainingRun::serve_commands()
{
    std::unique_lock lock(mutex_);
    while (!stop_)
    {
        if (!commands_.empty())
        {
            const auto command = std::move(commands_.front());
            lock.unlock();
            if (now_.state != RunState::failed)
            {
                command();
            }
            publish(true);
            lock.lock();
            commands_.pop_front(); // only now: an idle run is one that has done what it was asked
            idle_.notify_all();
            continue;
        }
        if (now_.state == RunState::running)
        {
            return true;
        }
        wake_.wait(lock, [this] { return stop_ || !commands_.empty(); });
    }
    return false;
}

void TrainingRun::one_step()
{
    carry_out_plan();
    const bool exponents =
        settings_.exponents_every > 0 && trainer_->step_count() % settings_.exponents_every == 0;
    const double start = seconds_now();
    const auto result = trainer_->step(&stop_, &view_, exponents);
    if (!result)
    {
        fail(result.issues());
        publish(true);
        return;
    }
    if (!result->done)
    {
        return; // stopped
    }
    note(*result, seconds_now() - start);
    if (exponents)
    {
        now_.activations = view_.activations;
        now_.activation_gradients = view_.activation_gradients;
        now_.weight_gradients = view_.weight_gradients;
    }
    if (settings_.sample_every > 0 && now_.step % settings_.sample_every == 0)
    {
        draw_sample();
    }
    const bool last = settings_.last_step > 0 && now_.step >= settings_.last_step;
    if (single_ || last)
    {
        single_ = false;
        now_.state = RunState::paused;
    }
    publish(now_.state != RunState::running);
}

void TrainingRun::note(const StepResult& result, double seconds)
{
    now_.step = trainer_->step_count();
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

// Every so many steps are kept; when there are too many, every second one goes.
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
    if (now_.losses.size() < kMostLosses)
    {
        return;
    }
    for (std::vector<float>* series : {&now_.losses, &now_.norms, &now_.rates, &now_.seconds})
    {
        for (std::size_t i = 0; 2 * i < series->size(); ++i)
        {
            (*series)[i] = (*series)[2 * i];
        }
        series->resize((series->size() + 1) / 2);
    }
    now_.loss_stride *= 2;
}

void TrainingRun::draw_sample()
{
    const auto text = trainer_->sample(settings_.sample_tokens, settings_.temperature, settings_.top_k,
                                       static_cast<std::uint64_t>(now_.step), &stop_);
    if (!text)
    {
        event(to_line(text.issues().front()));
        return;
    }
    now_.sample = *text;
    now_.sample_step = now_.step;
}

void TrainingRun::add_mark()
{
    if (!marks_.empty() && marks_.back().state.step == trainer_->step_count())
    {
        return;
    }
    marks_.push_back({trainer_->state(), config_});
    if (marks_.size() > kMostMarks)
    {
        marks_.erase(marks_.begin() + 1); // the start stays
    }
    now_.marks.clear();
    for (const Mark& mark : marks_)
    {
        now_.marks.push_back(mark.state.step);
    }
}

void TrainingRun::go_back(std::int64_t step)
{
    while (marks_.size() > 1 && marks_.back().state.step > step)
    {
        marks_.pop_back();
        now_.marks.pop_back();
    }
    const Issues issues = trainer_->restore(marks_.back().state);
    if (!issues.empty())
    {
        event(to_line(issues.front()));
        return;
    }
    now_.step = trainer_->step_count();
    const auto kept = static_cast<std::size_t>((now_.step + now_.loss_stride - 1) / now_.loss_stride);
    for (std::vector<float>* series : {&now_.losses, &now_.norms, &now_.rates, &now_.seconds})
    {
        series->resize(std::min(series->size(), kept));
    }
    // Knobs stay as they are, so what was turned since the mark is turned there from now on.
    std::erase_if(now_.changes, [&](const KnobChange& change) { return change.step >= now_.step; });
    config_ = marks_.back().config;
    take_over(*trainer_, now_.step);
    now_.first_bad.clear();
    noise_ = {};
    now_.noise_scale.reset();
    now_.smoothed_loss = now_.losses.empty() ? 0 : static_cast<double>(now_.losses.back());
    event(fmt::format("back at step {}", now_.step));
}

void TrainingRun::event(std::string text)
{
    now_.events.push_back({now_.step, std::move(text)});
    if (now_.events.size() > kMostEvents)
    {
        now_.events.erase(now_.events.begin());
    }
}

void TrainingRun::publish(bool always)
{
    const double now = seconds_now();
    if (!always && now - last_published_ < kPublishEvery)
    {
        return;
    }
    last_published_ = now;
    auto copy = std::make_shared<const TrainingSnapshot>(now_);
    {
        const std::scoped_lock lock(mutex_);
        published_.swap(copy);
    }
    idle_.notify_all();
}

} // namespace ringside::trainer
