#include "core/evaluate/rollout.h"

#include "core/base/random.h"
#include "core/base/ranges.h"
#include "core/base/whole.h"
#include "core/memory/memory.h"
#include "core/model/compute.h"
#include "core/model/weights.h"
#include "core/performance/step_time.h"
#include "core/serving/lengths.h"
#include "core/serving/load.h"
#include "core/serving/serving.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

namespace ringside
{

namespace
{

constexpr std::int64_t kMostSamples = 65536;
constexpr double kMostTokens = 1e6;

double mean_of(const std::vector<double>& values)
{
    return sum_over(values, [](double v) { return v; }) / real(std::ssize(values));
}

using DecodingClock = std::function<double(double batch, double context)>;

// One engine's responses, as many together as it holds. Between two ends nothing changes but the caches'
// lengths.
EngineSpan decoded(const std::vector<double>& answers, const DecodingClock& clock, std::int64_t most,
                   double prompt)
{
    using Stay = std::pair<double, double>; // end and start [tokens], on the engine's clock
    std::priority_queue<Stay, std::vector<Stay>, std::greater<>> stays;
    EngineSpan span;
    const double half = 0.5 * std::min(real(most), real(std::ssize(answers)));
    double starts = 0; // sum over those that are decoded
    double now = 0;
    for (std::size_t next = 0; next < answers.size() || !stays.empty();)
    {
        for (; next < answers.size() && std::ssize(stays) < most; ++next)
        {
            stays.emplace(now + answers[next], now);
            starts += now;
        }
        const double batch = real(std::ssize(stays));
        const double until = stays.top().first;
        span.end += (until - now) * clock(batch, prompt + (now + until) / 2 - starts / batch);
        for (now = until; !stays.empty() && stays.top().first <= now; stays.pop())
        {
            starts -= stays.top().second;
        }
        if (real(std::ssize(stays)) >= half || next < answers.size())
        {
            span.full = span.end;
        }
    }
    return span;
}

ServingSetup serving_of(const RolloutSetup& setup)
{
    ServingSetup serving;
    serving.gpus = setup.engine_gpus;
    serving.prompt = setup.prompt;
    serving.output = setup.answer;
    serving.longest = setup.prompt + setup.cap;
    return serving;
}

// An engine of fewer GPUs than hold the weights and a response gets as many as do.
RolloutSetup legal(const Scenario& s, RolloutSetup setup)
{
    const auto within = [](std::int64_t value, double most)
    { return static_cast<std::int64_t>(std::clamp(real(value), 1.0, most)); };
    setup.samples = within(setup.samples, real(kMostSamples));
    setup.prompt = within(setup.prompt, kMostTokens);
    setup.cap = within(setup.cap, kMostTokens);
    setup.answer = within(setup.answer, real(setup.cap));
    setup.spread = std::isfinite(setup.spread) ? std::clamp(setup.spread, 0.0, 2.0) : 0.8;
    setup.staleness_cap = std::isfinite(setup.staleness_cap) ? std::clamp(setup.staleness_cap, 1.0, 64.0) : 1;
    const auto gpus = serving_gpus(s.model);
    const std::int64_t most = std::max<std::int64_t>(1, s.cluster.gpus);
    const auto next = std::ranges::upper_bound(gpus, within(setup.engine_gpus, real(most)));
    setup.engine_gpus = *(next - 1);
    for (auto more = next - 1; more != gpus.end() && *more <= most; ++more)
    {
        ServingSetup serving = serving_of(setup);
        serving.gpus = *more;
        if (serving_report(s, serving).most > 0)
        {
            setup.engine_gpus = *more;
            break;
        }
    }
    setup.generating = std::isfinite(setup.generating) ? std::clamp(setup.generating, 0.0, 1.0) : 0.5;
    if (setup.engine_gpus >= most) // none is left to train
    {
        setup.placement = RolloutPlacement::colocated;
    }
    return setup;
}

// [B] of weights, gradients and optimizer, as one GPU alone would hold them: with LoRA a frozen base, and all
// three of the adapters only.
double trained_states(Scenario alone)
{
    alone.parallel = {};
    alone.cluster.gpus = 1;
    alone.training.global_batch = alone.training.micro_batch;
    alone.training.schedule = Training{}.schedule;
    alone.training.offload = Offload::none;
    alone.training.offload_activations = 0;
    const MemoryReport memory = memory_report(alone);
    const StageMemory& all = memory.stages.front();
    return (all.total() - all.of(Component::activations) - all.of(Component::buffers)).value;
}

// Engines of this setup as the scenario's engine runs them; vLLM, where it names none.
Serving engine_of(const Scenario& scenario, const ServingSetup& engine)
{
    LoadSetup load;
    load.engine = engine;
    load.software = serving_engine(scenario);
    return serving_of(scenario, load);
}

// What does not depend on how many GPUs do which.
class Rollout
{
public:
    Rollout(const Scenario& scenario, const RolloutSetup& setup)
        : s_(scenario), setup_(legal(scenario, setup)), served_(serving_report(scenario, serving_of(setup_))),
          clock_(scenario, engine_of(scenario, served_.setup), engine_of(scenario, served_.setup).layout),
          lengths_(lognormal_lengths(setup_.samples, real(setup_.answer), setup_.spread, real(setup_.cap))),
          sync_(weight_sync_seconds(served_.model_weights.value)), states_(trained_states(scenario))
    {
        const ComputeReport c = compute_report(s_);
        const double seconds = step_time(s_).total();
        rate_ = seconds > 0 ? c.model_step.value / seconds / real(s_.cluster.gpus) : 0;
        const double tokens = real(setup_.samples) * (real(setup_.prompt) + mean_of(lengths_));
        forward_ = c.forward_token.value * tokens;
        passes_ = c.model_step.value / c.forward_token.value / real(s_.training.global_batch) /
                  real(s_.training.sequence_length);
    }

