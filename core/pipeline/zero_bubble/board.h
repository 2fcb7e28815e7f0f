// The ranks of a pipeline and what they have done so far: runs one step after the other as soon as it can
// start, and knows what is pending, what is kept and when inputs arrive. Which step comes next is decided by
// fill.h and squeeze.h.
#pragma once

#include "core/pipeline/zero_bubble/problem.h"

namespace ringside::zero_bubble
{

// What an order is worth. The longest span of a rank, from its first start to its last end, is what every
// step costs when the optimizer does not wait for all ranks (arXiv 2401.10241, section 4); the makespan
// counts when it does. Orders that are good at one are nearly always good at the other, so a weighted sum
// decides.
struct Score
{
    double makespan = kNever;
    double span = kNever;
    std::int32_t peak = kAny; // micro-batches of a chunk kept until their W

    bool valid() const { return makespan < kNever; }
    bool better_than(const Score& other) const;
};

// How willingly a rank idles: it must be able to end at `finish_by` and within `span` of its start.
struct Filling
{
    double finish_by = kNever;
    double span = kNever;
    std::int32_t most_pending = kAny; // W left undone while there are forwards to come
};

// A plan, and what it came to.
struct Attempt
{
    Score score;
    Steps plan;
    std::vector<double> ready; // [kind][rank][micro-batch] when its input is there
};

class Board
{
public:
    static constexpr std::int32_t kNobody = -1;

    explicit Board(const Problem& problem);

    double free_at(std::int32_t r) const { return ranks_[index(r)].free; }
    std::int32_t done(std::int32_t r, Kind kind) const { return ranks_[index(r)].done[index(kind)]; }
    bool full(std::int32_t r) const { return ranks_[index(r)].held >= problem_.capacity; }
    bool forwards_left(std::int32_t r) const;
    // When the input of a forward or an input gradient is there; kNever where nobody knows yet.
    double ready(std::int32_t r, Kind kind, std::int32_t micro_batch) const
    {
        return ready_[at(r, kind, micro_batch)];
    }
    std::int32_t pending(std::int32_t r) const // W that can run
    {
        const Rank& rank = ranks_[index(r)];
        return static_cast<std::int32_t>(rank.pending.size() - rank.weights);
    }
    double next_weight(std::int32_t r) const // time of the next of them
    {
        const Rank& rank = ranks_[index(r)];
        return problem_.cost_of(r, kind_of(rank.pending[rank.weights]));
    }
    // Whether the rank can idle for `gap` and still end as `filling` asks.
    bool can_idle(std::int32_t r, double gap, const Filling& filling) const;

    void wait_until(std::int32_t r, double t);
    // Runs a forward or an input gradient as soon as it can. Returns the rank whose input that is, or
    // kNobody.
    std::int32_t put(std::int32_t r, Kind kind);
    void put_weight(std::int32_t r);
    // Runs what is pending. The board is empty after that.
    Attempt finish();

    // Where `ready` of an Attempt has it.
    std::size_t at(std::int32_t r, Kind kind, std::int32_t micro_batch) const
    {
        return index(kind * problem_.ranks + r) * index(problem_.micro_batches) + index(micro_batch);
    }

private:
    struct Rank
    {
        double free = 0;
        double first = -1;     // start of its first operation
        double left = 0;       // time of what it has still to do
        std::int32_t held = 0; // micro-batches until their W
        std::int32_t peak = 0;
        std::array<std::int32_t, kWeight> done{};
        std::vector<Step> pending; // W in the order of their I
        std::size_t weights = 0;   // of these, done
    };

    void record(std::int32_t r, Step step);
    std::int32_t pass_on(std::int32_t r, Kind kind, std::int32_t micro_batch);

    const Problem& problem_;
    std::vector<Rank> ranks_;
    Steps plan_;
    std::vector<double> ready_; // see at()
};

} // namespace ringside::zero_bubble
