#include "core/evaluate/sensitivity.h"

#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/pipeline/simulate.h"
#include "core/scenario/choices.h"
#include "core/scenario/fields.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kMostTried = 100'000; // of a schedule that is tried
constexpr double kEach = 2000;         // what a move costs beside its operations

std::optional<Knob> knob_of(Dial dial)
{
    switch (dial)
    {
    case Dial::tensor:
        return Knob::tensor;
    case Dial::context:
        return Knob::context;
    case Dial::pipeline:
        return Knob::pipeline;
    case Dial::chunks:
        return Knob::chunks;
    case Dial::expert:
        return Knob::expert;
    case Dial::micro_batch:
        return Knob::micro_batch;
    case Dial::micro_batches:
        return Knob::micro_batches;
    case Dial::gpus:
        return Knob::gpus;
    default:
        return std::nullopt;
    }
}

// The next legal value below or above.
std::optional<Scenario> moved_once(const Scenario& s, Knob knob, bool up)
{
    const std::int64_t now = value_of(s, knob);
    const std::vector<std::int64_t> legal = legal_values(s, knob);
    if (up)
    {
        const auto next = std::upper_bound(legal.begin(), legal.end(), now);
        return next == legal.end() ? std::nullopt : std::optional(with(s, knob, *next));
    }
    const auto next = std::lower_bound(legal.begin(), legal.end(), now);
    return next == legal.begin() ? std::nullopt : std::optional(with(s, knob, *(next - 1)));
}

std::optional<Scenario> other_zero(Scenario s, bool up)
{
    // ZeRO-2 and -3 with a pipeline are refused by Megatron-LM and DeepSpeed, so nobody is sent there.
    const std::int64_t most = s.parallel.pipeline > 1 ? 1 : 3;
    s.parallel.zero += up ? 1 : -1;
    const bool shards = dense_replicas(s) > 1;
    return shards && s.parallel.zero >= 0 && s.parallel.zero <= most ? std::optional(s) : std::nullopt;
}

std::optional<Scenario> other_recompute(Scenario s, bool up)
{
    if (s.training.recompute == Recompute::alternate) // torchtitan has no other between none and full
    {
        s.training.recompute = up ? Recompute::full : Recompute::none;
        return s;
    }
    const int next = static_cast<int>(s.training.recompute) + (up ? 1 : -1);
    s.training.recompute = static_cast<Recompute>(next);
    return next >= 0 && next <= static_cast<int>(Recompute::full) ? std::optional(s) : std::nullopt;
}

// `value` is a switch of `s`.
std::optional<Scenario> switched(Scenario& s, bool& value, bool up, bool does_something = true)
{
    const bool can = value != up && does_something;
    value = up;
    return can ? std::optional(s) : std::nullopt;
}

std::optional<Scenario> moved(Scenario s, Dial dial, bool up)
{
    if (const auto knob = knob_of(dial))
    {
        return moved_once(s, *knob, up);
    }
    Parallel& p = s.parallel;
    const Overlaps can = possible_overlaps(s);
    switch (dial)
    {
    case Dial::zero:
        return other_zero(std::move(s), up);
    case Dial::recompute:
        return other_recompute(std::move(s), up);
    case Dial::flash_attention:
        return switched(s, s.training.flash_attention, up);
    case Dial::sequence_parallel:
        return switched(s, p.sequence_parallel, up, p.tensor > 1);
    case Dial::overlap_tensor:
        return switched(s, p.overlap_tensor, up, can.tensor);
    case Dial::overlap_expert:
        return switched(s, p.overlap_expert, up, can.expert);
    case Dial::overlap_pipeline:
        return switched(s, p.overlap_pipeline, up, can.pipeline);
    case Dial::node_link:
        s.cluster.node_link_gb_per_s = node_link(s.cluster) * (up ? 2 : 0.5);
        return s;
    case Dial::network:
        s.cluster.network_gb_per_s *= up ? 2 : 0.5;
        return s;
    default:
        return std::nullopt;
    }
}

double operations(const Scenario& s)
{
    return operations_of(s.training.schedule, pipeline_shape(s));
}

} // namespace