    // `dealings`: generation is the mean of so many ways to deal the responses to the engines, and the spans
    // are those of the first.
    RolloutReport at(double generating, std::int64_t dealings = 1) const
    {
        RolloutReport r;
        r.setup = setup_;
        r.setup.generating = generating;
        const std::int64_t gpus = s_.cluster.gpus;
        const bool apart = setup_.placement != RolloutPlacement::colocated;
        const auto engines = [&](double share)
        { return static_cast<std::int64_t>(share * real(gpus) / real(setup_.engine_gpus) + 1e-9); };
        r.engines = std::max<std::int64_t>(1, apart ? engines(generating) : engines(1));
        while (apart && r.engines > 1 && r.engines * setup_.engine_gpus >= gpus)
        {
            --r.engines;
        }
        r.rollout_gpus = r.engines * setup_.engine_gpus;
        r.training_gpus = apart ? gpus - r.rollout_gpus : gpus;
        r.batch = served_.most;
        generate(r, dealings);
        r.phases = phases(r.training_gpus);
        r.training = r.phases.total();
        r.sync = sync_;
        add_up(r);
        r.engine_bytes = served_.weights + real(held(r)) * served_.sequence;
        r.trainer_bytes = whole_bytes(states_ / real(r.training_gpus));
        return r;
    }
    const RolloutSetup& setup() const { return setup_; }

private:
    RolloutPhases phases(std::int64_t gpus) const
    {
        const double forward = rate_ > 0 ? forward_ / rate_ / real(gpus) : 0;
        return {setup_.reward_model ? forward : 0, forward, setup_.reference ? forward : 0,
                passes_ * forward};
    }
    double decode(double batch, double context) const
    {
        return clock_.time({.decoding = batch, .context = context}).total();
    }
    std::int64_t share_of(const RolloutReport& r) const
    {
        return (setup_.samples + r.engines - 1) / r.engines;
    }
    // Engines that never wait work on the responses of as many steps as may be in flight.
    std::int64_t held(const RolloutReport& r) const
    {
        const bool free = setup_.placement == RolloutPlacement::asynchronous;
        const double steps = free ? setup_.staleness_cap : 1;
        return std::min(served_.most, static_cast<std::int64_t>(steps * real(share_of(r))));
    }

