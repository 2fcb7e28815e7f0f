// The families of algorithms, one file each, every one with a table at its bottom.
#pragma once

#include "core/network/collective/collective.h"

namespace ringside
{

std::span<const CollectiveAlgorithm> direct_algorithms();    // direct.cpp: all ranks at once, or the switch
std::span<const CollectiveAlgorithm> ring_algorithms();      // ring.cpp
std::span<const CollectiveAlgorithm> tree_algorithms();      // tree.cpp
std::span<const CollectiveAlgorithm> recursive_algorithms(); // recursive.cpp: partners at doubling distance
std::span<const CollectiveAlgorithm>
hierarchical_algorithms(); // hierarchical.cpp: inside the node, between nodes

inline Transfer send(std::int64_t from, std::int64_t to, std::int64_t chunk, bool adds = false)
{
    return {static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), static_cast<std::int32_t>(chunk),
            adds};
}

// Chunks an algorithm that cuts the message by ranks has.
inline Collective empty_collective(CollectiveKind kind, std::int64_t ranks, std::int64_t chunks)
{
    Collective c;
    c.kind = kind;
    c.ranks = ranks;
    c.chunks = kind == CollectiveKind::all_to_all ? ranks * ranks : chunks;
    return c;
}

inline bool is_all_reduce(CollectiveKind k)
{
    return k == CollectiveKind::all_reduce;
}

inline std::int64_t wrap(std::int64_t value, std::int64_t n)
{
    return (value % n + n) % n;
}

} // namespace ringside
