#include "ui/views/memory/offload/shelves.h"

#include "core/scenario/choices.h"
#include "core/scenario/validate.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<std::string_view, kOffloads> kBrief{"nothing", "optimizer, host", "optimizer, NVMe",
                                                         "+ weights, host", "+ weights, NVMe"};
constexpr std::size_t kSamples = 33;

// Every step the tokens can take, ascending.
std::vector<Scenario> stops(const Scenario& s)
{
    std::vector<Scenario> found;
    const bool larger = offloads_weights(s.training.offload);
    const std::int64_t count = micro_batches(s);
    for (std::int64_t power = 1; power <= 4096; power *= 2)
    {
        for (const std::int64_t halves : {2, 3})
        {
            if (power * halves % 2 != 0)
            {
                continue;
            }
            const std::int64_t value = power * halves / 2;
            Scenario next = with(s, larger ? Knob::micro_batch : Knob::micro_batches, value);
            if (larger)
            {
                next = with(next, Knob::micro_batches, count);
            }
            if (!has_errors(validate(next)))
            {
                found.push_back(std::move(next));
            }
        }
    }
    return found;
}

} // namespace

std::string_view brief_of(Offload placement)
{
    return kBrief.at(static_cast<std::size_t>(placement));
}

double tokens_of(const Scenario& s)
{
    return static_cast<double>(micro_batches(s) * s.training.micro_batch * s.training.sequence_length) /
           static_cast<double>(s.parallel.context);
}

Scenario with_tokens(const Scenario& scenario, double tokens)
{
    Scenario best = scenario;
    const auto distance = [&](const Scenario& s) { return std::abs(std::log(tokens_of(s) / tokens)); };
    for (const Scenario& stop : stops(scenario))
    {
        best = distance(stop) < distance(best) ? stop : best;
    }
    return best;
}

Scenario with_tokens_stepped(const Scenario& scenario, int steps)
{
    const double now = tokens_of(scenario);
    Scenario best = scenario;
    for (const Scenario& stop : stops(scenario))
    {
        const double at = tokens_of(stop);
        if (steps < 0 && at < now)
        {
            best = stop; // the last below
        }
        if (steps > 0 && at > now)
        {
            return stop;
        }
    }
    return best;
}

const OffloadReport& Shelves::timed() const
{
    return supposed() ? of(Offload::optimizer_cpu) : placed();
}

void Shelves::sample() const
{
    const OffloadReport& r = timed();
    curve_.clear();
    moments_.assign(1, 0);
    if (!r.possible || r.tokens <= 0)
    {
        return;
    }
    // About the break-even and everything the tokens can be, but not about where they are: the axis would run
    // away from the mouse that drags them.
    const std::vector<Scenario> reach = stops(scenario_);
    double low = r.tokens;
    double high = r.tokens;
    for (const Scenario& stop : reach)
    {
        low = std::min(low, tokens_of(stop));
        high = std::max(high, tokens_of(stop));
    }
    if (r.break_even() > 0)
    {
        low = std::min(low, r.break_even() / 3);
        high = std::max(std::min(high, r.break_even() * 100), std::max(r.break_even() * 3, r.tokens));
    }
    std::vector<double> tokens;
    for (std::size_t i = 0; i < kSamples; ++i)
    {
        tokens.push_back(low *
                         std::pow(high / low, static_cast<double>(i) / static_cast<double>(kSamples - 1)));
    }
    const std::vector<double> totals = offload_totals(scenario_, r.options, tokens);
    for (std::size_t i = 0; i < kSamples; ++i)
    {
        curve_.push_back({tokens[i], tokens[i] * r.token_seconds(), totals[i]});
    }
    for (const OffloadTask& task : r.tasks)
    {
        moments_.push_back(task.start);
        moments_.push_back(task.end);
    }
    std::sort(moments_.begin(), moments_.end());
    const double least = 1e-9 * r.shown_total;
    moments_.erase(
        std::unique(moments_.begin(), moments_.end(), [least](double a, double b) { return b - a <= least; }),
        moments_.end());
}

void Shelves::update(const Scenario& scenario, bool delayed) const
{
    if (!stale_ && delayed == delayed_ && scenario_ == scenario)
    {
        return;
    }
    stale_ = false;
    scenario_ = scenario;
    delayed_ = delayed;
    for (const Offload placement : kPlacements)
    {
        reports_[static_cast<std::size_t>(placement)] = offload_report(scenario, {placement, delayed});
    }
    sample();
}

} // namespace ringside
