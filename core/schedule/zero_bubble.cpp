// How the orders are found.
//
// Every rank has a skeleton: its forwards and input gradients in a fixed order. Skeletons are simple, there
// are few worth trying, and the weight gradients are then poured into the gaps that the skeleton leaves
// (Filling): a gap as long as a W gets one; a shorter gap stays idle as long as the rank can afford it and
// still end in time, for a W there would hold up the ranks that wait; and a forward that finds the memory
// full lets a W go first.
//
// - One chunk (arXiv 2401.10241, sections 2 and 3): some forwards to warm up, then forwards and input
// gradients in
//   turn. Only the number of warm-up forwards of each rank is free.
// - Two chunks placed as a V (arXiv 2405.15362, the building blocks): the four passes of a micro-batch
// through a rank
//   repeat with a fixed period, and the offsets between neighbouring ranks decide how long a micro-batch is
//   kept. While the pipeline fills and drains, the pattern leaves long gaps; there later passes are pulled
//   forward (Pulling).
//
// A handful of skeletons and ways of filling are tried and timed, and the best is kept. The effort is counted
// in placed operations, so the result never depends on the clock. Long steps repeat the same thing in the
// middle: they are searched with fewer micro-batches, and what was found is then laid out in full.
#include "core/schedule/zero_bubble.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <utility>

namespace ringside
{

namespace
{

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSame = 1e-9; // times closer than this share of themselves are one

// A pass of one micro-batch through one chunk of a rank: 8 * micro-batch + kind.
using Step = std::int32_t;
using Steps = std::vector<std::vector<Step>>; // [rank]

// 2 * pass + chunk.
enum Kind : int
{
    kForward = 0,
    kInput = 2,
    kWeight = 4,
    kKinds = 6
};

constexpr Step make_step(int kind, int micro_batch)
{
    return 8 * micro_batch + kind;
}
constexpr int kind_of(Step step)
{
    return step & 7;
}
constexpr int micro_batch_of(Step step)
{
    return step >> 3;
}

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

// Memory is counted in halves of a micro-batch, so that an input gradient may free half of it.
struct Problem
{
    int ranks = 1;
    int chunks = 1;
    int micro_batches = 1;
    double transfer = 0;
    int capacity = 2;
    int freed_by_input = 0;
    int freed_by_weight = 2;
    std::vector<std::array<double, kKinds>> cost; // [rank][kind]
    double busiest = 0;                           // longest time a rank computes
    double first_pass = 0;                        // until the last rank can start

    double cost_of(int rank, int kind) const { return cost[index(rank)][index(kind)]; }
    double work(int rank) const
    {
        const auto& c = cost[index(rank)];
        return micro_batches * (c[0] + c[1] + c[2] + c[3] + c[4] + c[5]);
    }
    double mean_weight() const
    {
        double sum = 0;
        for (const auto& c : cost)
        {
            sum += c[kWeight] + c[kWeight + 1];
        }
        return sum / (ranks * chunks);
    }
    std::int64_t operations() const { return std::int64_t{3} * ranks * chunks * micro_batches; }
};

constexpr int kForwardTakes = 2;

Problem make_problem(const ScheduleShape& shape, const Costs& costs, const ZeroBubbleGoal& goal)
{
    Problem q;
    q.ranks = static_cast<int>(shape.stages);
    q.chunks = goal.placement == Placement::v ? 2 : 1;
    q.micro_batches = static_cast<int>(shape.micro_batches);
    q.transfer = costs.transfer;
    const std::int64_t most = shape.micro_batches * q.chunks; // no rank can hold more
    q.capacity = kForwardTakes * static_cast<int>(std::clamp<std::int64_t>(
                                     goal.limit, q.chunks, std::max<std::int64_t>(most, q.chunks)));
    q.freed_by_input =
        static_cast<int>(std::lround(std::clamp(goal.freed_by_input, 0.0, 1.0) * kForwardTakes));
    q.freed_by_weight = kForwardTakes - q.freed_by_input;
    q.cost.assign(index(q.ranks), {});
    for (int r = 0; r < q.ranks; ++r)
    {
        for (int chunk = 0; chunk < q.chunks; ++chunk)
        {
            const StageCost& c = costs.stages[index(chunk == 0 ? r : 2 * q.ranks - 1 - r)];
            q.cost[index(r)][index(kForward + chunk)] = c.forward;
            q.cost[index(r)][index(kInput + chunk)] = c.backward_input;
            q.cost[index(r)][index(kWeight + chunk)] = c.backward_weight;
        }
        q.busiest = std::max(q.busiest, q.work(r));
        q.first_pass += r + 1 < q.ranks ? q.cost[index(r)][kForward] + q.transfer : 0;
    }
    return q;
}

Problem with_micro_batches(Problem q, int micro_batches)
{
    q.busiest *= static_cast<double>(micro_batches) / q.micro_batches;
    q.micro_batches = micro_batches;
    return q;
}

// What an order is worth. The longest span of a rank, from its first start to its last end, is what every
// step costs when the optimizer does not wait for all ranks (arXiv 2401.10241, section 4); the makespan
// counts when it does. Orders that are good at one are nearly always good at the other, so a weighted sum
// decides.
struct Score
{
    double makespan = kNever;
    double span = kNever;
    int peak = std::numeric_limits<int>::max(); // micro-batches of a chunk held until their W
    double drift = 0; // what the micro-batches that a sample leaves out will probably add

    bool valid() const { return makespan < kNever; }
    bool better_than(const Score& other) const
    {
        constexpr double kSpanWeight = 8;
        if (!valid() || !other.valid())
        {
            return valid() && !other.valid();
        }
        const double mine = makespan + drift + kSpanWeight * (span + drift);
        const double theirs = other.makespan + other.drift + kSpanWeight * (other.span + other.drift);
        if (std::abs(mine - theirs) > kSame * theirs)
        {
            return mine < theirs;
        }
        return peak < other.peak;
    }
};

// How willingly a rank idles: it must be able to end at `finish_by` and within `span` of its start.
struct Filling
{
    double finish_by = kNever;
    double span = kNever;
    int most_pending = std::numeric_limits<int>::max(); // W left undone while there are forwards to come
    std::vector<double> grace = {};                     // [rank] more to its span; empty: none
    bool level = false;                                 // or as long as another rank has idled more

