// Inside of rank_trainer.cpp: what a rank's network asks of the others while it runs.
#pragma once

#include "core/lab/ranks/rank_trainer.h"

#include <algorithm>
#include <deque>
#include <vector>

namespace ringside::parallel
{

// Units are gathered and reduced as the network comes to them; inside a layer, the tensor group's parts are
// put together.
class RankTrainer::Others final : public trainer::Partners
{
public:
    explicit Others(RankTrainer& rank) : r_(rank), backwards_(static_cast<std::size_t>(rank.shards_.units()))
    {
    }

    void start_step() { std::ranges::fill(backwards_, 0); }

    void before_forward(Index unit) override
    {
        r_.shards_.need(unit);
        if (unit + 1 < r_.shards_.units())
        {
            r_.shards_.prefetch(unit + 1); // the head's are used at the start of the backward
        }
    }
    void after_forward(Index unit) override { r_.shards_.free(unit); }
    void before_backward(Index unit) override
    {
        r_.shards_.need(unit);
        r_.shards_.need_gradients(unit);
        if (ties_head(unit))
        {
            r_.shards_.need(0);
            r_.shards_.need_gradients(0);
        }
        else if (unit > 1)
        {
            r_.shards_.prefetch(unit - 1);
        }
    }
    void after_backward(Index unit) override
    {
        r_.shards_.free(unit);
        if (ties_head(unit))
        {
            r_.shards_.free(0);
        }
        const bool last = ++backwards_[static_cast<std::size_t>(unit)] == r_.plan_.micro_batches;
        if (last || r_.config_.parallel.zero >= 2)
        {
            sum_norms(unit);
            if (r_.fault_.kind == RankFault::left_out)
            {
                r_.fault_ = {}; // this one only
            }
            else if (!waits_for_other_end(unit))
            {
                r_.shards_.reduce(unit);
            }
        }
    }

    Index tensor_ranks() const override { return r_.plan_.piece.tensor_ranks; }
    Index tensor_rank() const override { return r_.plan_.piece.tensor_rank; }
    bool sequence_parallel() const override
    {
        return r_.config_.parallel.sequence_parallel && tensor_ranks() > 1;
    }
    void all_reduce(const Tensor& sum) override
    {
        r_.backend_.wait();
        r_.tensor_->all_reduce(sum.data, sum.type, sum.elements());
    }
    void reduce_scatter(const Tensor& whole, const Tensor& own) override
    {
        r_.backend_.wait();
        r_.tensor_->reduce_scatter(whole.data, own.data, whole.type, whole.elements());
    }
    void all_gather(const Tensor& own, const Tensor& whole) override
    {
        r_.backend_.wait();
        r_.tensor_->all_gather(own.data, whole.data, whole.type, whole.elements());
    }

    Index context_ranks() const override { return r_.context_->ranks(); }
    Index context_rank() const override { return r_.plan_.place.context; }
    void pass_on(const Tensor& out, const Tensor& in) override
    {
        r_.backend_.wait();
        Communicator& ring = *r_.context_;
        passing_.push_back(ring.start(
            [&ring, out, in]
            {
                const int next = (ring.rank() + 1) % ring.ranks();
                const int before = (ring.rank() + ring.ranks() - 1) % ring.ranks();
                ring.exchange(next, out.data, out.elements(), before, in.data, in.elements(), out.type);
            }));
    }
    void passed() override
    {
        passing_.front().wait();
        passing_.pop_front();
    }

    Index expert_ranks() const override { return r_.plan_.piece.expert_ranks; }
    void all_to_all(const Tensor& out, const Tensor& in) override
    {
        r_.backend_.wait();
        const auto ranks = static_cast<std::size_t>(expert_ranks());
        const std::vector<Index> each(ranks, out.elements() / expert_ranks());
        r_.experts_->all_to_all(out.data, each, in.data, each, out.type);
    }

    // Both ends of the pipeline have a copy of the embedding, whose gradients must be added up first.
    bool waits_for_other_end(Index unit) const
    {
        const bool holds =
            unit == 0 ? r_.plan_.piece.embedding : unit == r_.shards_.units() - 1 && r_.plan_.piece.head;
        return r_.embedding_ && holds;
    }

private:
    // Whether the head multiplies by the embedding of this very piece.
    bool ties_head(Index unit) const
    {
        const trainer::ParameterTable& t = r_.shards_.table();
        return unit == r_.shards_.units() - 1 && t.head >= 0 && t.head == t.embedding;
    }
    // With sequence parallelism a rank's norms have seen its own rows only.
    void sum_norms(Index unit)
    {
        if (!sequence_parallel())
        {
            return;
        }
        const trainer::ParameterTable& t = r_.shards_.table();
        const auto layers = static_cast<Index>(t.layers.size());
        std::vector<int> places;
        if (unit >= 1 && unit <= layers)
        {
            const trainer::LayerPlaces& l = t.layers[static_cast<std::size_t>(unit - 1)];
            places = {l.gain1, l.bias1, l.gain2, l.bias2};
        }
        else if (unit > layers)
        {
            places = {t.final_gain, t.final_bias};
        }
        for (const int place : places)
        {
            if (place >= 0)
            {
                all_reduce(r_.shards_.gradient(place));
            }
        }
    }

    RankTrainer& r_;
    std::vector<std::int64_t> backwards_; // of this step, by unit
    std::deque<Pending> passing_;         // round the context ring, in order
};

} // namespace ringside::parallel
