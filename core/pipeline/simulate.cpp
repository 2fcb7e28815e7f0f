// One file, since the simulator, the timeline it makes and what is asked of that go together.
#include "core/pipeline/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace ringside
{

namespace
{

Issue refuse(std::size_t rank, const std::string& says, const char* hint)
{
    return {fmt::format("rank {}", rank), says, hint};
}

// Where each operation stands in the timeline, by what it is. The input gradient and the whole backward share
// a place: either hands the stage before its gradient.
class Places
{
public:
    Places(const Order& order, std::int64_t stages) : stages_(stages)
    {
        for (const auto& ops : order)
        {
            for (const Operation& op : ops)
            {
                micro_batches_ = std::max<std::int64_t>(micro_batches_, op.micro_batch + 1);
            }
        }
        at_.assign(static_cast<std::size_t>(3 * stages_ * micro_batches_), -1);
    }

    std::int32_t& of(Pass pass, std::int64_t stage, std::int64_t micro_batch)
    {
        const std::int64_t row = pass == Pass::forward ? 0 : pass == Pass::weight ? 2 : 1;
        return at_[static_cast<std::size_t>((row * stages_ + stage) * micro_batches_ + micro_batch)];
    }

private:
    std::int64_t stages_;
    std::int64_t micro_batches_ = 0;
    std::vector<std::int32_t> at_;
};

class Simulator
{
public:
    Simulator(const Order& order, const Costs& costs)
        : order_(order), costs_(costs), stages_(static_cast<std::int64_t>(costs.stages.size())),
          places_(order, stages_)
    {
    }

    Result<Timeline> run()
    {
        const Issues issues = place();
        if (!issues.empty())
        {
            return issues;
        }
        const std::size_t ranks = order_.size();
        next_.assign(ranks, 0);
        free_.assign(ranks, 0);
        kept_.assign(ranks, 0);
        timeline_.busy.assign(ranks, 0);
        timeline_.peak_in_flight.assign(ranks, 0);
        std::vector<std::size_t>& to_try = to_try_;
        to_try.resize(ranks);
        std::iota(to_try.rbegin(), to_try.rend(), std::size_t{0});
        run_all();
        // Several ranks may wait for one operation in orders nobody would write; only the last of them is
        // woken.
        for (std::size_t r = 0; r < ranks; ++r)
        {
            if (next_[r] < order_[r].size() && step(r))
            {
                to_try.push_back(r);
                run_all();
                r = 0;
            }
        }
        return finish();
    }

private:
    // Not there: an operation that needs nothing, and one whose input is nowhere in the order.
    static constexpr std::int32_t kNone = -1;
    static constexpr std::int32_t kMissing = -2;
    static constexpr double kNotYet = -1;

    Issues place()
    {
        const std::size_t ranks = order_.size();
        timeline_.first.assign(ranks + 1, 0);
        std::size_t index = 0;
        for (std::size_t r = 0; r < ranks; ++r)
        {
            for (const Operation& op : order_[r])
            {
                std::int32_t& at = places_.of(op.pass, op.stage, op.micro_batch);
                if (at >= 0)
                {
                    return {refuse(r, to_text(op) + " does what another operation has done",
                                   "list every operation once; B is I and W in one")};
                }
                at = static_cast<std::int32_t>(index);
                ++index;
            }
            timeline_.first[r + 1] = index;
        }
        timeline_.events.resize(index);
        there_.assign(index, kNotYet);
        waiter_.assign(index, kNone);
        return {};
    }

    void run_all()
    {
        while (!to_try_.empty())
        {
            const std::size_t r = to_try_.back();
            to_try_.pop_back();
            while (next_[r] < order_[r].size() && step(r))
            {
            }
        }
    }

    bool on(std::size_t rank, std::int32_t index) const
    {
        const auto at = static_cast<std::size_t>(index);
        return timeline_.first[rank] <= at && at < timeline_.first[rank + 1];
    }

    // The operation whose result `op` needs.
    std::int32_t needed_by(const Operation& op)
    {
        std::int32_t found = kNone;
        if (op.pass == Pass::forward)
        {
            if (op.stage == 0)
            {
                return kNone;
            }
            found = places_.of(Pass::forward, op.stage - 1, op.micro_batch);
        }
        else if (op.pass == Pass::weight)
        {
            found = places_.of(Pass::input, op.stage, op.micro_batch);
        }
        else
        {
            found = op.stage + 1 < stages_ ? places_.of(Pass::input, op.stage + 1, op.micro_batch)
                                           : places_.of(Pass::forward, op.stage, op.micro_batch);
        }
        return found < 0 ? kMissing : found;
    }

    // False where `index` has not run: it will wake rank r when it has.
    bool has_run(std::int32_t index, std::size_t r)
    {
        if (index < 0 || there_[static_cast<std::size_t>(index)] < 0)
        {
            if (index >= 0)
            {
                waiter_[static_cast<std::size_t>(index)] = static_cast<std::int32_t>(r);
            }
            return false;
        }
        return true;
    }

    // Whether everything `op` needs has run; when its input is there goes to the event.
    bool ready(std::size_t r, const Operation& op, Event& event)
    {
        event.waited_for = needed_by(op);
        event.ready = 0;
        if (event.waited_for != kNone)
        {
            if (!has_run(event.waited_for, r))
            {
                return false;
            }
            event.ready = there_[static_cast<std::size_t>(event.waited_for)] +
                          (on(r, event.waited_for) ? 0 : costs_.transfer);
        }
        const bool back = op.pass == Pass::backward || op.pass == Pass::input;
        return !back || has_run(places_.of(Pass::forward, op.stage, op.micro_batch), r);
    }

    // Whether its result goes to another rank.
    bool sends(const Operation& op, std::size_t r)
    {
        std::int32_t to = kNone;
        if (op.pass == Pass::forward && op.stage + 1 < stages_)
        {
            to = places_.of(Pass::forward, op.stage + 1, op.micro_batch);
        }
        else if ((op.pass == Pass::input || op.pass == Pass::backward) && op.stage > 0)
        {
            to = places_.of(Pass::input, op.stage - 1, op.micro_batch);
        }
        return to >= 0 && !on(r, to);
    }

    // Runs the next operation of rank r, or the next two where they run together.
    bool step(std::size_t r)
    {
        const std::size_t index = timeline_.first[r] + next_[r];
        const Operation* ops = &order_[r][next_[r]];
        const std::size_t count = ops->with_next && next_[r] + 1 < order_[r].size() ? 2 : 1;
        double at = free_[r];
        for (std::size_t k = 0; k < count; ++k)
        {
            Event& e = timeline_.events[index + k];
            if (!ready(r, ops[k], e))
            {
                return false;
            }
            at = std::max(at, e.ready);
        }
        bool sent = false;
        for (std::size_t k = 0; k < count; ++k)
        {
            const double time = costs_.stages[static_cast<std::size_t>(ops[k].stage)].of(ops[k].pass);
            at = record(r, index + k, ops[k], at, count > 1 ? time * costs_.pair : time);
            sent = sent || (costs_.blocking && sends(ops[k], r));
        }
        free_[r] = at + (sent ? costs_.transfer : 0);
        next_[r] += count;
        for (std::size_t k = index; k < index + count; ++k)
        {
            there_[k] = at; // of a pair not before both are done
            if (waiter_[k] >= 0)
            {
                to_try_.push_back(static_cast<std::size_t>(waiter_[k]));
            }
        }
        return true;
    }

    double record(std::size_t r, std::size_t index, const Operation& op, double start, double time)
    {
        Event& e = timeline_.events[index];
        e.operation = op;
        e.rank = static_cast<std::int32_t>(r);
        e.start = start;
        e.end = start + time;
        timeline_.busy[r] += e.end - e.start;
        timeline_.transfers += e.waited_for >= 0 && !on(r, e.waited_for) ? 1 : 0;
        kept_[r] += op.pass == Pass::forward ? 1 : 0;
        e.held = kept_[r];
        timeline_.peak_in_flight[r] = std::max<std::int64_t>(timeline_.peak_in_flight[r], kept_[r]);
        kept_[r] -= op.pass == Pass::backward || op.pass == Pass::weight ? 1 : 0;
        return e.end;
    }

    Result<Timeline> finish()
    {
        for (std::size_t r = 0; r < order_.size(); ++r)
        {
            if (next_[r] < order_[r].size())
            {
                return stuck(r);
            }
            timeline_.makespan = std::max(
                timeline_.makespan, order_[r].empty() ? 0 : timeline_.events[timeline_.first[r + 1] - 1].end);
        }
        return std::move(timeline_);
    }

    Issue stuck(std::size_t r)
    {
        // Where two run together, the second is taken as the first is ready.
        Event unused;
        const bool second = order_[r][next_[r]].with_next && next_[r] + 1 < order_[r].size() &&
                            ready(r, order_[r][next_[r]], unused);
        const Operation& op = order_[r][next_[r] + (second ? 1 : 0)];
        std::int32_t cause = needed_by(op);
        if (cause >= 0 && there_[static_cast<std::size_t>(cause)] >= 0)
        {
            cause = places_.of(Pass::forward, op.stage,
                               op.micro_batch); // its input is there, its own forward not
        }
        if (cause < 0)
        {
            return refuse(r, to_text(op) + " waits for something that never runs",
                          "list a forward before its backward, and every stage before the next");
        }
        const auto at = static_cast<std::size_t>(cause);
        const auto rank =
            static_cast<std::size_t>(std::upper_bound(timeline_.first.begin(), timeline_.first.end(), at) -
                                     timeline_.first.begin() - 1);
        return refuse(r,
                      fmt::format("{} waits for {} on rank {}, which waits in turn", to_text(op),
                                  to_text(order_[rank][at - timeline_.first[rank]]), rank),
                      "no rank may start with what another has yet to send; change the order of one of them");
    }

    const Order& order_;
    const Costs& costs_;
    std::int64_t stages_;
    Places places_;
    std::vector<double> there_;        // [event] when its result is there; kNotYet before it has run
    std::vector<std::int32_t> waiter_; // [event] the rank that waits for it
    std::vector<std::size_t> next_;    // [rank] operations that have run
    std::vector<double> free_;         // [rank] when it can start the next
    std::vector<std::int32_t> kept_;   // [rank]
    std::vector<std::size_t> to_try_;  // ranks whose next operation may be able to start
    Timeline timeline_;
};

double over_ideal(const Timeline& t, double length)
{
    const double busiest = t.busy.empty() ? 0 : *std::max_element(t.busy.begin(), t.busy.end());
    return busiest > 0 ? (length - busiest) / busiest : 0;
}

double of_total(const Timeline& t, double length)
{
    const double worked = std::accumulate(t.busy.begin(), t.busy.end(), 0.0);
    return length > 0 && !t.busy.empty() ? 1 - worked / (length * static_cast<double>(t.busy.size())) : 0;
}

} // namespace

double Timeline::span(std::size_t r) const
{
    const auto events_of = rank(r);
    return events_of.empty() ? 0 : events_of.back().end - events_of.front().start;
}

double Timeline::longest_span() const
{
    double longest = 0;
    for (std::size_t r = 0; r < ranks(); ++r)
    {
        longest = std::max(longest, span(r));
    }
    return longest;
}

double Timeline::bubble_over_ideal() const
{
    return over_ideal(*this, makespan);
}

double Timeline::bubble_of_total() const
{
    return of_total(*this, makespan);
}

double Timeline::span_bubble_over_ideal() const
{
    return over_ideal(*this, longest_span());
}

double Timeline::span_bubble_of_total() const
{
    return of_total(*this, longest_span());
}

double operations_of(ScheduleKind kind, const ScheduleShape& s)
{
    return (kind->splits_backward ? 3.0 : 2.0) * static_cast<double>(s.stages) *
           static_cast<double>(s.micro_batches) * static_cast<double>(s.chunks);
}

namespace
{

// Whether every rank's operations begin one after the other and end within the makespan. Two may overlap: a
// forward and a backward that DualPipe runs together.
[[maybe_unused]] bool runs_in_order(const Timeline& timeline)
{
    for (std::size_t r = 0; r < timeline.ranks(); ++r)
    {
        const auto events = timeline.rank(r);
        const bool sorted = std::ranges::is_sorted(events, {}, &Event::start);
        const bool inside =
            std::ranges::all_of(events, [&](const Event& e)
                                { return 0 <= e.start && e.start <= e.end && e.end <= timeline.makespan; });
        if (!sorted || !inside || timeline.first[r] > timeline.first[r + 1])
        {
            return false;
        }
    }
    return timeline.first.back() == timeline.events.size();
}

} // namespace

Result<Timeline> simulate(const Order& order, const Costs& costs)
{
    for (std::size_t r = 0; r < order.size(); ++r)
    {
        for (const Operation& op : order[r])
        {
            if (op.stage < 0 || static_cast<std::size_t>(op.stage) >= costs.stages.size() ||
                op.micro_batch < 0)
            {
                return Issue{fmt::format("rank {}", r), to_text(op) + " names a stage that does not exist",
                             costs.stages.empty()
                                 ? "give the times of at least one stage"
                                 : fmt::format("stages are 0 to {}", costs.stages.size() - 1)};
            }
        }
    }
    auto timeline = Simulator(order, costs).run();
    assert(!timeline || runs_in_order(*timeline));
    return timeline;
}

std::vector<RankState> state_at(const Timeline& timeline, double t)
{
    std::vector<RankState> states(timeline.ranks());
    for (std::size_t r = 0; r < states.size(); ++r)
    {
        const auto events = timeline.rank(r);
        const auto next = std::upper_bound(events.begin(), events.end(), t,
                                           [](double at, const Event& e) { return at < e.start; });
        if (next == events.begin())
        {
            continue;
        }
        const Event& last = *std::prev(next);
        const bool frees = last.operation.pass == Pass::backward || last.operation.pass == Pass::weight;
        states[r].in_flight = last.held - (frees && last.end <= t ? 1 : 0);
        if (t < last.end)
        {
            states[r].running = static_cast<std::size_t>(&last - timeline.events.data());
        }
    }
    return states;
}

std::optional<double> next_moment(const Timeline& timeline, double t)
{
    constexpr double kSame = 1e-9;
    std::optional<double> found;
    const auto offer = [&](double moment)
    {
        if (moment > t + kSame && (!found || moment < *found))
        {
            found = moment;
        }
    };
    for (std::size_t r = 0; r < timeline.ranks(); ++r)
    {
        const auto events = timeline.rank(r);
        const auto next = std::upper_bound(events.begin(), events.end(), t + kSame,
                                           [](double at, const Event& e) { return at < e.end; });
        if (next != events.end())
        {
            offer(next->start);
            offer(next->end);
        }
    }
    return found;
}

std::vector<std::size_t> path_of(const Timeline& timeline, std::int32_t micro_batch)
{
    std::vector<std::size_t> path;
    for (std::size_t k = 0; k < timeline.events.size(); ++k)
    {
        if (timeline.events[k].operation.micro_batch == micro_batch)
        {
            path.push_back(k);
        }
    }
    std::stable_sort(path.begin(), path.end(),
                     [&](std::size_t a, std::size_t b)
                     { return timeline.events[a].start < timeline.events[b].start; });
    return path;
}

std::vector<StashStep> stash_over_time(const Timeline& timeline, std::size_t rank,
                                       std::span<const double> weight)
{
    constexpr double kSame = 1e-9;
    std::vector<std::pair<double, double>> changes;
    for (const Event& e : timeline.rank(rank))
    {
        if (e.operation.pass == Pass::input)
        {
            continue;
        }
        const bool forward = e.operation.pass == Pass::forward;
        const double size = weight.empty() ? 1 : weight[static_cast<std::size_t>(e.operation.stage)];
        changes.emplace_back(forward ? e.start : e.end, forward ? size : -size);
    }
    std::sort(changes.begin(), changes.end());
    std::vector<StashStep> steps{{0, 0}};
    for (const auto& [t, change] : changes)
    {
        const double held = steps.back().held + change;
        if (t - steps.back().t < kSame)
        {
            steps.back().held = held;
        }
        else
        {
            steps.push_back({t, held});
        }
    }
    steps.push_back({timeline.makespan, steps.back().held});
    return steps;
}

} // namespace ringside
