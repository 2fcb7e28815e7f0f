// One step at a time: it starts when its rank is free and its input is there, and its end is when the next
// rank's input is there, a transfer later.
#include "core/pipeline/zero_bubble/board.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringside::zero_bubble
{

bool Score::better_than(const Score& other) const
{
    // The span is what the schedules are published for; the makespan has to break near ties only.
    constexpr double kSpanWeight = 8;
    if (!valid() || !other.valid())
    {
        return valid() && !other.valid();
    }
    const double mine = makespan + kSpanWeight * span;
    const double theirs = other.makespan + kSpanWeight * other.span;
    return std::abs(mine - theirs) > kSame * theirs ? mine < theirs : peak < other.peak;
}

Board::Board(const Problem& problem)
    : problem_(problem), ranks_(index(problem.ranks)), plan_(index(problem.ranks)),
      ready_(index(kWeight * problem.ranks) * index(problem.micro_batches), kNever)
{
    const std::size_t passes = index(problem.chunks * problem.micro_batches);
    for (std::int32_t r = 0; r < problem.ranks; ++r)
    {
        plan_[index(r)].reserve(3 * passes);
        ranks_[index(r)].pending.reserve(passes);
        ranks_[index(r)].left = problem.work(r);
    }
    std::fill_n(ready_.begin(), problem.micro_batches, 0.0);
}

bool Board::forwards_left(std::int32_t r) const
{
    return done(r, kForward) < problem_.micro_batches ||
           done(r, kForward + problem_.chunks - 1) < problem_.micro_batches;
}

bool Board::can_idle(std::int32_t r, double gap, const Filling& filling) const
{
    const Rank& rank = ranks_[index(r)];
    const double end = std::min(filling.finish_by, std::max(rank.first, 0.0) + filling.span);
    return gap <= (end - rank.free - rank.left) * (1 + kSame);
}

void Board::wait_until(std::int32_t r, double t)
{
    double& free = ranks_[index(r)].free;
    free = std::max(free, t);
}

std::int32_t Board::put(std::int32_t r, Kind kind)
{
    Rank& rank = ranks_[index(r)];
    const std::int32_t micro_batch = rank.done[index(kind)]++;
    rank.free = std::max(rank.free, ready(r, kind, micro_batch));
    record(r, make_step(kind, micro_batch));
    if (kind < kInput)
    {
        rank.peak = std::max(rank.peak, ++rank.held);
    }
    else
    {
        rank.pending.push_back(make_step(kind + kWeight - kInput, micro_batch));
    }
    return pass_on(r, kind, micro_batch);
}

void Board::put_weight(std::int32_t r)
{
    Rank& rank = ranks_[index(r)];
    record(r, rank.pending[rank.weights++]);
    --rank.held;
}

void Board::record(std::int32_t r, Step step)
{
    Rank& rank = ranks_[index(r)];
    if (rank.first < 0)
    {
        rank.first = rank.free;
    }
    const double cost = problem_.cost_of(r, kind_of(step));
    rank.free += cost;
    rank.left -= cost;
    plan_[index(r)].push_back(step);
}

// Forwards go down through chunk 0 and up through chunk 1, gradients the same way back.
std::int32_t Board::pass_on(std::int32_t r, Kind kind, std::int32_t micro_batch)
{
    const bool forward = kind < kInput;
    const bool down = forward == (chunk_of(kind) == 0);
    std::int32_t next_rank = r + (down ? 1 : -1);
    Kind next_kind = kind;
    if (next_rank < 0 || next_rank >= problem_.ranks)
    {
        const std::int32_t last = problem_.chunks - 1;
        if (kind == kInput)
        {
            return kNobody;
        }
        next_rank = r;
        next_kind = !forward ? kInput : (chunk_of(kind) < last ? kForward + 1 : kInput + last);
    }
    const double transfer = next_rank == r ? 0 : problem_.transfer;
    ready_[at(next_rank, next_kind, micro_batch)] = free_at(r) + transfer;
    return next_rank;
}

Attempt Board::finish()
{
    Attempt attempt;
    attempt.score = {0, 0, 0};
    for (std::int32_t r = 0; r < problem_.ranks; ++r)
    {
        while (pending(r) > 0)
        {
            put_weight(r);
        }
        const Rank& rank = ranks_[index(r)];
        attempt.score.makespan = std::max(attempt.score.makespan, rank.free);
        attempt.score.span = std::max(attempt.score.span, rank.free - rank.first);
        attempt.score.peak = std::max(attempt.score.peak, rank.peak);
    }
    attempt.plan = std::move(plan_);
    attempt.ready = std::move(ready_);
    return attempt;
}

} // namespace ringside::zero_bubble