    // In an order that knows nothing of lengths.
    std::vector<EngineSpan> dealt(const RolloutReport& r, std::int64_t batch, std::int64_t seed) const
    {
        const DecodingClock clock = [this](double b, double context) { return decode(b, context); };
        std::vector<double> all = lengths_;
        SplitMix random(static_cast<std::uint64_t>(seed));
        shuffle(all, random);
        std::vector<EngineSpan> spans;
        for (std::int64_t e = 0; e < std::min(r.engines, setup_.samples); ++e)
        {
            std::vector<double> own;
            for (std::int64_t i = e; i < setup_.samples; i += r.engines)
            {
                own.push_back(all[static_cast<std::size_t>(i)]);
            }
            spans.push_back(decoded(own, clock, batch, real(setup_.prompt)));
        }
        return spans;
    }
    void generate(RolloutReport& r, std::int64_t dealings) const
    {
        const std::int64_t batch = held(r);
        if (batch < 1)
        {
            return;
        }
        for (std::int64_t seed = 1; seed <= dealings; ++seed)
        {
            std::vector<EngineSpan> spans = dealt(r, batch, seed);
            r.generation += std::ranges::max(spans, {}, &EngineSpan::end).end / real(dealings);
            r.spans = seed == 1 ? std::move(spans) : std::move(r.spans);
        }
        // Full all the time: responses in flight are as old as half their own length, longer ones seen more
        // often.
        const double tokens = sum_over(lengths_, [](double l) { return l; });
        const double squares = sum_over(lengths_, [](double l) { return l * l; });
        const double context = real(setup_.prompt) + squares / tokens / 2;
        r.steady = tokens / real(r.engines) / real(batch) * decode(real(batch), context);
    }
    void add_up(RolloutReport& r) const
    {
        const double batch = real(held(r));
        r.flight = batch > 0
                       ? real(setup_.answer) * decode(batch, real(setup_.prompt) + real(setup_.answer) / 2)
                       : 0;
        r.step = rollout_step(r, 1);
        const bool free = setup_.placement == RolloutPlacement::asynchronous;
        r.staleness = setup_.placement == RolloutPlacement::one_step_off ? 1
                      : free && r.step > 0                               ? std::max(1.0, r.flight / r.step)
                                                                         : 0;
    }

    const Scenario& s_;
    RolloutSetup setup_;
    ServingReport served_;
    EngineClock clock_;
    std::vector<double> lengths_;
    double sync_;
    double states_;      // [B] of all that is trained and what it is trained beside
    double passes_ = 3;  // forwards that an update is: a backward is two of them (Kaplan et al. 2020, arXiv
                         // 2001.08361, section 2.1), beside frozen weights one
    double rate_ = 0;    // [FLOP/s] of one GPU that trains, model FLOPs
    double forward_ = 0; // [FLOP] of one forward over all tokens
};

} // namespace

double rollout_step(const RolloutReport& r, double slower)
{
    switch (r.setup.placement)
    {
    case RolloutPlacement::one_step_off:
        return std::max(slower * r.generation, r.training) + r.sync;
    case RolloutPlacement::asynchronous:
        return std::max({slower * r.steady, r.training + r.sync, slower * r.flight / r.setup.staleness_cap});
    default:
        return slower * r.generation + r.training + r.sync;
    }
}

double weight_sync_seconds(double bytes)
{
    constexpr double kFixed = 0.5; // [s]
    constexpr double kRate = 74e9; // [B/s]
    return bytes > 0 ? kFixed + bytes / kRate : 0;
}

RolloutReport rollout_report(const Scenario& scenario, RolloutSetup setup)
{
    const Rollout rollout(scenario, setup);
    return rollout.at(rollout.setup().generating);
}

std::vector<RolloutReport> rollout_split(const Scenario& scenario, RolloutSetup setup)
{
    constexpr std::int64_t kMostPoints = 24;
    constexpr std::int64_t kDealings = 16; // one alone makes the curve jagged
    if (setup.placement == RolloutPlacement::colocated)
    {
        setup.placement = RolloutPlacement::one_step_off;
    }
    const Rollout rollout(scenario, setup);
    const std::int64_t engines =
        std::max<std::int64_t>(1, (scenario.cluster.gpus - 1) / rollout.setup().engine_gpus);
    std::vector<RolloutReport> all;
    for (std::int64_t i = 1; i <= std::min(kMostPoints, engines); ++i)
    {
        const std::int64_t e = std::max<std::int64_t>(1, i * engines / std::min(kMostPoints, engines));
        all.push_back(
            rollout.at(real(e * rollout.setup().engine_gpus) / real(scenario.cluster.gpus), kDealings));
    }
    return all;
}

} // namespace ringside
