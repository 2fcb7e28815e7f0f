// How many blocks of a kernel one multiprocessor of an NVIDIA GPU holds at once, exactly as CUDA's own
// occupancy calculator counts (cuda_occupancy.h of the toolkit). Says nothing about how fast they are.
//
// Registers in units of 256 per warp and by quarters of the file, shared memory in units of 128 B with 1 KiB
// of the system's, for compute capability 8.0, 9.0 and 10.0. A preset's GPU is matched by its id; others
// show Hopper.
#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ringside
{

// Limits by compute capability: CUDA C++ Programming Guide, technical specifications for each compute
// capability.
struct Multiprocessor
{
    std::string_view capability;    // "9.0"
    std::string_view family;        // "Hopper"
    std::int64_t threads = 2048;    // at once
    std::int64_t blocks = 32;       // at once
    std::int64_t registers = 65536; // of 32 bits
    std::int64_t shared = 0;        // [B] for all blocks
    std::int64_t block_shared = 0;  // [B] one block can ask for
    std::int64_t block_threads = 1024;
    std::int64_t thread_registers = 255;

    std::int64_t warps() const { return threads / 32; }
};
// 8.0, 9.0 and 10.0.
std::span<const Multiprocessor> multiprocessors();
// That of a preset's GPU by its id; null where it has another or is none of NVIDIA's.
const Multiprocessor* multiprocessor_of(const Gpu& gpu);

// What one block of a kernel asks for.
struct KernelShape
{
    std::int64_t threads = 256;  // of a block, 1 to 1024
    std::int64_t registers = 64; // of a thread, 0 to 255
    std::int64_t shared = 0;     // [B] of a block

    bool operator==(const KernelShape&) const = default;
};

enum class OccupancyLimit : std::uint8_t
{
    threads,
    registers,
    shared,
    blocks
};
inline constexpr std::size_t kOccupancyLimits = 4;

struct Occupancy
{
    std::array<std::int64_t, kOccupancyLimits> by{}; // blocks that each limit allows, by OccupancyLimit
    std::int64_t blocks = 0;                         // the smallest; 0: the kernel cannot start
    std::int64_t warps = 0;                          // of these blocks
    double share = 0;                                // of the multiprocessor's warps
    // What one block takes, rounded up as the hardware hands it out.
    std::int64_t block_warps = 0;
    std::int64_t block_registers = 0;
    std::int64_t block_shared = 0; // [B] with what the system keeps for itself

    std::int64_t of(OccupancyLimit limit) const { return by[static_cast<std::size_t>(limit)]; }
    bool binds(OccupancyLimit limit) const { return of(limit) == blocks; }
};

// Warps of 32 threads; registers in units of 256 a warp, from the quarter of the multiprocessor that the warp
// runs on; shared memory in units of 128 B with 1 KiB on top for the system. A shape out of range gives 0
// blocks.
Occupancy occupancy(const Multiprocessor& multiprocessor, const KernelShape& shape);

} // namespace ringside
