// What a step works through on one stage, piece by piece: embedding, layers, head, with their sizes and
// times. For step_life.h only.
#pragma once

#include "core/performance/step_life.h"

#include <array>
#include <vector>

namespace ringside
{

// A stretch of compute, or a collective of one of the layers' own axes after it.
struct StepPiece
{
    double seconds = 0; // of compute
    StepKind kind = StepKind::forward;
    Axis axis = Axis::data;
    Bytes message;
    bool beside = false; // the next stretch of compute runs beside it, the one after that waits for it

    bool computes() const { return kind == StepKind::forward || kind == StepKind::backward; }
};

struct StepUnit
{
    std::int64_t layer = 0;                     // or kEmbeddingUnit, kHeadUnit
    std::array<std::vector<double>, 2> tensors; // [dense, experts] elements on one GPU, as the forward goes
    std::vector<StepPiece> forward;             // of one micro-batch
    std::vector<StepPiece> backward;            // with what is computed again
    double flops = 0;                           // of both, on this GPU
    bool needs_first = false;                   // the head that multiplies with the embedding's weights

    double elements(std::size_t group) const;
    double seconds(bool of_backward) const; // of compute
    const std::vector<StepPiece>& pieces(bool of_backward) const { return of_backward ? backward : forward; }
};

struct StepUnits
{
    std::int64_t stage = 0; // of the pipeline, the one with the most parameters
    std::vector<StepUnit> units;
};

// Without `communicate`, layers are one piece each way.
StepUnits step_units(const Scenario& scenario, bool communicate);

} // namespace ringside