    double span_of(int rank) const { return grace.empty() ? span : span + grace[index(rank)]; }
};

// The ranks and what they have done so far.
class Board
{
public:
    explicit Board(const Problem& problem)
        : q_(problem), ranks_(index(q_.ranks)), plan_(index(q_.ranks)),
          ready_(index(4 * q_.ranks) * index(q_.micro_batches), kNever)
    {
        for (int r = 0; r < q_.ranks; ++r)
        {
            plan_[index(r)].reserve(index(3 * q_.chunks * q_.micro_batches));
            rank(r).pending.reserve(index(q_.chunks * q_.micro_batches));
            rank(r).left = q_.work(r);
        }
        std::fill_n(ready_.begin(), q_.micro_batches, 0.0);
    }

    double free_at(int r) const { return ranks_[index(r)].free; }
    void wait_until(int r, double t) { rank(r).free = std::max(rank(r).free, t); }
    int done(int r, int kind) const { return ranks_[index(r)].done[index(kind)]; }
    double ready(int r, int kind, int micro_batch) const { return ready_[at(r, kind, micro_batch)]; }
    int pending(int r) const
    {
        const Rank& x = ranks_[index(r)];
        return static_cast<int>(x.pending.size() - x.weights);
    }
    bool full(int r) const { return ranks_[index(r)].taken + kForwardTakes > q_.capacity; }
    bool forwards_left(int r) const
    {
        return done(r, kForward + q_.chunks - 1) < q_.micro_batches || done(r, kForward) < q_.micro_batches;
    }
    double next_weight(int r) const
    {
        const Rank& x = ranks_[index(r)];
        return q_.cost_of(r, kind_of(x.pending[x.weights]));
    }

    // Runs a forward or an input gradient as soon as it can. Returns the rank whose input that is, or -1.
    int put(int r, int kind)
    {
        Rank& x = rank(r);
        const int micro_batch = x.done[index(kind)]++;
        const double ready = ready_[at(r, kind, micro_batch)];
        if (x.first >= 0 && ready > x.free)
        {
            x.idle += ready - x.free;
            most_idle_ = std::max(most_idle_, x.idle);
        }
        x.free = std::max(x.free, ready);
        record(r, make_step(kind, micro_batch));
        if (kind < kInput)
        {
            x.taken += kForwardTakes;
            x.peak = std::max(x.peak, ++x.held);
        }
        else
        {
            x.taken -= q_.freed_by_input;
            x.pending.push_back(make_step(kind + 2, micro_batch));
        }
        return pass_on(r, kind, micro_batch);
    }

    void put_weight(int r)
    {
        Rank& x = rank(r);
        const Step step = x.pending[x.weights++];
        record(r, step);
        x.taken -= q_.freed_by_weight;
        --x.held;
    }

    // Whether the rank can idle for `gap` and still end as `filling` asks.
    bool can_idle(int r, double gap, const Filling& filling) const
    {
        const Rank& x = ranks_[index(r)];
        if (filling.level && gap <= most_idle_ - x.idle)
        {
            return true;
        }
        const double end = std::min(filling.finish_by, std::max(x.first, 0.0) + filling.span_of(r));
        return gap <= (end - x.free - x.left) * (1 + kSame);
    }

    Score finish()
    {
        Score score{0, 0, 0, 0};
        for (int r = 0; r < q_.ranks; ++r)
        {
            while (pending(r) > 0)
            {
                put_weight(r);
            }
            score.makespan = std::max(score.makespan, rank(r).free);
            score.span = std::max(score.span, rank(r).free - rank(r).first);
            score.peak = std::max(score.peak, rank(r).peak);
        }
        return score;
    }
    Steps take_plan() { return std::move(plan_); }
    std::vector<double> take_ready() { return std::move(ready_); }

private:
    struct Rank
    {
        double free = 0;
        double first = -1; // start of its first operation
        double left = 0;   // time of what it has still to do
        double idle = 0;   // since its first operation
        int taken = 0;     // memory, in halves
        int held = 0;      // micro-batches until their W
        int peak = 0;
        std::array<int, 4> done{};
        std::vector<Step> pending; // W in the order of their I
        std::size_t weights = 0;   // of these, done
    };

    Rank& rank(int r) { return ranks_[index(r)]; }
    std::size_t at(int r, int kind, int micro_batch) const
    {
        return index(kind * q_.ranks + r) * index(q_.micro_batches) + index(micro_batch);
    }

    void record(int r, Step step)
    {
        Rank& x = rank(r);
        if (x.first < 0)
        {
            x.first = x.free;
        }
        const double cost = q_.cost_of(r, kind_of(step));
        x.free += cost;
        x.left -= cost;
        plan_[index(r)].push_back(step);
    }

    // Forwards go down through chunk 0 and up through chunk 1, gradients the same way back.
    int pass_on(int r, int kind, int micro_batch)
    {
        const bool forward = kind < kInput;
        const int chunk = kind & 1;
        const bool down = forward == (chunk == 0);
        int next_rank = r + (down ? 1 : -1);
        int next_kind = kind;
        if (next_rank < 0 || next_rank >= q_.ranks)
        {
            const int last = q_.chunks - 1;
            if (!forward && chunk == 0)
            {
                return -1;
            }
            next_rank = r;
            next_kind = !forward ? kInput : (chunk < last ? kForward + 1 : kInput + last);
        }
        ready_[at(next_rank, next_kind, micro_batch)] = rank(r).free + (next_rank == r ? 0 : q_.transfer);
        return next_rank;
    }

    const Problem& q_;
    std::vector<Rank> ranks_;
    Steps plan_;
    std::vector<double> ready_; // [kind][rank][micro-batch] when its input is there
    double most_idle_ = 0;      // of all ranks
};

struct Attempt
{
    Score score;
    Steps plan;
    std::vector<double> ready; // see Board
};

Attempt finished(Board& board)
{
    Attempt attempt;
    attempt.score = board.finish();
    attempt.plan = board.take_plan();
    attempt.ready = board.take_ready();
    return attempt;
}

// Gives a skeleton its weight gradients. A W in the skeleton says that one may run there.
class Filler
{
public:
    Filler(const Problem& problem, const Steps& skeleton, const Filling& filling)
        : q_(problem), skeleton_(skeleton), filling_(filling), board_(problem), next_(index(q_.ranks), 0)
    {
    }

