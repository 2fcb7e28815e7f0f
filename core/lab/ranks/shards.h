// A rank's weights, gradients and optimizer state, cut over its replicas as ZeRO says (Rajbhandari et al.,
// arXiv 1910.02054, section 5). They come in units (0 the embedding, 1 ... the layers, then the head) that
// are reduced and gathered one by one, as FSDP does it; so a rank's shard is a part of every unit. A layer's
// experts are apart: only ranks that hold the same ones have copies (Rajbhandari et al., DeepSpeed-MoE, arXiv
// 2201.05596, section 4.1). Where the team compresses gradients, each unit is a bucket of its own.
//
// A buffer of experts holds a run of rows per rank, so an all-to-all needs no permutation before or after
// it.
#pragma once

#include "core/lab/ranks/communication/communicator.h"
#include "core/lab/team/team.h"
#include "core/lab/trainer/network/parameters.h"
#include "core/lab/trainer/trainer.h"

namespace ringside::parallel
{

class CompressedSum;

using trainer::Arena;
using trainer::Backend;
using trainer::Block;
using trainer::Tensor;

class Shards final : public trainer::ParameterStore
{
public:
    // Who has the same weights; collectives over them run on the communicators' own threads.
    struct Replicas
    {
        Communicator& dense;
        Communicator& experts;
    };
    Shards(const TeamConfig& config, const trainer::Piece& piece, Backend& backend, Arena& arena,
           const Replicas& replicas, Memory& memory);
    ~Shards() override;

    Index units() const { return static_cast<Index>(table().layers.size()) + 2; }
    Tensor weight(int place) const override;
    Tensor gradient(int place) const override;

    void initialise(std::uint64_t seed);
    void clear_gradients();

    // ZeRO-3: waits until the unit's weights are gathered; prefetch() starts on it.
    void need(Index unit);
    void prefetch(Index unit);
    void free(Index unit);
    // ZeRO-2: room for the unit's gradients, which is there until they are reduced.
    void need_gradients(Index unit);
    // Starts to sum the unit's gradients over the replicas; once a step, from ZeRO-2 on once a micro-batch.
    void reduce(Index unit);
    void finish_reducing();

    // The sum of squares of the reduced gradients that this rank answers for among its replicas, at places in
    // `counted`.
    double sum_of_squares(const std::vector<bool>& counted);
    // Fills in the parts of an update that belong to the parameters, runs it, and shares the new weights.
    void update(trainer::Update update);

    // This rank's elements in the whole model's state, as one device has it. Of places in `counted` only.
    void copy_to(trainer::TrainerState& whole, const std::vector<bool>& counted);
    void copy_from(const trainer::TrainerState& whole);

private:
    struct Unit
    {
        Communicator* replicas = nullptr;
        std::vector<int> places;
        Index elements = 0; // with what makes them a multiple of the replicas
        Index decayed = 0;  // the first so many are matrices
        Block weights;      // all of them; with ZeRO-3 while they are gathered
        Block gradients;    // all of them; from ZeRO-2 on while a backward fills them
        Block shard_weights;
        Block shard_gradients;
        Block momentum;
        Block variance;
        Block master;
        Block unsent; // what a compressor has not sent yet
        std::unique_ptr<CompressedSum> compressed;
        Pending gathering;
        Pending reducing;
    };
    // Elements [first, first + count) of a unit.
    struct Range
    {
        Index first = 0;
        Index count = 0;
    };
    // Where a place lies.
    struct Home
    {
        std::size_t unit = 0;
        Index offset = 0;
    };
    struct State;

    void add_unit(const std::vector<int>& places, Communicator& replicas);
    void take_memory(Unit& unit);
    void compress(Unit& unit, const CompressionOptions& options, std::uint64_t seed);
    // A unit, and a layer's experts.
    std::vector<Unit*> parts_of(Index unit);
    void prefetch(Unit& unit);
    void reduce(Unit& unit);
    Tensor matrix(int place, Block Unit::*block, DType type) const;
    const Home& home(int place) const { return homes_[static_cast<std::size_t>(place)]; }
    // What this rank keeps of something that is cut from ZeRO stage `from` on.
    Range held(const Unit& unit, std::int64_t from) const;
    void* reduced_gradients(const Unit& unit) const;
    void release_reduced(Unit& unit);
    void share_weights();
    // Parts of the state: their names, and where this rank's elements are.
    std::vector<State> states(Unit& unit);
    // Calls copy(here, in the whole, bytes) for each run of neighbours of one part of one place.
    template <class Copy>
    void each_run(int place, const State& state, const Copy& copy) const;

    std::int64_t zero_;
    Backend& backend_;
    Arena& arena_;
    Memory& memory_;
    std::vector<Unit> units_; // behind the last one, the layers' experts
    std::vector<Home> homes_; // by place
};

} // namespace ringside::parallel
