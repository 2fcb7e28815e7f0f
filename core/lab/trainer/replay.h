// Micro-batches of small models, recorded: on a GPU they take less time than asking for their operations one
// by one, so what was asked for twice in the very same memory is asked for in one go from then on (a CUDA
// graph). The same operations in the same order, so the same bits.
#pragma once

#include "core/lab/trainer/network/network.h"

#include <array>

namespace ringside::trainer
{

class Replay
{
public:
    Replay(Backend& backend, Arena& arena, Index parameters)
        : backend_(backend), arena_(arena), parameters_(parameters)
    {
    }

    // Network::train(), or its recording. Who looks into tensors sees them step by step.
    bool train(Network& network, const Tokens& batch, const LossWeights& weights, float* losses,
               const Onlookers& onlookers);
    // The network computes in another way from now on, or the backend may record again.
    void forget()
    {
        last_ = {};
        refused_ = false;
    }
    // Micro-batches that were replayed so far.
    std::int64_t replays() const { return replays_; }

private:
    // What a recording depends on beside the network.
    struct Places
    {
        std::array<const void*, 3> data{};
        LossWeights weights;
        std::int64_t trims = 0;
        Index workspace = 0;
        bool operator==(const Places&) const = default;
    };
    // Whether launches may take longer than the work; a step of a large model must be stoppable inside.
    bool small(const Tokens& batch) const;
    bool record(Network& network, const Tokens& batch, const LossWeights& weights, float* losses,
                const Onlookers& onlookers);
    bool again(const Onlookers& onlookers);

    Backend& backend_;
    Arena& arena_;
    Index parameters_;
    Places last_;
    bool recorded_ = false; // last_ is
    bool refused_ = false;  // by the backend
    std::vector<MemoryMoment> timeline_;
    MemoryUse peak_;
    MemoryUse highest_;
    std::int64_t replays_ = 0;
};

} // namespace ringside::trainer
