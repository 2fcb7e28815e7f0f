#include "core/lab/trainer/replay.h"

namespace ringside::trainer
{

bool Replay::small(const Tokens& batch) const
{
    constexpr double kMostFlops = 1e12; // some milliseconds of a GPU
    return 6 * static_cast<double>(parameters_) * static_cast<double>(batch.rows()) < kMostFlops;
}

bool Replay::train(Network& network, const Tokens& batch, const LossWeights& weights, float* losses,
                   const Onlookers& onlookers)
{
    if (refused_ || arena_.recording() || onlookers.activations || onlookers.gradients ||
        onlookers.first_bad || !small(batch))
    {
        return network.train(batch, weights, losses, onlookers);
    }
    const Places here{{batch.tokens, batch.targets, losses}, weights, arena_.trims(), backend_.workspace()};
    if (here != last_)
    {
        last_ = here;
        recorded_ = false;
        const bool done = network.train(batch, weights, losses, onlookers);
        if (done) // the first of a network makes room, which the next one finds
        {
            last_.trims = arena_.trims();
            last_.workspace = backend_.workspace();
        }
        return done;
    }
    return recorded_ ? again(onlookers) : record(network, batch, weights, losses, onlookers);
}

bool Replay::record(Network& network, const Tokens& batch, const LossWeights& weights, float* losses,
                    const Onlookers& onlookers)
{
    if (!backend_.start_recording())
    {
        refused_ = true;
        return network.train(batch, weights, losses, onlookers);
    }
    timeline_.clear();
    Onlookers recording = onlookers;
    recording.timeline = &timeline_;
    bool done = false;
    try
    {
        done = network.train(batch, weights, losses, recording);
    }
    catch (...)
    {
        backend_.finish_recording();
        throw;
    }
    const bool whole = backend_.finish_recording();
    if (!done)
    {
        return false;
    }
    if (!whole || arena_.trims() != last_.trims || backend_.workspace() != last_.workspace)
    {
        refused_ = true;
        return network.train(batch, weights, losses, onlookers);
    }
    peak_ = arena_.peak();
    highest_ = arena_.highest();
    recorded_ = true;
    return again(onlookers);
}

bool Replay::again(const Onlookers& onlookers)
{
    if (onlookers.stop && onlookers.stop->load(std::memory_order_relaxed))
    {
        return false;
    }
    backend_.replay();
    ++replays_;
    arena_.note_peak(peak_, highest_);
    if (onlookers.timeline)
    {
        onlookers.timeline->insert(onlookers.timeline->end(), timeline_.begin(), timeline_.end());
    }
    return true;
}

} // namespace ringside::trainer
