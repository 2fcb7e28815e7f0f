#include "core/reliability/run_simulation.h"

#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace ringside
{

namespace
{

std::vector<RunFailure> draw_failures(const RunRates& r, const RunPlan& plan, double horizon,
                                      std::uint64_t seed, const std::vector<double>& kills)
{
    std::vector<RunFailure> failures;
    SplitMix random(seed);
    double at = 0;
    while (static_cast<std::int64_t>(failures.size()) < 2 * kMostFailures)
    {
        at -= r.between_s * std::log1p(-random.uniform());
        const bool hardware = random.uniform() < plan.hardware_share;
        if (at >= horizon)
        {
            break;
        }
        failures.push_back({at, hardware, false});
    }
    for (const double kill : kills)
    {
        if (kill >= 0 && kill < horizon)
        {
            failures.push_back({kill, true, true});
        }
    }
    std::ranges::stable_sort(failures, [](const RunFailure& a, const RunFailure& b) { return a.at < b.at; });
    return failures;
}

// Adds the first `length` seconds of a span, of which so many were saving.
void count_span(std::array<double, kRunParts>& parts, const RunSpan& span, double length, double saving)
{
    const auto count = [&](RunPart part, double seconds)
    { parts[static_cast<std::size_t>(part)] += seconds; };
    if (span.part == RunPart::useful)
    {
        count(RunPart::saving, saving);
        count(RunPart::useful, (length - saving) * span.working);
        count(RunPart::missing, (length - saving) * (1 - span.working));
    }
    else
    {
        count(span.part, length);
    }
}

class Simulation
{
public:
    Simulation(const RunRates& rates, const RunPlan& plan, RunStory& story)
        : r_(rates), plan_(plan), story_(story)
    {
        for (const RunFailure& failure : story.failures)
        {
            if (failure.hardware)
            {
                gone_.push_back(failure.at);
            }
        }
    }

    void run()
    {
        while (now_ < story_.horizon)
        {
            const double end = next_failure();
            work(end);
            now_ = end;
            while (now_ < story_.horizon && !recover())
            {
            }
        }
    }

private:
    double next_failure() const
    {
        return next_ < story_.failures.size() ? story_.failures[next_].at : story_.horizon;
    }

    // Nodes in repair at a moment. All repairs take as long, so they end in the order they began.
    double away(double at) const
    {
        const auto until = std::upper_bound(gone_.begin(), gone_.end(), at);
        const auto since = std::upper_bound(gone_.begin(), gone_.end(), at - plan_.repair_hours * 3600);
        return static_cast<double>(until - since);
    }

    double working(double from, double to) const
    {
        if (!plan_.elastic || gone_.empty())
        {
            return 1;
        }
        constexpr int kSamples = 16;
        const double sum =
            sum_over(kSamples, [&](int i)
                     { return working_share(r_, plan_, away(from + (to - from) * (i + 0.5) / kSamples)); });
        return sum / kSamples;
    }

    void add(RunSpan span)
    {
        span.end = std::min(span.end, story_.horizon);
        if (!(span.end > span.start))
        {
            return;
        }
        count_span(story_.seconds, span, span.end - span.start, span.saving);
        story_.saves += span.part == RunPart::useful ? span.saves : 0;
        story_.spans.push_back(span);
    }

    // From now until the job fails or the time is over.
    void work(double end)
    {
        const double length = end - now_;
        const double cycle = r_.interval_s + r_.save_s;
        const bool fails = next_ < story_.failures.size();
        const double done = std::max(0.0, std::floor(length / cycle));
        const double safe = fails ? std::max(0.0, std::floor((length - r_.lag_s) / cycle)) : done;
        const double kept = fails ? safe * cycle : length;
        RunSpan useful{now_, now_ + kept, RunPart::useful};
        useful.saves = static_cast<std::int64_t>(safe);
        // The end of the horizon may come in the middle of a save.
        useful.saving = safe * r_.save_s + (fails ? 0 : std::max(0.0, length - safe * cycle - r_.interval_s));
        useful.working = working(now_, now_ + kept);
        useful.failure = fails ? static_cast<std::int64_t>(next_) : -1;
        add(useful);
        RunSpan lost{now_ + kept, end, RunPart::lost};
        lost.failure = useful.failure;
        add(lost);
        story_.longest_s = std::max(story_.longest_s, length);
    }

    // A stretch of recovery from now; false when a failure cuts it short.
    bool pass(RunPart part, double length)
    {
        RunSpan span{now_, now_ + length, part};
        span.failure = failure_;
        const double failure = next_failure();
        const bool cut = failure < span.end && failure < story_.horizon;
        span.end = cut ? failure : span.end;
        add(span);
        now_ = span.end;
        return !cut;
    }

    // Until enough nodes are there; failures on the way take more.
    void wait()
    {
        const double from = now_;
        while (now_ < story_.horizon && working_share(r_, plan_, away(now_)) <= 0)
        {
            const auto oldest =
                std::upper_bound(gone_.begin(), gone_.end(), now_ - plan_.repair_hours * 3600);
            now_ = std::max(*oldest + plan_.repair_hours * 3600, std::nextafter(now_, 1e300));
            while (next_failure() < std::min(now_, story_.horizon))
            {
                ++next_;
            }
        }
        RunSpan span{from, now_, RunPart::missing};
        span.failure = failure_;
        add(span);
    }

    // One attempt; false when it failed on the way.
    bool recover()
    {
        failure_ = static_cast<std::int64_t>(next_);
        ++next_;
        if (!pass(RunPart::detect, plan_.detect_s))
        {
            return false;
        }
        wait();
        return pass(RunPart::restart, plan_.restart_s + r_.load_s);
    }

    const RunRates& r_;
    const RunPlan& plan_;
    RunStory& story_;
    std::vector<double> gone_; // when nodes went into repair, ascending
    double now_ = 0;
    std::size_t next_ = 0; // failure
    std::int64_t failure_ = -1;
};

} // namespace

RunStory simulate_run(const RunRates& rates, const RunPlan& plan, double horizon, std::uint64_t seed,
                      const std::vector<double>& kills)
{
    RunStory story;
    story.horizon = std::min(horizon, static_cast<double>(kMostFailures) * rates.between_s);
    story.cycle = rates.interval_s + rates.save_s;
    story.failures = draw_failures(rates, plan, story.horizon, seed, kills);
    Simulation(rates, plan, story).run();
    assert(std::ranges::is_sorted(story.spans, {}, &RunSpan::start)); // one after the other
    return story;
}

std::size_t span_at(const RunStory& story, double seconds)
{
    const auto found = std::upper_bound(story.spans.begin(), story.spans.end(), seconds,
                                        [](double at, const RunSpan& span) { return at < span.end; });
    return static_cast<std::size_t>(found - story.spans.begin());
}

std::array<double, kRunParts> parts_until(const RunStory& story, double seconds)
{
    std::array<double, kRunParts> parts{};
    for (const RunSpan& span : story.spans)
    {
        const double length = std::min(span.end, seconds) - span.start;
        if (length <= 0)
        {
            break;
        }
        count_span(parts, span, length,
                   span.end > span.start ? span.saving * length / (span.end - span.start) : 0);
    }
    return parts;
}

} // namespace ringside
