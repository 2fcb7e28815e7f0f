// An event loop: a rank is woken when it is free or when an input arrives, in the order of time, because what
// can be pulled forward depends on what has arrived by then. It decides on one step and is woken again after
// it.
#include "core/pipeline/zero_bubble/squeeze.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace ringside::zero_bubble
{

namespace
{

// One rank's skeleton, and how far it has come.
struct Track
{
    std::size_t next = 0;
    std::vector<char> done;                                 // [place in the skeleton]
    std::vector<std::int32_t> active;                       // [place] micro-batches between F and I after it
    std::array<std::vector<std::size_t>, kWeight> places{}; // [kind][micro-batch]
};

Track survey(const std::vector<Step>& steps, std::int32_t micro_batches)
{
    Track track;
    track.done.assign(steps.size(), 0);
    track.active.reserve(steps.size());
    for (auto& places : track.places)
    {
        places.reserve(index(micro_batches));
    }
    std::int32_t active = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const Kind kind = kind_of(steps[i]);
        if (kind < kWeight)
        {
            active += kind < kInput ? 1 : -1;
            track.places[index(kind)].push_back(i);
        }
        track.active.push_back(active);
    }
    return track;
}

class Squeezer
{
public:
    Squeezer(const Problem& problem, const Steps& skeleton, const std::vector<double>& expected,
             const Filling& filling, const Squeezing& squeezing)
        : problem_(problem), skeleton_(skeleton), expected_(expected), filling_(filling),
          squeezing_(squeezing), board_(problem), wake_(index(problem.ranks), kNever)
    {
        tracks_.reserve(skeleton.size());
        for (const auto& steps : skeleton)
        {
            tracks_.push_back(survey(steps, problem.micro_batches));
        }
        wake_at(0, 0);
    }

    Attempt run()
    {
        while (!queue_.empty())
        {
            const auto [t, r] = queue_.top();
            queue_.pop();
            if (wake_[index(r)] != t)
            {
                continue; // it was woken sooner
            }
            wake_[index(r)] = kNever;
            board_.wait_until(r, t);
            if (!decide(r))
            {
                return {};
            }
        }
        return complete() ? board_.finish() : Attempt{};
    }

private:
    bool complete() const
    {
        for (std::int32_t r = 0; r < problem_.ranks; ++r)
        {
            for (Kind kind = 0; kind < kWeight; ++kind)
            {
                if (problem_.has(kind) && board_.done(r, kind) < problem_.micro_batches)
                {
                    return false;
                }
            }
        }
        return true;
    }

    bool is_ready(double t, std::int32_t r) const { return t <= board_.free_at(r) * (1 + kSame); }

    void wake_at(std::int32_t r, double t)
    {
        if (t < wake_[index(r)])
        {
            wake_[index(r)] = t;
            queue_.emplace(t, r);
        }
    }

    void put_weight(std::int32_t r)
    {
        board_.put_weight(r);
        wake_at(r, board_.free_at(r));
    }

    void put(std::int32_t r, Kind kind)
    {
        Track& track = tracks_[index(r)];
        track.done[track.places[index(kind)][index(board_.done(r, kind))]] = 1;
        const std::int32_t woken = board_.put(r, kind);
        wake_at(r, board_.free_at(r));
        if (woken != Board::kNobody && woken != r)
        {
            wake_at(woken, std::max(board_.free_at(r) + problem_.transfer, board_.free_at(woken)));
        }
    }

    // The next step of the skeleton, or kKinds at its end.
    Kind next_kind(std::int32_t r)
    {
        Track& track = tracks_[index(r)];
        while (track.next < track.done.size() && track.done[track.next] != 0)
        {
            ++track.next;
        }
        return track.next < track.done.size() ? kind_of(skeleton_[index(r)][track.next]) : kKinds;
    }

    // What a rank does now. False when it waits for memory that nothing will free.
    bool decide(std::int32_t r)
    {
        const Kind kind = next_kind(r);
        if (kind >= kWeight)
        {
            run_weight(r, kind);
            return true;
        }
        if (board_.pending(r) > filling_.most_pending && board_.forwards_left(r))
        {
            put_weight(r);
            return true;
        }
        const double ready = board_.ready(r, kind, board_.done(r, kind));
        if (!is_ready(ready, r))
        {
            use_gap(r, kind, ready);
            return true;
        }
        if (kind >= kInput || !board_.full(r))
        {
            put(r, kind);
            return true;
        }
        if (board_.pending(r) == 0)
        {
            return false;
        }
        put_weight(r);
        return true;
    }

    void run_weight(std::int32_t r, Kind kind)
    {
        Track& track = tracks_[index(r)];
        if (kind < kKinds)
        {
            track.done[track.next] = 1;
        }
        if (board_.pending(r) > 0)
        {
            put_weight(r);
        }
        else if (kind < kKinds)
        {
            wake_at(r, board_.free_at(r));
        }
    }

    // `kind` is next, but its input comes later: something else, a W, or nothing.
    void use_gap(std::int32_t r, Kind kind, double ready)
    {
        const double until = ready < kNever ? ready : expected_[board_.at(r, kind, board_.done(r, kind))];
        const Kind pulled = best_pull(r, until);
        if (pulled != kKinds)
        {
            pull_forward(r, pulled);
            return;
        }
        if (board_.pending(r) > 0)
        {
            const double gap = until - board_.free_at(r);
            if (gap >= board_.next_weight(r) * (1 - kSame) || !board_.can_idle(r, gap, filling_))
            {
                put_weight(r);
                return;
            }
        }
        wake_at(r, next_arrival(r));
    }

    double next_arrival(std::int32_t r) const
    {
        double soonest = kNever;
        for (Kind kind = 0; kind < kWeight; ++kind)
        {
            if (problem_.has(kind) && board_.done(r, kind) < problem_.micro_batches)
            {
                const double t = board_.ready(r, kind, board_.done(r, kind));
                soonest = is_ready(t, r) ? soonest : std::min(soonest, t);
            }
        }
        return soonest;
    }

    // The earliest in the skeleton among the steps that can start now and leave the next one its time, or
    // kKinds.
    Kind best_pull(std::int32_t r, double until) const
    {
        const Track& track = tracks_[index(r)];
        Kind best = kKinds;
        std::size_t best_place = track.done.size();
        for (Kind kind = 0; kind < kWeight; ++kind)
        {
            const std::int32_t micro_batch = board_.done(r, kind);
            if (!problem_.has(kind) || micro_batch >= problem_.micro_batches)
            {
                continue;
            }
            const std::size_t place = track.places[index(kind)][index(micro_batch)];
            if (place == track.next || place >= best_place ||
                !is_ready(board_.ready(r, kind, micro_batch), r))
            {
                continue;
            }
            const double end = board_.free_at(r) + problem_.cost_of(r, kind) * (1 - squeezing_.patience);
            if (end <= until * (1 + kSame) && (kind >= kInput || has_room(r, place)))
            {
                best = kind;
                best_place = place;
            }
        }
        return best;
    }

    // A pulled forward is kept from now on; with everything before its own place it must fit too.
    bool has_room(std::int32_t r, std::size_t place) const
    {
        const Track& track = tracks_[index(r)];
        const std::int32_t most = problem_.capacity - squeezing_.spare;
        const auto active = track.active.begin();
        return !board_.full(r) && std::all_of(active + static_cast<std::ptrdiff_t>(track.next),
                                              active + static_cast<std::ptrdiff_t>(place),
                                              [most](std::int32_t count) { return count < most; });
    }

    void pull_forward(std::int32_t r, Kind kind)
    {
        Track& track = tracks_[index(r)];
        const std::size_t place = track.places[index(kind)][index(board_.done(r, kind))];
        for (std::size_t i = track.next; i < place; ++i)
        {
            track.active[i] += kind < kInput ? 1 : -1;
        }
        put(r, kind);
    }

    const Problem& problem_;
    const Steps& skeleton_;
    const std::vector<double>& expected_;
    const Filling& filling_;
    const Squeezing squeezing_;
    Board board_;
    std::vector<Track> tracks_; // [rank]
    std::vector<double> wake_;  // [rank] when it can decide next
    using Wake = std::pair<double, std::int32_t>;
    std::priority_queue<Wake, std::vector<Wake>, std::greater<>> queue_;
};

} // namespace

Attempt squeeze(const Problem& problem, const Steps& skeleton, const std::vector<double>& expected,
                const Filling& filling, const Squeezing& squeezing)
{
    return Squeezer(problem, skeleton, expected, filling, squeezing).run();
}

} // namespace ringside::zero_bubble