std::string shown_value(const Scenario& s, Dial dial)
{
    if (const auto knob = knob_of(dial))
    {
        return grouped(value_of(s, *knob));
    }
    const auto on = [](bool value) { return value ? "on" : "off"; };
    switch (dial)
    {
    case Dial::zero:
        return std::to_string(s.parallel.zero);
    case Dial::schedule:
        return std::string(s.training.schedule->name);
    case Dial::recompute:
        return std::string(name_of(s.training.recompute));
    case Dial::sequence_parallel:
        return on(s.parallel.sequence_parallel);
    case Dial::flash_attention:
        return on(s.training.flash_attention);
    case Dial::overlap_tensor:
        return on(s.parallel.overlap_tensor);
    case Dial::overlap_expert:
        return on(s.parallel.overlap_expert);
    case Dial::overlap_pipeline:
        return on(s.parallel.overlap_pipeline);
    case Dial::node_link:
        return plain_number(node_link(s.cluster)) + " GB/s";
    default:
        return plain_number(s.cluster.network_gb_per_s) + " GB/s";
    }
}

bool is_hardware(Dial dial)
{
    return dial == Dial::gpus || dial == Dial::node_link || dial == Dial::network;
}

double time_change(const Scenario& before, const StepTime& now, const Scenario& after, const StepTime& then)
{
    if (now.tokens == then.tokens && before.cluster.gpus == after.cluster.gpus)
    {
        return then.total() - now.total();
    }
    const double gpus = static_cast<double>(after.cluster.gpus) / static_cast<double>(before.cluster.gpus);
    return then.total() * (now.tokens / then.tokens) * gpus - now.total();
}

Sensitivity::Sensitivity(Scenario scenario, const StepTime& now) : scenario_(std::move(scenario)), now_(now)
{
    for (std::size_t i = 0; i < kDials; ++i)
    {
        const auto dial = static_cast<Dial>(i);
        if (dial != Dial::schedule)
        {
            wanted_.push_back({dial, false, nullptr});
            wanted_.push_back({dial, true, nullptr});
            continue;
        }
        for (const ScheduleKind kind : schedules())
        {
            if (scenario_.parallel.pipeline > 1 && kind != scenario_.training.schedule)
            {
                wanted_.push_back({dial, true, kind});
            }
        }
    }
}

bool Sensitivity::advance(double budget)
{
    while (!done() && budget > 0)
    {
        budget -= operations(scenario_) + kEach;
        try_one(wanted_[next_]);
        ++next_;
    }
    return !done();
}

void Sensitivity::try_one(const Wanted& wanted)
{
    std::optional<Scenario> after = wanted.schedule != nullptr ? with_schedule(scenario_, wanted.schedule)
                                                               : moved(scenario_, wanted.dial, wanted.up);
    if (!after || operations(*after) > kMostTried || has_errors(validate(*after)))
    {
        return;
    }
    DialMove move{wanted.dial, wanted.up, std::move(*after), {}, 0, false};
    move.step = step_time(move.after);
    move.change = time_change(scenario_, now_, move.after, move.step);
    move.fits = memory_report(move.after).fits();
    keep(std::move(move));
}

void Sensitivity::keep(DialMove move)
{
    const auto helps = [](const DialMove& m) { return m.fits && m.change < 0; };
    const auto same = std::find_if(found_.begin(), found_.end(),
                                   [&](const DialMove& m) { return m.dial == move.dial && m.up == move.up; });
    if (same == found_.end())
    {
        found_.push_back(std::move(move));
    }
    else if (helps(move) != helps(*same) ? helps(move) : move.change < same->change)
    {
        *same = std::move(move);
    }
}

const DialMove* Sensitivity::find(Dial dial, bool up) const
{
    const auto at = std::find_if(found_.begin(), found_.end(),
                                 [&](const DialMove& m) { return m.dial == dial && m.up == up; });
    return at == found_.end() ? nullptr : &*at;
}

const DialMove* Sensitivity::best() const
{
    const DialMove* best = nullptr;
    for (const DialMove& move : found_)
    {
        if (move.fits && move.change < (best != nullptr ? best->change : 0) && !is_hardware(move.dial))
        {
            best = &move;
        }
    }
    return best;
}

} // namespace ringside
