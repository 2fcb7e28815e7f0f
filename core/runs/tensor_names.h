// Which tensors of a training step have blocks of a size: a snapshot says bytes, and sizes are rarely an
// accident. Weights, gradients and moments have the size of a weight, activations that of a micro-batch.
#pragma once

#include "core/runs/snapshot.h"
#include "core/scenario/scenario.h"

namespace ringside
{

struct NamedBlocks
{
    SnapshotGroup blocks;
    std::string name; // "up projection, FP32"; empty: no tensor of the scenario has this size
    double per_layer = 0;
};

// By what they take in all, the largest first. The scenario must be valid.
std::vector<NamedBlocks> named_blocks(const std::vector<SnapshotGroup>& sizes, const Scenario& scenario);

} // namespace ringside
