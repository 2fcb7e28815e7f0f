#include "core/training/data_feed/simulation.h"

#include "core/base/random.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <queue>
#include <set>
#include <tuple>

namespace ringside
{

namespace
{

double seconds(double value)
{
    return std::isfinite(value) ? std::clamp(value, 0.0, 1e9) : 0;
}

FeedTimes in_range(FeedTimes t)
{
    t.workers = std::clamp<std::int64_t>(t.workers, 1, 256);
    t.prefetch = std::clamp<std::int64_t>(t.prefetch, 1, 64);
    t.batches = std::clamp<std::int64_t>(t.batches, 1, 4096);
    t.gpu_s = std::max(seconds(t.gpu_s), 1e-9);
    t.read_s = seconds(t.read_s);
    t.work_s = seconds(t.work_s);
    t.spread = std::min(seconds(t.spread), 1.0);
    t.slow = std::max(1.0, seconds(t.slow));
    t.spike_s = seconds(t.spike_s);
    t.refill_s = seconds(t.refill_s);
    return t;
}

enum class Happens : std::uint8_t
{
    prepared,
    computed,
    ready // to begin another batch
};

class Simulation
{
public:
    Simulation(const FeedTimes& times, std::uint64_t seed) : t_(in_range(times))
    {
        workers_.resize(static_cast<std::size_t>(t_.workers));
        run_.workers.resize(workers_.size());
        for (std::size_t w = 0; w < workers_.size(); ++w)
        {
            // A stream for each, so that one worker's numbers do not depend on who is faster.
            workers_[w].random = SplitMix(seed * 1000003U + w);
            happen(0, Happens::ready, w);
        }
    }

    FeedRun run()
    {
        while (taken_ < t_.batches || computing_)
        {
            const Event event = events_.top();
            events_.pop();
            const auto [at, what, worker] = event;
            what == Happens::ready      ? begin(at, worker)
            : what == Happens::prepared ? put(at, worker)
                                        : free_gpu(at);
        }
        cut();
        return std::move(run_);
    }

private:
    // By time, then as listed above, then by worker: the same on every machine.
    using Event = std::tuple<double, Happens, std::size_t>;

    struct Worker
    {
        SplitMix random{0};
        std::int64_t begun = 0; // batches
        std::int64_t held = 0;  // begun and not taken
        bool blocked = false;
        double since = 0;       // [s] blocked
        std::int64_t batch = 0; // in its hands
    };

    void happen(double at, Happens what, std::size_t worker) { events_.emplace(at, what, worker); }

    // Returns the end of the span.
    double span(std::size_t worker, FeedWork work, double from, double length, std::int64_t batch)
    {
        if (length > 0)
        {
            run_.workers[worker].push_back({work, from, from + length, batch});
        }
        return from + length;
    }

    void begin(double at, std::size_t index)
    {
        Worker& w = workers_[index];
        if (w.held >= t_.prefetch)
        {
            w.blocked = true;
            w.since = at;
            return;
        }
        w.batch = t_.in_order ? static_cast<std::int64_t>(index) + w.begun * t_.workers : issued_++;
        const bool refills = t_.refill_s > 0 && w.begun > 0 && w.begun % kRefillEvery == 0;
        const bool hangs = w.random.uniform() * static_cast<double>(kSpikeEvery) < 1;
        const double jitter = std::max(0.1, 1 + t_.spread * w.random.normal());
        const double served = std::max(at, storage_free_) + t_.read_s;
        storage_free_ = served;
        double now = span(index, FeedWork::read, at, t_.read_s > 0 ? served - at : 0, w.batch);
        now =
            span(index, FeedWork::hang, now, (hangs ? t_.spike_s : 0) + (refills ? t_.refill_s : 0), w.batch);
        now = span(index, FeedWork::prepare, now, t_.work_s * jitter * (index == 0 ? t_.slow : 1), w.batch);
        ++w.begun;
        ++w.held;
        happen(now, Happens::prepared, index);
    }

    void put(double at, std::size_t worker)
    {
        waiting_.emplace_back(workers_[worker].batch, worker);
        ready_.insert(workers_[worker].batch);
        take(at);
        note(at);
        begin(at, worker);
    }

    void free_gpu(double at)
    {
        computing_ = false;
        idle_since_ = at;
        take(at);
        note(at);
    }

    void take(double at)
    {
        if (computing_ || taken_ == t_.batches)
        {
            return;
        }
        const auto next = std::ranges::find_if(waiting_, [this](const auto& batch)
                                               { return !t_.in_order || batch.first == taken_; });
        if (next == waiting_.end())
        {
            return;
        }
        const auto [batch, worker] = *next;
        waiting_.erase(next);
        ready_.erase(batch);
        if (at > idle_since_)
        {
            run_.gpu.push_back({FeedWork::starve, idle_since_, at, 0});
            (taken_ == 0 ? run_.filled : run_.starved) += at - idle_since_;
        }
        run_.gpu.push_back({FeedWork::compute, at, at + t_.gpu_s, batch});
        computing_ = true;
        ++taken_;
        happen(at + t_.gpu_s, Happens::computed, 0);
        --workers_[worker].held;
        release(at, worker);
    }

    // A place in the queue is free again.
    void release(double at, std::size_t index)
    {
        Worker& w = workers_[index];
        if (w.blocked)
        {
            w.blocked = false;
            span(index, FeedWork::full, w.since, at - w.since, 0);
            happen(at, Happens::ready, index);
        }
    }

    void note(double at)
    {
        QueuePoint point{at, static_cast<std::int64_t>(ready_.size()), 0};
        if (!t_.in_order)
        {
            point.usable = point.ready;
        }
        else
        {
            std::int64_t next = taken_;
            for (auto i = ready_.begin(); i != ready_.end() && *i == next; ++i)
            {
                ++next;
            }
            point.usable = next - taken_;
        }
        if (!run_.queue.empty() && run_.queue.back().at == at)
        {
            run_.queue.back() = point;
            return;
        }
        run_.queue.push_back(point);
    }

    // What workers had begun when the last batch was done.
    void cut()
    {
        run_.length = run_.gpu.back().to;
        for (std::size_t w = 0; w < workers_.size(); ++w)
        {
            if (workers_[w].blocked)
            {
                span(w, FeedWork::full, workers_[w].since, run_.length - workers_[w].since, 0);
            }
            auto& spans = run_.workers[w];
            std::erase_if(spans, [this](const FeedSpan& s) { return s.from >= run_.length; });
            for (FeedSpan& s : spans)
            {
                s.to = std::min(s.to, run_.length);
            }
        }
    }

    FeedTimes t_;
    FeedRun run_;
    std::vector<Worker> workers_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    std::deque<std::pair<std::int64_t, std::size_t>> waiting_; // batch and worker, as they were prepared
    std::set<std::int64_t> ready_;
    std::int64_t issued_ = 0;
    std::int64_t taken_ = 0;
    bool computing_ = false;
    double idle_since_ = 0;
    double storage_free_ = 0;
};

} // namespace

FeedRun simulate_feed(const FeedTimes& times, std::uint64_t seed)
{
    return Simulation(times, seed).run();
}

} // namespace ringside
