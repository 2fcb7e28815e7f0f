// What a step works through on one stage, piece by piece: embedding, layers, head, with their sizes and
// times. For step_life.h only.
#pragma once

#include "core/scenario/scenario.h"

#include <array>
#include <vector>

namespace ringside
{

struct StepUnit
{
    std::int64_t layer = 0;                     // or kEmbeddingUnit, kHeadUnit
    std::array<std::vector<double>, 2> tensors; // [dense, experts] elements on one GPU, as the forward goes
    double forward = 0;                         // [s] of one micro-batch
    double backward = 0;                        // [s] with what is computed again
    bool needs_first = false;                   // the head that multiplies with the embedding's weights

    double elements(std::size_t group) const;
};

struct StepUnits
{
    std::int64_t stage = 0; // of the pipeline, the one with the most parameters
    std::vector<StepUnit> units;
};

StepUnits step_units(const Scenario& scenario);

} // namespace ringside
