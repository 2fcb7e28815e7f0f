// Which bytes of a checkpoint go from which rank to which when the layout changes. Says nothing about what a
// checkpoint holds or how long writing it takes.
//
// Units are embedding, layers and head, each by a stretch of the dimension that is sharded; both layouts
// shard the same dimension, so every stretch is an interval of elements and each new shard is the exact sum
// of its pieces. Norms are cut with the rest although tensor ranks share them (less than a thousandth), and
// layers count as equal. What a rank has already stays; replicas take turns as sources.
//
// Context and expert parallelism are left out of the picture, and so are more than four data shards.
#pragma once

#include "core/base/units.h"
#include "core/model/weights.h"

#include <vector>

namespace ringside
{

// Ranks count tensor first, then data, then pipeline (Megatron-LM's order without context and experts).
struct ShardLayout
{
    std::int64_t tensor = 1;
    std::int64_t pipeline = 1;
    std::int64_t data = 1;
    bool sharded = false; // over data too (ZeRO, FSDP); else every replica has all

    std::int64_t ranks() const { return tensor * pipeline * data; }
    std::int64_t cells() const { return tensor * (sharded ? data : 1); } // a tensor is cut into

    bool operator==(const ShardLayout&) const = default;
};

// One rectangle of the model: units (embedding, layers, head) by a stretch of each of them, along the
// dimension that is cut. Both layouts cut the same dimension, so a stretch is one interval; norms, which
// tensor ranks share, are cut with the rest.
struct ShardPiece
{
    std::int64_t from = 0, to = 0;              // ranks of the old and of the new layout; equal: it stays
    std::int64_t first_unit = 0, last_unit = 0; // half open
    double low = 0, high = 0;                   // share of each unit
    std::int64_t elements = 0;

    bool stays() const { return from == to; }
};

struct Resharding
{
    std::vector<ShardPiece> pieces; // all that every new rank needs
    std::int64_t elements = 0;      // of the model
    std::int64_t moved = 0;         // elements that change their rank, copies for replicas counted
    std::int64_t kept = 0;
    std::int64_t most_received = 0; // by one rank
};

// Elements of embedding, every layer and head, in order. Layers count as equal.
std::vector<std::int64_t> reshard_units(const ParameterCount& count, std::int64_t layers);

// Units [first, last) of a stage: layers as even as they go, the embedding on the first and the head on the
// last.
std::pair<std::int64_t, std::int64_t> units_of_stage(std::int64_t units, std::int64_t stages,
                                                     std::int64_t stage);

// Every new rank gets its shard once, from itself where it has it, else from one of the ranks that do, taking
// turns among replicas. Equal layouts move nothing.
Resharding reshard(const std::vector<std::int64_t>& units, const ShardLayout& from, const ShardLayout& to);

} // namespace ringside
