// Goes round the ranks until all are done: each runs its skeleton as far as its inputs are known, and wakes
// the rank whose input it made. No clock is needed, because a rank decides from its own past alone.
#include "core/pipeline/zero_bubble/fill.h"

#include <algorithm>
#include <iterator>

namespace ringside::zero_bubble
{

namespace
{

class Filler
{
public:
    Filler(const Problem& problem, const Steps& skeleton, const Filling& filling)
        : skeleton_(skeleton), filling_(filling), board_(problem), next_(skeleton.size(), 0)
    {
    }

    Attempt run()
    {
        std::vector<std::int32_t> to_try; // ranks that may be able to go on, rank 0 first
        for (auto r = static_cast<std::int32_t>(skeleton_.size()); r > 0; --r)
        {
            to_try.push_back(r - 1);
        }
        while (!to_try.empty())
        {
            const std::int32_t r = to_try.back();
            to_try.pop_back();
            go_on(r, to_try);
        }
        for (std::size_t r = 0; r < skeleton_.size(); ++r)
        {
            if (next_[r] < skeleton_[r].size())
            {
                return {};
            }
        }
        return board_.finish();
    }

private:
    static constexpr std::int32_t kStuck = Board::kNobody - 1;

    void go_on(std::int32_t r, std::vector<std::int32_t>& to_try)
    {
        const auto& steps = skeleton_[index(r)];
        std::size_t& next = next_[index(r)];
        for (; next < steps.size(); ++next)
        {
            const std::int32_t woken = run_step(r, steps[next]);
            if (woken == kStuck)
            {
                return;
            }
            if (woken != Board::kNobody && woken != r)
            {
                to_try.push_back(woken);
            }
        }
    }

    std::int32_t run_step(std::int32_t r, Step step)
    {
        const Kind kind = kind_of(step);
        if (kind >= kWeight)
        {
            if (board_.pending(r) > 0)
            {
                board_.put_weight(r);
            }
            return Board::kNobody;
        }
        const double ready = board_.ready(r, kind, micro_batch_of(step));
        if (ready == kNever || !make_room(r, kind))
        {
            return kStuck;
        }
        fill_gap(r, ready);
        return board_.put(r, kind);
    }

    bool make_room(std::int32_t r, Kind kind)
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

    void fill_gap(std::int32_t r, double ready)
    {
        while (board_.pending(r) > 0)
        {
            const double gap = ready - board_.free_at(r);
            const bool too_short = gap < board_.next_weight(r) * (1 - kSame);
            if (gap <= kSame * ready || (too_short && board_.can_idle(r, gap, filling_)))
            {
                return;
            }
            board_.put_weight(r);
        }
    }

    const Steps& skeleton_;
    const Filling& filling_;
    Board board_;
    std::vector<std::size_t> next_; // [rank] place in the skeleton
};

} // namespace

Attempt fill(const Problem& problem, const Steps& skeleton, const Filling& filling)
{
    return Filler(problem, skeleton, filling).run();
}

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

} // namespace ringside::zero_bubble
