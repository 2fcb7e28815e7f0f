// A memory snapshot of PyTorch (torch.cuda.memory._dump_snapshot): the allocator's segments with their
// blocks, and the events that were recorded (torch/cuda/memory.py, _snapshot; c10/cuda/CUDACachingAllocator).
// What other libraries hold, NCCL and the driver, is outside of it. Bytes are exact.
#pragma once

#include "core/runs/data_tree.h"

#include <string>
#include <vector>

namespace ringside
{

// Blocks of one size, or from one line of a program.
struct SnapshotGroup
{
    std::string by;         // "optimizer.py:step:75"; empty for sizes
    std::int64_t bytes = 0; // of one block, or of all of a line
    std::int64_t count = 0;

    std::int64_t total() const { return bytes * count; }
};

struct MemorySnapshot
{
    std::int64_t reserved = 0;       // all segments
    std::int64_t live = 0;           // blocks in use, as rounded by the allocator
    std::int64_t requested = 0;      // of these, as they were asked for
    std::int64_t pending = 0;        // freed, but a stream may still use them
    std::int64_t inactive = 0;       // free, in segments that hold a block in use: fragmentation
    std::int64_t empty_segments = 0; // segments without one, which the allocator could give back
    std::int64_t segments = 0;
    std::int64_t blocks = 0; // in use
    // By the recorded events, with what was in use before them. Nothing was recorded: what is in use.
    std::int64_t peak = 0; // requested bytes
    std::int64_t peak_reserved = 0;
    std::int64_t events = 0;
    std::int64_t out_of_memory = 0;        // events of the kind
    std::vector<SnapshotGroup> sizes;      // in use at the end, the largest total first
    std::vector<SnapshotGroup> peak_sizes; // at the peak, requested
    std::vector<SnapshotGroup> lines;      // in use at the end, by the program's own line
    std::vector<SnapshotGroup> peak_lines; // at the peak
    std::vector<SnapshotGroup> parts;      // optimizer, backward, forward, not recorded

    // Free bytes in segments in use over all that is reserved.
    double fragmentation() const
    {
        return reserved > 0 ? static_cast<double>(inactive) / static_cast<double>(reserved) : 0;
    }
};

bool is_snapshot(const DataTree& tree);
// Faults: no segments, sizes below zero or beyond 2^60, the same list in itself again and again.
Result<MemorySnapshot> read_snapshot(const DataTree& tree);

} // namespace ringside