    // Invalid when the skeleton waits for itself or does not fit into memory.
    Attempt run()
    {
        std::vector<int> to_try;
        for (int r = q_.ranks - 1; r >= 0; --r)
        {
            to_try.push_back(r);
        }
        while (!to_try.empty())
        {
            const int r = to_try.back();
            to_try.pop_back();
            while (next_[index(r)] < skeleton_[index(r)].size())
            {
                const int woken = step(r, skeleton_[index(r)][next_[index(r)]]);
                if (woken == kStuck)
                {
                    break;
                }
                ++next_[index(r)];
                if (woken >= 0 && woken != r)
                {
                    to_try.push_back(woken);
                }
            }
        }
        for (int r = 0; r < q_.ranks; ++r)
        {
            if (next_[index(r)] < skeleton_[index(r)].size())
            {
                return {};
            }
        }
        return finished(board_);
    }

private:
    static constexpr int kStuck = -2;

    int step(int r, Step step)
    {
        const int kind = kind_of(step);
        if (kind >= kWeight)
        {
            if (board_.pending(r) > 0)
            {
                board_.put_weight(r);
            }
            return -1;
        }
        const double ready = board_.ready(r, kind, micro_batch_of(step));
        if (ready == kNever || !make_room(r, kind))
        {
            return kStuck;
        }
        fill_gap(r, ready);
        return board_.put(r, kind);
    }

    bool make_room(int r, int kind)
    {
        while (board_.pending(r) > filling_.most_pending && board_.forwards_left(r))
        {
            board_.put_weight(r);
        }
        while (kind < kInput && board_.full(r))
        {
            if (board_.pending(r) == 0)
            {
                return false;
            }
            board_.put_weight(r);
        }
        return true;
    }

    void fill_gap(int r, double ready)
    {
        while (board_.pending(r) > 0)
        {
            const double gap = ready - board_.free_at(r);
            const double weight = board_.next_weight(r);
            if (gap <= kSame * ready || (gap < weight * (1 - kSame) && board_.can_idle(r, gap, filling_)))
            {
                return;
            }
            board_.put_weight(r);
        }
    }

    const Problem& q_;
    const Steps& skeleton_;
    const Filling& filling_;
    Board board_;
    std::vector<std::size_t> next_; // [rank] in the skeleton
};

// Follows a skeleton too, but a rank whose next step cannot start yet pulls a later one forward that can: the
// squeezing of arXiv 2405.15362. Runs in the order of time.
struct Pull
{
    double patience = 0; // a pulled step may hold up the next by this share of its own time
    int spare = 0;       // micro-batches of memory that pulled forwards leave alone
};

class Puller
{
public:
    // `expected` is when inputs come at the latest, from an attempt without pulling.
    Puller(const Problem& problem, const Steps& skeleton, const std::vector<double>& expected,
           const Filling& filling, const Pull& pull)
        : q_(problem), skeleton_(skeleton), expected_(expected), filling_(filling), pull_(pull),
          board_(problem), ranks_(index(q_.ranks)), wake_(index(q_.ranks), kNever)
    {
        for (int r = 0; r < q_.ranks; ++r)
        {
            survey(r);
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
        for (int r = 0; r < q_.ranks; ++r)
        {
            for (int kind = 0; kind < kWeight; ++kind)
            {
                if ((kind & 1) < q_.chunks && board_.done(r, kind) < q_.micro_batches)
                {
                    return {};
                }
            }
        }
        return finished(board_);
    }

private:
    struct Rank
    {
        std::size_t next = 0;
        std::vector<char> done;                         // [place in the skeleton]
        std::vector<int> active;                        // [place] micro-batches between F and I after it
        std::array<std::vector<std::size_t>, 4> places; // [kind][micro-batch]
    };

    void survey(int r)
    {
        Rank& x = ranks_[index(r)];
        const auto& steps = skeleton_[index(r)];
        x.done.assign(steps.size(), 0);
        x.active.reserve(steps.size());
        for (auto& places : x.places)
        {
            places.reserve(index(q_.micro_batches));
        }
        int active = 0;
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            const int kind = kind_of(steps[i]);
            active += kind < kInput ? 1 : (kind < kWeight ? -1 : 0);
            x.active.push_back(active);
            if (kind < kWeight)
            {
                x.places[index(kind)].push_back(i);
            }
        }
    }

    bool is_ready(double t, int r) const { return t <= board_.free_at(r) * (1 + kSame); }

    void wake_at(int r, double t)
    {
        if (t < wake_[index(r)])
        {
            wake_[index(r)] = t;
            queue_.emplace(t, r);
        }
    }

    void put_weight(int r)
    {
        board_.put_weight(r);
        wake_at(r, board_.free_at(r));
    }

    void put(int r, int kind)
    {
        Rank& x = ranks_[index(r)];
        x.done[x.places[index(kind)][index(board_.done(r, kind))]] = 1;
        const int woken = board_.put(r, kind);
        wake_at(r, board_.free_at(r));
        if (woken >= 0 && woken != r)
        {
            wake_at(woken, std::max(board_.free_at(r) + q_.transfer, board_.free_at(woken)));
        }
    }

    // The next step of the skeleton, or kKinds at its end.
    int next_kind(int r)
    {
        Rank& x = ranks_[index(r)];
        while (x.next < x.done.size() && x.done[x.next] != 0)
        {
            ++x.next;
        }
        return x.next < x.done.size() ? kind_of(skeleton_[index(r)][x.next]) : kKinds;
    }

