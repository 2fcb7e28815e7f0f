// What one device has of a model that several train together: some of its layers, the ends or not, and a
// share of every matrix that a tensor-parallel group splits.
#pragma once

#include "core/lab/trainer/operations.h"
#include "core/scenario/scenario.h"

#include <vector>

namespace ringside::trainer
{

struct Piece
{
    std::vector<Index> layers; // counted in the whole model, ascending
    bool embedding = true;
    bool head = true; // final norm and output projection
    Index tensor_ranks = 1;
    Index tensor_rank = 0;
    Index expert_ranks = 1; // share out the experts of every layer, equal, neighbouring parts
    Index expert_rank = 0;

    // The piece's own model: fewer layers, heads, columns of the MLP and words. tensor_ranks divides heads,
    // key/value heads, the MLP's width and the vocabulary.
    Model model(Model whole) const;
};
Piece whole_piece(const Model& model);

// What a network that is not alone asks of the others of its tensor group. With sequence parallelism
// (Korthikanti et al., arXiv 2205.05198, section 4.2.2) each holds some rows of the residual; without it
// (Shoeybi et al., arXiv 1909.08053, section 3) all hold all of them.
class Partners
{
public:
    Partners() = default;
    Partners(const Partners&) = delete;
    Partners& operator=(const Partners&) = delete;
    virtual ~Partners() = default;

    // Where in the step this device is: weights of a unit are about to be read, its gradients are complete
    // for this micro-batch. Units: 0 embedding, 1 ... layers, then the head.
    virtual void before_forward(Index /*unit*/) {}
    virtual void after_forward(Index /*unit*/) {}
    virtual void before_backward(Index /*unit*/) {}
    virtual void after_backward(Index /*unit*/) {}

    virtual Index tensor_ranks() const { return 1; }
    virtual Index tensor_rank() const { return 0; }
    virtual bool sequence_parallel() const { return false; }
    virtual void all_reduce(const Tensor& /*sum*/) {}
    virtual void reduce_scatter(const Tensor& /*whole*/, const Tensor& /*own*/) {} // whole is spoilt
    virtual void all_gather(const Tensor& /*own*/, const Tensor& /*whole*/) {}

    // Context parallelism (Liu et al., arXiv 2310.01889): the ranks of a ring hold pieces of every sequence.
    virtual Index context_ranks() const { return 1; }
    virtual Index context_rank() const { return 0; }
    // `out` goes to the next rank of the ring, `in` comes from the one before, while this one computes on.
    // passed() waits for the oldest that it has not yet waited for.
    virtual void pass_on(const Tensor& /*out*/, const Tensor& /*in*/) {}
    virtual void passed() {}

    // Expert parallelism (Lepikhin et al., arXiv 2006.16668, section 3): each rank of the group has other
    // tokens and other experts. Equal parts of `out`, one for each rank, against theirs for this one.
    virtual Index expert_ranks() const { return 1; }
    virtual void all_to_all(const Tensor& /*out*/, const Tensor& /*in*/) {}
};

// The pieces of a sequence that a rank of such a ring holds: of twice as many as there are ranks, one from
// the front and one from the back, so that a causal mask leaves all the same work (Llama 3, arXiv 2407.21783,
// section 3.3.2). `length` is what it holds of a sequence, even with more than one rank.
Cut cut_of(Index ranks, Index rank, Index length);

} // namespace ringside::trainer
