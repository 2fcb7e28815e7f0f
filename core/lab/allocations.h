// What a training takes from its arena and gives back in a step, as plain values.
#pragma once

#include "core/lab/snapshot.h"

namespace ringside
{

inline constexpr std::int64_t kScratch = -1; // number of the backend's own memory

// A buffer that the arena has from the device, and hands out again and again.
struct ArenaBuffer
{
    std::int64_t number = 0; // in the order in which they were made, or kScratch
    std::int64_t bytes = 0;
    bool in_use = false;
    Component component = Component::buffers; // what it is, or was, in use for
};

struct AllocationEvent
{
    std::int64_t buffer = 0;
    std::int64_t bytes = 0;
    bool given_back = false;
    Component component = Component::buffers;
    // The part of the step that it is in.
    MemoryMoment::Where where = MemoryMoment::Where::start;
    std::int64_t layer = 0; // of forward and backward
};

struct AllocationLog
{
    std::vector<AllocationEvent> events; // of the last step
    std::vector<ArenaBuffer> buffers;    // after it, by number
};

} // namespace ringside
