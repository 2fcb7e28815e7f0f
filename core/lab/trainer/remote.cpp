#include "core/lab/trainer/remote.h"

#include "core/lab/config_json.h"

#include <cstring>

namespace ringside::trainer
{

namespace
{

enum class Asked : std::uint8_t
{
    begin,
    pause,
    resume,
    step_once,
    change_knobs,
    change_settings,
    sample,
    time_kernels,
    mark,
    rewind,
    checkpoint,
    measure
};
enum class Told : std::uint8_t
{
    snapshot,
    checkpoint,
    rates
};

// Writes values one after the other, or reads them in the same order. A struct is passed member by member by
// the function pass() that knows it, the same for both directions.
class Writer
{
public:
    template <class... T>
    void operator()(T&... values)
    {
        (one(values), ...);
    }
    std::string bytes;

private:
    template <class T>
    void one(T& value)
    {
        if constexpr (std::is_trivially_copyable_v<T>)
        {
            bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        }
        else
        {
            pass(*this, value);
        }
    }
    template <class List>
    void list(List& values)
    {
        std::size_t count = values.size();
        one(count);
        for (auto& value : values)
        {
            one(value);
        }
    }
    void one(std::string& text) { list(text); }
    template <class T>
    void one(std::vector<T>& values)
    {
        list(values);
    }
};

class Reader
{
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    template <class... T>
    void operator()(T&... values)
    {
        (one(values), ...);
    }

private:
    template <class T>
    void one(T& value)
    {
        if constexpr (std::is_trivially_copyable_v<T>)
        {
            std::memcpy(&value, bytes_.data(), sizeof value);
            bytes_.remove_prefix(sizeof value);
        }
        else
        {
            pass(*this, value);
        }
    }
    template <class List>
    void list(List& values)
    {
        std::size_t count = 0;
        one(count);
        values.resize(count);
        for (auto& value : values)
        {
            one(value);
        }
    }
    void one(std::string& text) { list(text); }
    template <class T>
    void one(std::vector<T>& values)
    {
        list(values);
    }

