#include "core/reliability/incidents/run.h"

#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ringside
{

namespace
{

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kFloor = 2.25;      // nats per token that no training removes
constexpr double kStart = 8.6;       // above the floor, of weights that know nothing
constexpr double kProgress = 0.0014; // 1 / excess grows by so much a step at the full rate
constexpr double kTakes = 1.6;       // learning rate that a warmed-up model takes
constexpr double kGrowth = 0.15;     // of the instability, per step and relative excess of the rate
constexpr double kLargest16 = 16;    // log2 of fp16's largest number, 65504, to 0.001
constexpr std::int64_t kBadBatches = 4;
constexpr std::int64_t kAdamMemory = 25; // steps until Adam's moments stand for themselves again
constexpr std::int64_t kScaleUp = 150;   // steps without overflow after which the scale doubles

// What is in force: the set-up with what the fault does to it and the remedy takes away.
struct Plan
{
    RunSetup setup;
    bool bad_batches = false;
    bool bad_memory = false;
    bool wrong_rank = false;
    bool repeats = false;
    bool grows = false;        // activations, until fp16 ends
    bool rises = false;        // gradients, against a fixed scale
    std::int64_t forgets = -1; // step whose restart loads weights alone
    std::int64_t skip_at = -1; // step from which kSkippedBatches batches are left out
    std::int64_t warm_from = 0;
    std::int64_t nan_at = -1;
};

struct State
{
    std::int64_t step = 0;
    std::int64_t batch = 0;
    double excess = kStart;
    double wobble = 1e-3; // instability, in nats
    double knock = 0;     // heals
    double scar = 0;      // does not
    double remembered = 0;
    double overfit = 0;
    double scale = 15;               // log2
    double activation = 0;           // log2 of the largest, above where it started
    std::int64_t good = 0;           // steps since the last overflow
    std::int64_t loaded = 1'000'000; // steps since Adam's moments were lost
    bool dead = false;
};

double noise(const Incident& i, std::int64_t at, std::uint64_t stream)
{
    SplitMix rng(i.seed * 1'000'003 + static_cast<std::uint64_t>(at) * 9176 + stream * 77'777'777);
    return rng.normal();
}

Plan plan_of(const Incident& i)
{
    Plan p;
    p.setup = i.setup;
    p.bad_batches = i.fault == Fault::bad_batch;
    p.bad_memory = i.fault == Fault::bad_memory;
    p.wrong_rank = i.fault == Fault::wrong_rank;
    p.repeats = i.fault == Fault::repeated_data;
    p.grows = i.fault == Fault::overflow;
    p.rises = i.fault == Fault::fixed_scale;
    p.forgets = i.fault == Fault::optimizer_lost ? i.restart : -1;
    p.nan_at = p.bad_memory ? i.at : -1;
    return p;
}

double rate_at(const Plan& p, std::int64_t step)
{
    const auto since = static_cast<double>(step - p.warm_from);
    const auto rise = static_cast<double>(p.setup.warmup);
    const double warm = since < rise ? (since + 1) / rise : 1;
    const double share = static_cast<double>(step) / static_cast<double>(kIncidentSteps);
    return p.setup.rate * warm * (0.7 + 0.3 * std::cos(std::numbers::pi * share));
}

// Young weights take less (Gilmer et al. 2021: warm-up flattens what is sharp at first).
double takes_at(std::int64_t step)
{
    return kTakes * (0.15 + 0.85 * std::min(1.0, static_cast<double>(step) / 120));
}

struct Gradient
{
    double plain = 0; // without what is wrong with it
    double norm = 0;
    double used = 0; // after clipping
    bool bad = false;
};

Gradient gradient_of(const Incident& i, const Plan& p, const State& s)
{
    Gradient g;
    g.bad = p.bad_batches && s.batch >= i.at && s.batch < i.at + kBadBatches;
    g.plain = (0.30 + 0.09 * s.excess) * std::exp(0.12 * noise(i, s.batch, 1));
    g.norm = g.plain * (1 + 6 * s.wobble) * (g.bad ? 30 * std::exp(0.2 * noise(i, s.batch, 2)) : 1) *
             (s.loaded < kAdamMemory ? 3 : 1);
    g.used = p.setup.clip ? std::min(g.norm, *p.setup.clip) : g.norm;
    return g;
}

// True where this step's gradients or activations do not fit fp16, so that it is skipped.
bool overflows(const Incident& i, const Plan& p, const State& s, const Gradient& g)
{
    if (!p.setup.fp16)
    {
        return false;
    }
    // So that gradients start to reach the end of fp16 where the fault sets in, at a scale of 2^15.
    const double rise = p.rises ? std::max(0.0, 1.95 + 0.004 * static_cast<double>(s.step - i.at)) : 0;
    return s.activation >= kLargest16 || std::log2(g.norm) + s.scale + rise > kLargest16;
}

void scale_step(const Plan& p, State& s, bool overflow)
{
    if (!p.setup.fp16 || !p.setup.adaptive_scale)
    {
        return;
    }
    s.good = overflow ? 0 : s.good + 1;
    if (overflow)
    {
        s.scale = std::max(0.0, s.scale - 1);
    }
    else if (s.good % kScaleUp == 0)
    {
        s.scale += 1;
    }
}

void learn(const Incident& i, const Plan& p, State& s, const Gradient& g, double rate)
{
    // Clipping every step alike changes nothing, since Adam divides by the norm it sees.
    const double over = rate / takes_at(s.step) - 1;
    const double most = 1.5 + 0.7 * (kStart - s.excess);
    s.wobble =
        std::clamp(s.wobble * std::exp(kGrowth * over) + 1e-4 * std::fabs(noise(i, s.batch, 3)), 1e-4, most);
    s.scar += s.wobble > 0.3 ? 0.003 * s.wobble : 0;
    s.knock *= std::exp(-rate / 45);
    const double hit =
        (g.bad ? 0.02 * g.used / g.plain : 0) * rate + (s.loaded < kAdamMemory ? 0.11 * rate : 0);
    s.knock += hit;
    s.scar += 0.13 * hit + (p.wrong_rank && s.step >= i.at ? 0.0012 * rate : 0);
    if (p.repeats && s.step >= i.at)
    {
        s.remembered = 0.45 * (1 - std::exp(-static_cast<double>(s.step - i.at) / 50));
        s.overfit += 0.0006;
    }
    else
    {
        s.remembered *= 0.95;
        // Near the best rate its size hardly matters (Wortsman et al. 2023: low sensitivity of the loss).
        const double gain = std::min(1.1, std::pow(rate, 0.35)) / (1 + 2 * s.wobble);
        s.excess -= kProgress * gain * s.excess * s.excess;
    }
    s.activation += p.grows ? 0.01 * rate : 0;
}

double apart_at(const Incident& i, const Plan& p, const State& s)
{
    const double usual = 1.1 + 0.05 * std::fabs(noise(i, s.batch, 4));
    return s.dead && p.bad_memory           ? kNaN
           : p.wrong_rank && s.step >= i.at ? usual + 0.6 + 0.05 * noise(i, s.batch, 5)
                                            : usual;
}

IncidentStep shown(const Incident& i, const Plan& p, const State& s, const Gradient& g, bool overflow)
{
    const double level = kFloor + s.excess + s.wobble + s.knock + s.scar;
    const bool forward = p.setup.fp16 && s.activation >= kLargest16;
    IncidentStep step;
    step.rate = rate_at(p, s.step);
    step.scale = p.setup.fp16 ? std::exp2(s.scale) : 0;
    step.apart = apart_at(i, p, s);
    step.skipped = overflow;
    step.loss = s.dead || forward ? kNaN : level - s.remembered + 0.02 * noise(i, s.batch, 6);
    step.held = s.dead || forward ? kNaN : level + s.overfit + 0.03;
    step.norm = s.dead || overflow ? kNaN : g.norm;
    return step;
}

IncidentStep advance(const Incident& i, const Plan& p, State& s)
{
    s.batch += s.step == p.skip_at ? kSkippedBatches : 0;
    s.loaded = s.step == p.forgets ? 0 : s.loaded + 1;
    s.dead = s.dead || s.step == p.nan_at;
    const Gradient g = gradient_of(i, p, s);
    const bool overflow = overflows(i, p, s, g);
    const IncidentStep step = shown(i, p, s, g, overflow);
    scale_step(p, s, overflow);
    if (!overflow && !s.dead)
    {
        learn(i, p, s, g, step.rate);
    }
    ++s.step;
    ++s.batch;
    return step;
}

// Activations that start so far below the end of fp16 that they reach it where the fault sets in.
State first_state(const Incident& i, const Plan& p)
{
    State s;
    const double grown = sum_over(i.at, [&](std::int64_t step) { return 0.01 * rate_at(p, step); });
    s.activation = p.grows ? kLargest16 - grown : 0;
    return s;
}

IncidentRun run_on(const Incident& i, const Plan& p, State s)
{
    IncidentRun run;
    run.from = s.step;
    run.steps.reserve(static_cast<std::size_t>(kIncidentSteps));
    while (s.step < kIncidentSteps)
    {
        run.steps.push_back(advance(i, p, s));
    }
    return run;
}

State state_at(const Incident& i, const Plan& p, std::int64_t step)
{
    State s = first_state(i, p);
    while (s.step < step)
    {
        advance(i, p, s);
    }
    return s;
}

// Whatever is done begins with going back, so a fault that lies in going back happens again.
Plan treated_plan(const Incident& i, Remedy remedy, std::int64_t checkpoint)
{
    Plan p = plan_of(i);
    p.forgets = i.fault == Fault::optimizer_lost ? checkpoint : -1;
    p.nan_at = p.bad_memory ? std::max(checkpoint + 40, i.at + 70) : -1;
    switch (remedy)
    {
    case Remedy::skip_batches:
        p.skip_at = checkpoint;
        break;
    case Remedy::clip:
        p.setup.clip = 1;
        break;
    case Remedy::lower_rate:
        p.setup.rate /= 2;
        break;
    case Remedy::warm_up:
        p.setup.warmup = 100;
        p.warm_from = checkpoint;
        break;
    case Remedy::adapt_scale:
        p.setup.adaptive_scale = true;
        break;
    case Remedy::use_bf16:
        p.setup.fp16 = false;
        break;
    case Remedy::isolate:
        p.bad_memory = p.wrong_rank = false;
        p.nan_at = -1;
        break;
    case Remedy::fix_data:
        p.repeats = false;
        break;
    case Remedy::load_all:
        p.forgets = -1;
        break;
    }
    return p;
}

double end_of(const IncidentRun& run)
{
    double sum = 0;
    const std::size_t count = std::min<std::size_t>(50, run.steps.size());
    for (std::size_t k = run.steps.size() - count; k < run.steps.size(); ++k)
    {
        sum += run.steps[k].held;
    }
    return count > 0 ? sum / static_cast<double>(count) : kNaN;
}

Outcome judged(double end, double untreated, double healthy)
{
    constexpr double kSame = 0.1;
    if (!std::isfinite(end))
    {
        return std::isfinite(untreated) ? Outcome::worse : Outcome::nothing;
    }
    if (end < healthy + kSame)
    {
        return Outcome::cured;
    }
    if (!std::isfinite(untreated) || end < untreated - kSame)
    {
        return Outcome::helps;
    }
    return end > untreated + kSame ? Outcome::worse : Outcome::nothing;
}

} // namespace

IncidentRun run_untreated(const Incident& incident)
{
    const Plan plan = plan_of(incident);
    IncidentRun run = run_on(incident, plan, first_state(incident, plan));
    run.restarts = {incident.restart};
    return run;
}

IncidentRun run_treated(const Incident& incident, Remedy remedy, std::int64_t checkpoint)
{
    const std::int64_t from =
        std::clamp<std::int64_t>(checkpoint / kCheckpointEvery * kCheckpointEvery, 0, incident.noticed);
    const State state = state_at(incident, plan_of(incident), from);
    IncidentRun run = run_on(incident, treated_plan(incident, remedy, from), state);
    run.restarts = {from};
    return run;
}

IncidentRun run_healthy(const Incident& incident)
{
    Incident healthy = incident;
    healthy.setup = RunSetup{};
    const Plan plan{};
    return run_on(healthy, plan, State{});
}

Treatment treat(const Incident& incident, Remedy remedy, std::int64_t checkpoint)
{
    Treatment t;
    t.run = run_treated(incident, remedy, checkpoint);
    t.end = end_of(t.run);
    t.untreated = end_of(run_untreated(incident));
    t.healthy = end_of(run_healthy(incident));
    t.outcome = judged(t.end, t.untreated, t.healthy);
    t.lost = incident.noticed - t.run.from;
    return t;
}

} // namespace ringside
