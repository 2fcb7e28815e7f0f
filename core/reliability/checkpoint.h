// What a checkpoint of a scenario holds, how many bytes, and who writes which of them. Times are goodput.h's,
// moving it to another layout is reshard.h's.
//
// 14 bytes per parameter for AdamW in 16 bits, weights included; 12 without the weights, which are the
// rounded master copy. From ZeRO-1 upward every rank writes its shard, else one replica writes.
#pragma once

#include "core/memory/memory.h"

namespace ringside
{

// Bytes of the tensors; step, schedule, random state, data position and loss scale are some kilobytes and
// left out. Adafactor's and Muon's second moments, which are not per parameter, are left out too.
struct CheckpointSize
{
    Bytes weights; // as the model computes with them; part of 14 P, not of 12 P
    Bytes master;  // 32-bit copy, 0 where the weights are that already
    Bytes momentum;
    Bytes variance;
    std::int64_t writers = 1; // ranks that hold a part nobody else has to write
    Bytes largest;            // of one writer: the fullest stage's share

    // 14 P for AdamW in 16 bit: weights, master copy, both moments.
    Bytes total() const { return weights + optimizer(); }
    // 12 P: without the 16-bit weights, which are the master copy rounded (fp32 weights stay in).
    Bytes without_rounded() const { return master > Bytes{} ? optimizer() : total(); }
    Bytes optimizer() const { return master + momentum + variance; }
};

// Without ZeRO one replica writes, each of its ranks its own part (tensor x pipeline, experts apart); from
// ZeRO-1 on every rank of the replicas holds, and writes, its shard of the optimizer state, and as large a
// share of the weights.
CheckpointSize checkpoint_size(const Scenario& scenario, const MemoryReport& memory);

} // namespace ringside