    bool decide(int r)
    {
        const int kind = next_kind(r);
        if (kind >= kWeight)
        {
            if (kind < kKinds)
            {
                ranks_[index(r)].done[ranks_[index(r)].next] = 1;
            }
            if (board_.pending(r) > 0)
            {
                put_weight(r);
            }
            else if (kind < kKinds)
            {
                wake_at(r, board_.free_at(r));
            }
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

    void use_gap(int r, int kind, double ready)
    {
        const double now = board_.free_at(r);
        const double until = ready < kNever ? ready
                                            : expected_[index(kind * q_.ranks + r) * index(q_.micro_batches) +
                                                        index(board_.done(r, kind))];
        const int pulled = best_pull(r, until);
        if (pulled >= 0)
        {
            pull_forward(r, pulled);
            return;
        }
        if (board_.pending(r) > 0)
        {
            const double gap = until - now;
            if (gap >= board_.next_weight(r) * (1 - kSame) || !board_.can_idle(r, gap, filling_))
            {
                put_weight(r);
                return;
            }
        }
        wake_at(r, next_arrival(r));
    }

    double next_arrival(int r) const
    {
        double soonest = kNever;
        for (int kind = 0; kind < kWeight; ++kind)
        {
            if ((kind & 1) < q_.chunks && board_.done(r, kind) < q_.micro_batches)
            {
                const double t = board_.ready(r, kind, board_.done(r, kind));
                soonest = is_ready(t, r) ? soonest : std::min(soonest, t);
            }
        }
        return soonest;
    }

    // Of the steps that can start now and leave the next one its time, the earliest in the skeleton.
    int best_pull(int r, double until) const
    {
        const Rank& x = ranks_[index(r)];
        int best = -1;
        std::size_t best_place = x.done.size();
        for (int kind = 0; kind < kWeight; ++kind)
        {
            const int micro_batch = board_.done(r, kind);
            if ((kind & 1) >= q_.chunks || micro_batch >= q_.micro_batches)
            {
                continue;
            }
            const std::size_t place = x.places[index(kind)][index(micro_batch)];
            if (place == x.next || place >= best_place || !is_ready(board_.ready(r, kind, micro_batch), r))
            {
                continue;
            }
            const double cost = q_.cost_of(r, kind);
            const double end = board_.free_at(r) + cost * (1 - pull_.patience);
            if (end <= until * (1 + kSame) && (kind >= kInput || has_room(r, place)))
            {
                best = kind;
                best_place = place;
            }
        }
        return best;
    }

    // A pulled forward is kept from now on; with everything before its own place it must fit too.
    bool has_room(int r, std::size_t place) const
    {
        const Rank& x = ranks_[index(r)];
        if (board_.full(r))
        {
            return false;
        }
        const int most = q_.capacity / kForwardTakes - pull_.spare;
        for (std::size_t i = x.next; i < place; ++i)
        {
            if (x.active[i] + 1 > most)
            {
                return false;
            }
        }
        return true;
    }

    void pull_forward(int r, int kind)
    {
        Rank& x = ranks_[index(r)];
        const std::size_t place = x.places[index(kind)][index(board_.done(r, kind))];
        for (std::size_t i = x.next; i < place; ++i)
        {
            x.active[i] += kind < kInput ? 1 : -1;
        }
        put(r, kind);
    }

    const Problem& q_;
    const Steps& skeleton_;
    const std::vector<double>& expected_;
    const Filling& filling_;
    const Pull pull_;
    Board board_;
    std::vector<Rank> ranks_;
    std::vector<double> wake_; // [rank] when it can decide next
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> queue_;
};

Steps without_weights(const Steps& plan)
{
    Steps skeleton(plan.size());
    for (std::size_t r = 0; r < plan.size(); ++r)
    {
        skeleton[r].reserve(plan[r].size());
        std::copy_if(plan[r].begin(), plan[r].end(), std::back_inserter(skeleton[r]),
                     [](Step step) { return kind_of(step) < kWeight; });
    }
    return skeleton;
}

// One chunk: warm[r] forwards, then an input gradient and a forward in turn.
Steps warm_up_skeleton(const Problem& q, const std::vector<int>& warm)
{
    Steps skeleton(index(q.ranks));
    for (int r = 0; r < q.ranks; ++r)
    {
        auto& steps = skeleton[index(r)];
        steps.reserve(index(2 * q.micro_batches));
        const int lead = std::min(warm[index(r)], q.micro_batches);
        for (int i = 0; i < q.micro_batches + lead; ++i)
        {
            if (i >= lead)
            {
                steps.push_back(make_step(kInput, i - lead));
            }
            if (i < q.micro_batches)
            {
                steps.push_back(make_step(kForward, i));
            }
        }
    }
    return skeleton;
}

// Two chunks: when, counted in passes, a micro-batch goes through the ranks (a building block of arXiv
// 2405.15362). F, I and W of two chunks make a period of six; a longer one keeps less.
struct Pattern
{
    std::array<int, 4> step{1, 1, 1, 1}; // between neighbouring ranks: F of chunk 0 and 1, I of chunk 1 and 0
    int turn = 0;                        // extra wait between the last forward and the first gradient
    int period = 6;
    bool weights = false; // W in the first free places of the period, or only where gaps turn out to be

    bool operator==(const Pattern&) const = default;

    // When the four kinds of micro-batch 0 start on a rank.
    std::array<int, 4> offsets(int ranks, int r) const
    {
        const int last = ranks - 1;
        const int turned = step[0] * last + 1;
        const int back = turned + step[1] * last + 1 + turn;
        const int up = back + step[2] * last + 1;
        return {step[0] * r, turned + step[1] * (last - r), up + step[3] * (last - r), back + step[2] * r};
    }

    // Ranks on which two kinds want the same place of the period. One of them then comes late, every time.
    int collisions(int ranks) const
    {
        int count = 0;
        for (int r = 0; r < ranks; ++r)
        {
            auto offset = offsets(ranks, r);
            for (int& t : offset)
            {
                t %= period;
            }
            std::sort(offset.begin(), offset.end());
            count += std::adjacent_find(offset.begin(), offset.end()) != offset.end() ? 1 : 0;
        }
        return count;
    }

    // Micro-batches of a chunk between their F and I in the middle of a step, at most.
    int active(int ranks, int r) const
    {
        const auto offset = offsets(ranks, r);
        int most = 0;
        for (const int forward : {0, 1})
        {
            const int t = offset[index(forward)];
            int count = 0;
            for (int chunk = 0; chunk < 2; ++chunk)
            {
                count += floor_div(t - offset[index(kForward + chunk)]) -
                         floor_div(t - offset[index(kInput + chunk)]);
            }
            most = std::max(most, count);
        }
        return most;
    }

private:
    int floor_div(int a) const { return a >= 0 ? a / period : -((period - 1 - a) / period); }
};

// The ends and the middle are the extremes: offsets are linear in the rank.
bool fits(const Problem& q, const Pattern& pattern)
{
    for (const int r : {0, q.ranks / 2, q.ranks - 1})
    {
        if (kForwardTakes * pattern.active(q.ranks, r) > q.capacity)
        {
            return false;
        }
    }
    return true;
}

std::vector<Step> pattern_steps(const Problem& q, const Pattern& pattern, int r)
{
    constexpr std::array<int, 4> kGradientsFirst = {3, 2, 1, 0};
    std::vector<Step> steps;
    steps.reserve(index((pattern.weights ? 6 : 4) * q.micro_batches));
    std::array<int, 4> next = pattern.offsets(q.ranks, r);
    std::array<int, 4> done{};
    int pending = 0;
    int placed = 0;
    for (int t = 0; placed < 4 * q.micro_batches; ++t)
    {
        bool taken = false;
        for (const int kind : kGradientsFirst)
        {
            const auto k = index(kind);
            if (next[k] == t && done[k] < q.micro_batches)
            {
                steps.push_back(make_step(kind, done[k]++));
                next[k] += pattern.period;
                ++placed;
                taken = true;
                pending += kind >= kInput ? 1 : 0;
            }
        }
        if (pattern.weights && !taken && pending > 0 && done[1] < q.micro_batches)
        {
            steps.push_back(make_step(kWeight, 0));
            --pending;
        }
    }
    return steps;
}

Steps pattern_skeleton(const Problem& q, const Pattern& pattern)
{
    Steps skeleton;
    for (int r = 0; r < q.ranks; ++r)
    {
        skeleton.push_back(pattern_steps(q, pattern, r));
    }
    return skeleton;
}

// Everything needed to make an order again with another number of micro-batches. Times are relative to what
// no order can do without: the busiest rank's work, and that after the first forward has reached the last
// rank.
struct Recipe
{
    std::vector<int> warm; // one chunk
    Pattern pattern;       // two chunks
    Filling filling;       // finish_by and span: more than the least
    Pull pull;
};

Filling absolute(const Problem& q, Filling filling)
{
    filling.finish_by += q.first_pass + q.busiest;
    filling.span += q.busiest;
    return filling;
}

// Operations that may be placed while searching: a few milliseconds.
constexpr std::int64_t kEffort = 150'000;

// The best of what was tried, and what trying has cost.
class Search
{
public:
    // `left_out`: how many micro-batches the problem has less than the step that is really wanted.
    Search(const Problem& problem, int left_out) : q_(problem), left_out_(left_out) {}

    bool consider(Attempt&& attempt, const Recipe& recipe)
    {
        attempt.score.drift = drift(attempt);
        if (!attempt.score.better_than(best_.score))
        {
            return false;
        }
        best_ = std::move(attempt);
        recipe_ = recipe;
        return true;
    }
    void spend(std::int64_t operations) { spent_ += operations; }
    bool may_spend(std::int64_t operations) const
    {
        return !best_.score.valid() || spent_ + operations <= kEffort;
    }
    const Problem& problem() const { return q_; }
    const Attempt& best() const { return best_; }
    const Recipe& recipe() const { return recipe_; }
    Attempt take_best() { return std::move(best_); }

private:
    // In the middle of a step the gradients come back to rank 0 at the pace at which a longer one would go
    // on.
    double drift(const Attempt& attempt) const
    {
        const int a = q_.micro_batches / 3;
        const int b = q_.micro_batches * 2 / 3;
        if (left_out_ == 0 || !attempt.score.valid() || a == b)
        {
            return 0;
        }
        const auto at = [&](int i) { return index(kInput * q_.ranks) * index(q_.micro_batches) + index(i); };
        const double pace = (attempt.ready[at(b)] - attempt.ready[at(a)]) / (b - a);
        return left_out_ * std::max(0.0, pace - q_.busiest / q_.micro_batches);
    }

    const Problem& q_;
    int left_out_;
    Attempt best_;
    Recipe recipe_;
    std::int64_t spent_ = 0;
};

// Fills the best skeleton again, with demands on the spans and the end around those it meets.
bool refine(Search& search)
{
    const Problem& q = search.problem();
    const double w = q.mean_weight();
    const double late = search.best().score.makespan - q.first_pass - q.busiest;
    const double over = search.best().score.span - q.busiest;
    const Steps skeleton = without_weights(search.best().plan);
    bool better = false;
    for (const double less : {0.0, 0.125, 0.25, 0.5, 1.0, 2.0})
    {
        for (const double finish_by : {late, late + w / 2, 0.0, kNever})
        {
            if (!search.may_spend(q.operations()))
            {
                return better;
            }
            Recipe recipe = search.recipe();
            recipe.filling.finish_by = finish_by;
            recipe.filling.span = std::max(0.0, over - less * w);
            search.spend(q.operations());
            better =
                search.consider(Filler(q, skeleton, absolute(q, recipe.filling)).run(), recipe) || better;
        }
    }
    return better;
}

// The same with more or less for one rank at a time.
bool refine_ranks(Search& search)
{
    const Problem& q = search.problem();
    const double w = q.mean_weight();
    const Steps skeleton = without_weights(search.best().plan);
    bool better = false;
    for (int r = 0; r < q.ranks; ++r)
    {
        for (const double more : {-4 * w, -w, -w / 4, w / 4, w, 4 * w})
        {
            if (!search.may_spend(q.operations()))
            {
                return better;
            }
            Recipe recipe = search.recipe();
            recipe.filling.grace.resize(index(q.ranks));
            recipe.filling.grace[index(r)] += more;
            search.spend(q.operations());
            better =
                search.consider(Filler(q, skeleton, absolute(q, recipe.filling)).run(), recipe) || better;
        }
    }
    return better;
}

// Swaps neighbours in the best skeleton, one pair at a time, as long as there is effort left.
bool polish(Search& search)
{
    const Problem& q = search.problem();
    Steps skeleton = without_weights(search.best().plan);
    const Filling filling = absolute(q, search.recipe().filling);
    bool better = false;
    for (auto& steps : skeleton)
    {
        for (std::size_t i = 0; i + 1 < steps.size(); ++i)
        {
            if (kind_of(steps[i]) == kind_of(steps[i + 1]))
            {
                continue;
            }
            if (!search.may_spend(q.operations()))
            {
                return better;
            }
            search.spend(q.operations());
            std::swap(steps[i], steps[i + 1]);
            if (search.consider(Filler(q, skeleton, filling).run(), search.recipe()))
            {
                better = true;
            }
            else
            {
                std::swap(steps[i], steps[i + 1]);
            }
        }
    }
    return better;
}

// --- one chunk ---

std::vector<int> one_f_one_b_warm_up(const Problem& q)
{
    std::vector<int> warm;
    for (int r = 0; r < q.ranks; ++r)
    {
        warm.push_back(std::min(q.ranks - r, q.capacity / kForwardTakes));
    }
    return warm;
}

// As many forwards as memory takes, `slope` more for every rank before the last: 1 is ZB-H1, 2 is ZB-H2
// (arXiv 2401.10241, section 2).
std::vector<int> sloped_warm_up(const Problem& q, double slope)
{
    std::vector<int> warm;
    for (int r = 0; r < q.ranks; ++r)
    {
        const int forwards = 1 + static_cast<int>(slope * (q.ranks - 1 - r) + kSame);
        warm.push_back(std::min(forwards, q.capacity / kForwardTakes));
    }
    return warm;
}

// As many as fit in before the first gradient can be back; rounded up, the gradient waits, rounded down, the
// rank.
std::vector<int> round_trip_warm_up(const Problem& q, bool up)
{
    std::vector<int> warm(index(q.ranks));
    double trip = 0;
    int after = 1;
    for (int r = q.ranks - 1; r >= 0; --r)
    {
        const double forwards = trip / std::max(q.cost_of(r, kForward), kSame);
        const double most = q.micro_batches;
        const int lead =
            1 + static_cast<int>(std::min(most, up ? std::ceil(forwards - kSame) : forwards + kSame));
        after = std::max(after, std::min(lead, q.capacity / kForwardTakes));
        warm[index(r)] = after;
        trip += q.cost_of(r, kForward) + q.cost_of(r, kInput) + 2 * q.transfer;
    }
    return warm;
}

bool try_loop(Search& search, const Recipe& recipe)
{
    const Problem& q = search.problem();
    search.spend(q.operations());
    return search.consider(Filler(q, warm_up_skeleton(q, recipe.warm), absolute(q, recipe.filling)).run(),
                           recipe);
}

// Fillings from never idling to idling whenever a W does not fit.
std::vector<Filling> fillings(const Problem& q)
{
    const double w = q.mean_weight();
    Filling level{kNever, 0};
    level.level = true;
    return {{kNever, kNever}, {kNever, 0}, level,       {0, w},
            {0, w / 2},       {0, 2 * w},  {kNever, w}, {kNever, 2 * w}};
}

// One warm-up forward more or less, on one rank or on all before it as well.
bool vary_warm_up(Search& search)
{
    const Problem& q = search.problem();
    bool better = false;
    for (int i = 0; i < 4 * q.ranks && search.may_spend(q.operations()); ++i)
    {
        Recipe recipe = search.recipe();
        const int last = i / 4;
        for (int r = i % 2 == 0 ? last : 0; r <= last; ++r)
        {
            int& warm = recipe.warm[index(r)];
            warm = std::clamp(warm + (i % 4 < 2 ? 1 : -1), 1, q.capacity / kForwardTakes);
        }
        better = (recipe.warm != search.recipe().warm && try_loop(search, recipe)) || better;
    }
    return better;
}

void search_loop(Search& search)
{
    const Problem& q = search.problem();
    std::vector<std::vector<int>> warm_ups = {one_f_one_b_warm_up(q), sloped_warm_up(q, 2),
                                              round_trip_warm_up(q, true), round_trip_warm_up(q, false)};
    for (const double slope : {1.5, 2.5, 3.0})
    {
        warm_ups.push_back(sloped_warm_up(q, slope));
    }
    for (const Filling& filling : fillings(q))
    {
        for (const auto& warm : warm_ups)
        {
            if (search.may_spend(q.operations()))
            {
                try_loop(search, {warm, {}, filling, {}});
            }
        }
    }
    while (refine(search) || refine_ranks(search) || vary_warm_up(search))
    {
    }
}

// 1F1B with its backward split: every W right after its I.
Attempt split_one_f_one_b(const Problem& q)
{
    Steps skeleton(index(q.ranks));
    const Steps plain = warm_up_skeleton(q, one_f_one_b_warm_up(q));
    for (std::size_t r = 0; r < plain.size(); ++r)
    {
        for (const Step step : plain[r])
        {
            skeleton[r].push_back(step);
            if (kind_of(step) == kInput)
            {
                skeleton[r].push_back(make_step(kWeight, 0));
            }
        }
    }
    return Filler(q, skeleton, {}).run();
}

// No 1F1B ends sooner: its last rank works through every micro-batch, and the last gradient then goes all the
// way back.
double least_one_f_one_b(const Problem& q)
{
    double t = q.first_pass + q.work(q.ranks - 1) - q.cost_of(q.ranks - 1, kWeight) + q.cost_of(0, kWeight);
    for (int r = 0; r + 1 < q.ranks; ++r)
    {
        t += q.cost_of(r, kInput) + q.transfer;
    }
    return t;
}

Attempt best_loop(const Problem& q, const Problem& sample)
{
    Search search(sample, q.micro_batches - sample.micro_batches);
    search_loop(search);
    while (sample.micro_batches == q.micro_batches &&
           (polish(search) || refine(search) || refine_ranks(search)))
    {
    }
    Attempt best = search.take_best();
    if (sample.micro_batches < q.micro_batches)
    {
        const Recipe& recipe = search.recipe();
        best = Filler(q, warm_up_skeleton(q, recipe.warm), absolute(q, recipe.filling)).run();
    }
    const bool sure = best.score.makespan <= least_one_f_one_b(q) * (1 + kSame);
    if (!sure)
    {
        Attempt plain = split_one_f_one_b(q);
        if (plain.score.makespan < best.score.makespan * (1 - kSame))
        {
            return plain;
        }
    }
    return best;
}

// --- two chunks ---

// Fills a pattern, pulls passes forward, and fills what came of it again. Returns whether that was an
// improvement.
bool try_pattern(Search& search, const Recipe& recipe)
{
    const Problem& q = search.problem();
    const Filling filling = absolute(q, recipe.filling);
    const Steps skeleton = pattern_skeleton(q, recipe.pattern);
    Attempt plain = Filler(q, skeleton, filling).run();
    search.spend(q.operations());
    if (!plain.score.valid())
    {
        return false;
    }
    Attempt pulled = Puller(q, skeleton, plain.ready, filling, recipe.pull).run();
    search.spend(5 * q.operations());
    bool better = search.consider(std::move(plain), recipe);
    if (pulled.score.valid())
    {
        const Steps squeezed = without_weights(pulled.plan);
        for (const double tighter : {1.0, 0.98})
        {
            Filling again = filling;
            again.span = pulled.score.span * tighter;
            again.finish_by = kNever;
            better = search.consider(Filler(q, squeezed, again).run(), recipe) || better;
            search.spend(q.operations());
        }
        better = search.consider(std::move(pulled), recipe) || better;
    }
    return better;
}

constexpr std::int64_t kPatternEffort = 8; // operations placed by try_pattern, per operation of the problem

struct Start
{
    Pattern pattern;
    double span;     // Filling
    double patience; // Pull
    int most_pending = std::numeric_limits<int>::max();
};

// Patterns that did well for many ranks, costs and transfers, the most useful first. What a little memory
// allows is near the shortest lifespans (V-min), what more allows takes its time in one direction (V-half),
// and with plenty gradients come back slowly between other work (V-ZB).
constexpr std::array kLittleMemory = {
    Start{{{1, 1, 1, 1}, 2, 6, false}, kNever, 0.5, 1}, Start{{{1, 1, 1, 1}, 0, 6, false}, kNever, 0.5},
    Start{{{1, 1, 1, 1}, 3, 6, false}, kNever, 0.5, 1}, Start{{{1, 1, 1, 1}, 0, 6, false}, 0, 0, 1},
    Start{{{1, 1, 2, 1}, 0, 6, false}, 0, 0.5, 1},      Start{{{1, 1, 1, 1}, 3, 6, false}, 0, 0.5},
    Start{{{1, 1, 1, 1}, 4, 6, true}, kNever, 0.5, 1},  Start{{{1, 1, 1, 1}, 3, 6, false}, kNever, 0.5},
    Start{{{1, 1, 1, 1}, 4, 6, false}, kNever, 0.5, 1}};
constexpr std::array kMoreMemory = {
    Start{{{1, 2, 1, 2}, 3, 6, false}, kNever, 0.5},  Start{{{1, 2, 1, 2}, 4, 6, true}, kNever, 0.5, 1},
    Start{{{1, 2, 1, 2}, 2, 6, true}, kNever, 0, 1},  Start{{{1, 1, 4, 2}, 1, 6, false}, 0, 0, 1},
    Start{{{1, 2, 1, 3}, 2, 6, false}, kNever, 0.5},  Start{{{1, 1, 2, 2}, 3, 6, false}, 0, 0.5},
    Start{{{1, 1, 3, 2}, 1, 6, true}, 0, 0.5, 1},     Start{{{1, 1, 2, 1}, 3, 6, false}, kNever, 0.5, 1},
    Start{{{1, 1, 4, 3}, 1, 6, false}, kNever, 0, 1}, Start{{{1, 1, 2, 2}, 4, 6, false}, kNever, 0}};
constexpr std::array kPlentyOfMemory = {
    Start{{{3, 3, 3, 3}, 0, 6, true}, 0, 0},       Start{{{2, 2, 4, 4}, 2, 6, false}, 0, 0},
    Start{{{2, 3, 3, 3}, 0, 6, true}, 0, 0},       Start{{{1, 2, 4, 2}, 2, 6, true}, kNever, 0.5},
    Start{{{2, 2, 4, 4}, 2, 6, false}, kNever, 0}, Start{{{1, 2, 4, 4}, 0, 6, false}, kNever, 0},
    Start{{{2, 3, 3, 4}, 0, 6, true}, 0, 0},       Start{{{1, 1, 4, 1}, 4, 6, false}, 0, 0.5}};

// The starts that suit the memory and then the more frugal ones, but those without collisions first: with
// many ranks there is time for a few only.
std::vector<Start> starts(const Problem& q)
{
    std::vector<Start> all;
    const auto add = [&all](const auto& some) { all.insert(all.end(), some.begin(), some.end()); };
    const int limit = q.capacity / kForwardTakes;
    if (4 * limit >= 7 * q.ranks)
    {
        add(kPlentyOfMemory);
    }
    if (limit > q.ranks)
    {
        add(kMoreMemory);
    }
    add(kLittleMemory);
    std::stable_partition(all.begin(), all.end(),
                          [&q](const Start& s) { return s.pattern.collisions(q.ranks) == 0; });
    return all;
}

// The neighbours of the best so far, as long as that leads anywhere.
bool improve_v(Search& search)
{
    const Problem& q = search.problem();
    const std::int64_t effort = kPatternEffort * q.operations();
    bool better = false;
    std::vector<Recipe> recipes(7, search.recipe());
    recipes[0].pull.patience = search.recipe().pull.patience > 0 ? 0 : 0.5;
    recipes[1].pull.spare = search.recipe().pull.spare > 0 ? 0 : 1;
    recipes[2].filling.span = search.recipe().filling.span > 0 ? 0 : kNever;
    recipes[3].filling.most_pending =
        search.recipe().filling.most_pending > 2 ? 2 : std::numeric_limits<int>::max();
    recipes[4].pattern.weights = !search.recipe().pattern.weights;
    recipes[5].pattern.turn += 1;
    recipes[6].pattern.turn = std::max(0, recipes[6].pattern.turn - 1);
    for (std::size_t k = 0; k < 4; ++k)
    {
        for (const int change : {1, -1})
        {
            recipes.push_back(search.recipe());
            int& step = recipes.back().pattern.step[k];
            step = std::max(1, step + change);
        }
    }
    for (const Recipe& recipe : recipes)
    {
        if (fits(q, recipe.pattern) && search.may_spend(effort))
        {
            better = try_pattern(search, recipe) || better;
        }
    }
    return better;
}

void search_v(Search& search)
{
    const Problem& q = search.problem();
    for (const Start& start : starts(q))
    {
        if (fits(q, start.pattern) && search.may_spend(kPatternEffort * q.operations()))
        {
            try_pattern(search,
                        {{}, start.pattern, {kNever, start.span, start.most_pending}, {start.patience, 0}});
        }
    }
    // Less memory than the shortest period needs: micro-batches follow each other more slowly. In the end
    // there is only one at a time, and that fits anywhere.
    for (int period = 6; !search.best().score.valid(); period += 1 + period / 8)
    {
        const Pattern slower{{1, 1, 1, 1}, 0, period};
        if (fits(q, slower))
        {
            try_pattern(search, {{}, slower, {kNever, 0}, {0.5, 0}});
        }
    }
    while (improve_v(search) || refine(search))
    {
    }
}

// Repeats the middle of a plan: `round` micro-batches, from forward `from` on.
struct Middle
{
    int from = 0;
    int round = 1;
};

std::size_t place_of_forward(const std::vector<Step>& steps, int micro_batch)
{
    return static_cast<std::size_t>(std::find(steps.begin(), steps.end(), make_step(kForward, micro_batch)) -
                                    steps.begin());
}

// Whether every rank does the same things there equally often, so that repeating them leaves nothing out.
bool can_repeat(const Steps& plan, const Middle& middle)
{
    for (const auto& steps : plan)
    {
        std::array<int, kKinds> count{};
        const std::size_t end = place_of_forward(steps, middle.from + middle.round);
        for (std::size_t i = place_of_forward(steps, middle.from); i < end; ++i)
        {
            ++count[index(kind_of(steps[i]))];
        }
        if (std::any_of(count.begin(), count.begin() + kWeight, [&](int n) { return n != middle.round; }))
        {
            return false;
        }
    }
    return true;
}

// `more` must be a multiple of the middle's round.
Steps stretched(const Steps& plan, const Middle& middle, int more)
{
    Steps longer(plan.size());
    for (std::size_t r = 0; r < plan.size(); ++r)
    {
        const auto& steps = plan[r];
        const std::size_t begin = place_of_forward(steps, middle.from);
        const std::size_t end = place_of_forward(steps, middle.from + middle.round);
        auto& out = longer[r];
        out.reserve(steps.size() + index(more / middle.round) * (end - begin));
        out.insert(out.end(), steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(begin));
        for (int shift = 0; shift < more; shift += middle.round)
        {
            for (std::size_t i = begin; i < end; ++i)
            {
                out.push_back(steps[i] + make_step(0, shift));
            }
        }
        for (std::size_t i = begin; i < steps.size(); ++i)
        {
            out.push_back(steps[i] + make_step(0, more));
        }
    }
    return longer;
}

// A multiple of every round tried.
constexpr int kRounds = 12;

// A step long enough to show every phase, and short enough for that many tries.
int sample_micro_batches(const Problem& q, int tries)
{
    const bool loop = q.chunks == 1;
    const std::int64_t effort = (loop ? 1 : kPatternEffort) * tries * 3 * q.ranks * q.chunks;
    const std::int64_t needed = loop ? 2 * q.ranks : std::max(16, q.ranks + q.ranks / 2);
    const std::int64_t sample = std::max(kEffort / effort, needed);
    const std::int64_t left_out = std::max<std::int64_t>(0, q.micro_batches - sample) / kRounds * kRounds;
    return q.micro_batches - static_cast<int>(left_out);
}

// The plan of `sample` made longer for `q`, where the middle costs least. Empty when nothing can be repeated.
Attempt lengthen(const Problem& q, const Problem& sample, const Steps& plan)
{
    const Problem probe = with_micro_batches(q, sample.micro_batches + kRounds);
    const int first = sample.micro_batches / 2 - 2;
    Middle best;
    double soonest = kNever;
    std::int64_t spent = 0;
    for (const int round : {1, 2, 3, 4})
    {
        for (int from = first; from < first + 4 && (spent < kEffort || soonest == kNever); ++from)
        {
            const Middle middle{from, round};
            if (from < 0 || from + round >= sample.micro_batches || !can_repeat(plan, middle))
            {
                continue;
            }
            spent += probe.operations();
            const double t = Filler(probe, stretched(plan, middle, kRounds), {}).run().score.makespan;
            if (t < soonest * (1 - kSame))
            {
                soonest = t;
                best = middle;
            }
        }
    }
    if (soonest == kNever)
    {
        return {};
    }
    return Filler(q, stretched(plan, best, q.micro_batches - sample.micro_batches), {}).run();
}

Attempt best_v(const Problem& q, const Problem& sample)
{
    Search search(sample, q.micro_batches - sample.micro_batches);
    search_v(search);
    while (polish(search) || refine(search) || refine_ranks(search))
    {
    }
    if (sample.micro_batches == q.micro_batches)
    {
        return search.take_best();
    }
    const Recipe recipe = search.recipe();
    Search full(q, 0);
    full.consider(lengthen(q, sample, search.best().plan), recipe);
    const double ideal = search.best().score.makespan + q.busiest - sample.busiest;
    const auto drifts = [&]
    { return !full.best().score.valid() || full.best().score.makespan > 1.01 * ideal; };
    const Problem longer = with_micro_batches(q, sample_micro_batches(q, 1));
    if (drifts() && longer.micro_batches > sample.micro_batches)
    {
        Search again(longer, q.micro_batches - longer.micro_batches);
        try_pattern(again, recipe);
        full.consider(lengthen(q, longer, again.best().plan), recipe);
    }
    if (drifts())
    {
        full.consider(Filler(q, pattern_skeleton(q, recipe.pattern), absolute(q, recipe.filling)).run(),
                      recipe);
    }
    return full.take_best();
}

// --- both ---

Order to_order(const Problem& q, const Steps& plan)
{
    constexpr std::array<Pass, 3> kPasses = {Pass::forward, Pass::input, Pass::weight};
    Order order(plan.size());
    for (int r = 0; r < q.ranks; ++r)
    {
        order[index(r)].reserve(plan[index(r)].size());
        for (const Step step : plan[index(r)])
        {
            Operation operation;
            operation.pass = kPasses[index(kind_of(step) / 2)];
            operation.stage = kind_of(step) % 2 == 0 ? r : 2 * q.ranks - 1 - r;
            operation.micro_batch = micro_batch_of(step);
            order[index(r)].push_back(operation);
        }
    }
    return order;
}

} // namespace

std::int64_t zb_h1_limit(std::int64_t ranks)
{
    return ranks;
}

std::int64_t zb_h2_limit(std::int64_t ranks)
{
    return 2 * ranks;
}

std::int64_t v_min_limit(std::int64_t ranks)
{
    return 2 * ((ranks + 4) / 3);
}

std::int64_t v_half_limit(std::int64_t ranks)
{
    return 2 * ((ranks + 2) / 2);
}

std::int64_t zb_v_limit(std::int64_t ranks)
{
    return 2 * ranks;
}

Order zero_bubble_order(const ScheduleShape& shape, const Costs& costs, const ZeroBubbleGoal& goal)
{
    const Problem q = make_problem(shape, costs, goal);
    const Problem sample = with_micro_batches(q, sample_micro_batches(q, q.chunks == 1 ? 24 : 8));
    return to_order(q, (q.chunks == 1 ? best_loop(q, sample) : best_v(q, sample)).plan);
}

} // namespace ringside