    std::string_view bytes_;
};

void pass(Writer& wire, TrainerConfig& config)
{
    std::string fields = to_json(config).dump();
    std::string text = config.data.text ? *config.data.text : "";
    bool has_text = config.data.text != nullptr;
    wire(fields, has_text, text, config.data.poisoned_step, config.memory_budget);
}

void pass(Reader& wire, TrainerConfig& config)
{
    std::string fields;
    std::string text;
    bool has_text = false;
    wire(fields, has_text, text);
    config = *trainer_config_from_json(nlohmann::json::parse(fields)); // ours: the other end wrote it
    config.data.text = has_text ? std::make_shared<const std::string>(std::move(text)) : nullptr;
    wire(config.data.poisoned_step, config.memory_budget);
}

template <class Wire>
void pass(Wire& wire, Intervention& i)
{
    wire(i.step, i.kind, i.layer);
    bool turns = i.kind == Intervention::Kind::turn_knobs;
    if (turns)
    {
        wire(i.config);
    }
}

template <class Wire>
void pass(Wire& wire, RunSettings& s)
{
    wire(s.paused, s.last_step, s.sample_every, s.sample_tokens, s.temperature, s.top_k, s.exponents_every,
         s.plan);
}

template <class Wire>
void pass(Wire& wire, TrainerState::Part& part)
{
    wire(part.name, part.bytes);
}

template <class Wire>
void pass(Wire& wire, TrainerState& state)
{
    wire(state.step, state.updates, state.scale, state.parts);
}

template <class Wire>
void pass(Wire& wire, LayerRouting& layer)
{
    wire(layer.wanted, layer.taken, layer.balance);
}

template <class Wire>
void pass(Wire& wire, KernelTime& time)
{
    wire(time.name, time.launches, time.seconds);
}

template <class Wire>
void pass(Wire& wire, KernelTimes& times)
{
    wire(times.list, times.step, times.repeats, times.rounded_to, times.by_host);
}

template <class Wire>
void pass(Wire& wire, LabEvent& event)
{
    wire(event.step, event.text);
}

template <class Wire>
void pass(Wire& wire, KnobChange& change)
{
    wire(change.step, change.knob, change.from, change.to);
}

// All but the configuration, which seldom changes.
template <class Wire>
void pass(Wire& wire, TrainingSnapshot& s)
{
    wire(s.state, s.message, s.device, s.on_gpu, s.step, s.skipped, s.loss, s.smoothed_loss, s.gradient_norm,
         s.noise_scale, s.learning_rate, s.loss_scale, s.step_seconds, s.tokens_per_second,
         s.flops_per_second, s.losses, s.norms, s.rates, s.seconds, s.loss_stride, s.experts, s.kernels,
         s.memory, s.peak, s.highest, s.timeline, s.activations, s.activation_gradients, s.weight_gradients,
         s.sample, s.sample_step, s.marks, s.events, s.changes, s.first_bad, s.first_bad_step, s.counted_step,
         s.counted_scale);
}

template <class Wire>
void pass(Wire& wire, MachinePoint& point)
{
    wire(point.flops, point.bytes, point.seconds);
}

template <class Wire>
void pass(Wire& wire, DeviceRates& rates)
{
    wire(rates.device, rates.capacity, rates.full, rates.half, rates.copy_bytes, rates.operation_s,
         rates.layer_tiles, rates.subgroups, rates.sustained, rates.in_step, rates.points);
}

template <class... T>
std::string written(T... values)
{
    Writer wire;
    wire(values...);
    return std::move(wire.bytes);
}

template <class T>
T taken(Reader& wire)
{
    T value{};
    wire(value);
    return value;
}

} // namespace

RemoteRun::RemoteRun(const TrainerConfig& config, const OpenLine& open, const RunSettings& settings,
                     const std::optional<TrainerState>& from)
{
    auto first = std::make_shared<TrainingSnapshot>();
    first->config = config;
    first->state = RunState::running; // opening
    newest_ = std::move(first);
    line_ = open([this](std::string_view bytes) { receive(bytes); },
                 [this](std::string why) { fail(std::move(why)); });
    ask(written(Asked::begin, config, settings, from.has_value()) + (from ? written(*from) : ""));
}

void RemoteRun::ask(std::string bytes)
{
    ++asked_;
    if (line_)
    {
        line_->send(std::move(bytes));
    }
}
void RemoteRun::pause()
{
    ask(written(Asked::pause));
}
void RemoteRun::resume()
{
    ask(written(Asked::resume));
}
void RemoteRun::step_once()
{
    ask(written(Asked::step_once));
}
void RemoteRun::change(TrainerConfig next)
{
    ask(written(Asked::change_knobs, std::move(next)));
}
void RemoteRun::change(RunSettings settings)
{
    ask(written(Asked::change_settings, std::move(settings)));
}
void RemoteRun::sample()
{
    ask(written(Asked::sample));
}
void RemoteRun::time_kernels()
{
    ask(written(Asked::time_kernels));
}
void RemoteRun::mark()
{
    ask(written(Asked::mark));
}
void RemoteRun::rewind(std::int64_t step)
{
    ask(written(Asked::rewind, step));
}
void RemoteRun::checkpoint(std::function<void(const Checkpoint&)> take)
{
    takers_.push_back(std::move(take));
    ask(written(Asked::checkpoint));
}

bool RemoteRun::wait_until_idle(double /*seconds*/) const
{
    const bool failed = newest_->state == RunState::failed; // takes no commands any more
    return failed || (done_ == asked_ && newest_->state != RunState::running);
}

void RemoteRun::receive(std::string_view bytes)
{
    Reader wire(bytes);
    if (taken<Told>(wire) == Told::checkpoint)
    {
        Checkpoint checkpoint;
        wire(checkpoint.config, checkpoint.state);
        const auto take = std::move(takers_.front());
        takers_.pop_front();
        take(checkpoint);
        return;
    }
    auto next = std::make_shared<TrainingSnapshot>();
    wire(done_, *next);
    const bool turned = taken<bool>(wire);
    next->config = turned ? taken<TrainerConfig>(wire) : newest_->config;
    newest_ = std::move(next);
}

void RemoteRun::fail(std::string why)
{
    auto last = std::make_shared<TrainingSnapshot>(*newest_);
    last->state = RunState::failed;
    last->message = std::move(why);
    newest_ = std::move(last);
}

RemoteProbe::RemoteProbe(const TrainerConfig& config, const RemoteRun::OpenLine& open, const Take& take,
                         ProbeKind kind)
{
    line_ = open(
        [take](std::string_view bytes)
        {
            Reader wire(bytes);
            if (taken<Told>(wire) == Told::rates)
            {
                take(taken<DeviceRates>(wire));
            }
        },
        [take](const std::string&) { take({}); });
    if (line_)
    {
        line_->send(written(Asked::measure, config, kind));
    }
}

void RunHost::measure(const TrainerConfig& config, ProbeKind kind)
{
    if (auto backend = open_(); backend && (kind == ProbeKind::machine || !backend->waits()))
    {
        probe_ = std::make_unique<LateProbe>(
            std::move(backend), config,
            [this](const DeviceRates& rates) { send_(written(Told::rates, rates)); }, kind);
    }
}

void RunHost::receive(std::string_view bytes)
{
    Reader wire(bytes);
    ++done_;
    switch (taken<Asked>(wire))
    {
    case Asked::begin:
    {
        auto config = taken<TrainerConfig>(wire);
        auto settings = taken<RunSettings>(wire);
        settings.threaded = false;
        std::optional<TrainerState> from;
        if (taken<bool>(wire))
        {
            from = taken<TrainerState>(wire);
        }
        run_ = std::make_unique<TrainingRun>(std::move(config), open_, std::move(settings), std::move(from));
        return;
    }
    case Asked::pause:
        return run_->pause();
    case Asked::resume:
        return run_->resume();
    case Asked::step_once:
        return run_->step_once();
    case Asked::change_knobs:
        return run_->change(taken<TrainerConfig>(wire));
    case Asked::change_settings:
        return run_->change(taken<RunSettings>(wire));
    case Asked::sample:
        return run_->sample();
    case Asked::time_kernels:
        return run_->time_kernels();
    case Asked::mark:
        return run_->mark();
    case Asked::rewind:
        return run_->rewind(taken<std::int64_t>(wire));
    case Asked::checkpoint:
        return run_->checkpoint([this](const Checkpoint& checkpoint)
                                { send_(written(Told::checkpoint, checkpoint.config, checkpoint.state)); });
    case Asked::measure:
    {
        const auto config = taken<TrainerConfig>(wire);
        return measure(config, taken<ProbeKind>(wire));
    }
    }
}

bool RunHost::work(double seconds)
{
    const bool more = run_ && run_->advance(seconds);
    tell();
    return more;
}

void RunHost::lose_device(const std::string& why)
{
    if (run_)
    {
        run_->lose_device(why);
        tell();
    }
}

void RunHost::say(std::string what)
{
    if (run_)
    {
        run_->say(std::move(what));
        tell();
    }
}

void RunHost::tell()
{
    if (!run_)
    {
        return;
    }
    const auto newest = run_->snapshot();
    // While it runs nobody takes it for idle, so what still waits need not be counted.
    const bool all = run_->wait_until_idle(0) || newest->state == RunState::running;
    std::uint64_t done = all ? done_ : told_done_;
    if (newest == told_ && done == told_done_)
    {
        return;
    }
    const bool turned = !told_ || told_->config != newest->config;
    send_(written(Told::snapshot, done, *newest, turned) + (turned ? written(newest->config) : ""));
    told_ = newest;
    told_done_ = done;
}

} // namespace ringside::trainer
