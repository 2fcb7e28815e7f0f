// One reader, batch by batch: workers take turns at the storage, prepare batches, put them into the prefetch
// queue, and the GPUs take them out. Jitter and faults come from a seed. How a mean comes about is in feed.h.
//
// The queue is PyTorch's: a worker starts a batch only while fewer than `prefetch` of its own are started
// and not taken. Hangs are counted in batches of the GPUs, so that a fault means the same for a step of one
// second and of one minute.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside
{

// Times of one batch in seconds. Out of range is brought into it.
struct FeedTimes
{
    std::int64_t workers = 3;  // 1 to 256
    std::int64_t prefetch = 2; // batches a worker has begun and nobody has taken, 1 to 64
    std::int64_t batches = 64; // that the GPUs take, 1 to 4096
    bool in_order = true;      // batch i is worker i mod W's, and none overtakes
    double gpu_s = 1;          // the GPUs work on one
    double read_s = 0;         // storage serves one read after the other
    double work_s = 1;         // of a worker's core
    double spread = 0.1;       // standard deviation of work_s, over it; 0 to 1
    double slow = 1;           // worker 0 takes so many times as long, from 1
    double spike_s = 0;        // one read in 24, drawn, hangs for so long
    double refill_s = 0;       // each worker's every 12th batch waits for its shuffle buffer

    bool operator==(const FeedTimes&) const = default;
};
inline constexpr std::int64_t kSpikeEvery = 24;  // reads, on average
inline constexpr std::int64_t kRefillEvery = 12; // batches of each worker, all of them alike

enum class FeedWork : std::uint8_t
{
    read,    // waiting for storage or served by it
    hang,    // a spike of the storage, or a refill
    prepare, // decode, tokenise, augment, collate
    full,    // as far ahead as it may be
    compute, // GPUs
    starve   // GPUs have no batch
};

struct FeedSpan
{
    FeedWork work = FeedWork::read;
    double from = 0, to = 0; // [s]
    std::int64_t batch = 0;  // 0 for those that have none
};

// From `at` until the next point.
struct QueuePoint
{
    double at = 0;           // [s]
    std::int64_t ready = 0;  // batches that are prepared and not taken
    std::int64_t usable = 0; // of those, what may leave now: none is missing before them
};

struct FeedRun
{
    std::vector<std::vector<FeedSpan>> workers; // in order of time
    std::vector<FeedSpan> gpu;
    std::vector<QueuePoint> queue;
    double length = 0;  // [s] until the last batch is computed
    double filled = 0;  // [s] until the first one came, part of the length
    double starved = 0; // [s] without a batch after that

    double starved_share() const { return length > filled ? starved / (length - filled) : 0; }
};

FeedRun simulate_feed(const FeedTimes& times, std::uint64_t seed);

} // namespace ringside
