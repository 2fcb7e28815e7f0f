// What forgetting activations saves and costs on one stage: none, selective and full recomputation as the
// engine counts them, and a stage cut into any number of segments that keep only their inputs.
//
// Segments have equal lengths, the last is never shorter, and a segment counts whole while its backward
// runs: n k I + ceil(L/k) A - I. With as many segments as layers that is full recomputation to the byte;
// with one segment and one micro-batch in flight it is none. sqrt(L) is Chen's case of A = I and n = 1.
// Every segmented choice costs one forward of all layers, the last segment's too, so the work does not
// depend on k. A scenario has none, selective and full only, for which step times are calibrated.
#pragma once

#include "core/memory/memory.h"

#include <array>
#include <vector>

namespace ringside
{

struct RecomputePoint
{
    Bytes kept;       // activations between forward and backward, all micro-batches in flight
    Bytes again;      // alive while a part is computed again
    double extra = 0; // operations computed again, over those of the step

    Bytes total() const { return kept + again; }
};

struct RecomputeChoices
{
    std::array<RecomputePoint, kNamesOf<Recompute>.size()> settings; // by Recompute
    // [k - 1]: every chunk of the stage in k segments (Chen et al. 2016, arXiv 1604.06174, section 4.3): k
    // inputs a micro-batch in flight, and one segment whole while its backward runs. As many segments as
    // layers is full recomputation.
    std::vector<RecomputePoint> segments;
    std::int64_t best = 1;      // segments of the least total, the fewest of equals
    double root = 1;            // sqrt(L A / (n I)), where the sum of both parts is least for even layers
    std::int64_t layers = 0;    // of the longest chunk, L
    std::int64_t in_flight = 0; // micro-batches, all chunks, n
    Bytes input;                // of a layer, one micro-batch, I
    Bytes layer;                // all that the stage's largest layer leaves, one micro-batch, A
};

// `stage` counts from 0 and must be in the report, which is the scenario's.
RecomputeChoices recompute_choices(const Scenario& scenario, const MemoryReport& memory, std::size_t stage);

// What each layer holds for the backward pass while one micro-batch goes through a chunk in segments.
enum class Held : std::uint8_t
{
    nothing,
    input, // of its segment
    whole
};
struct SegmentMoment
{
    enum class Doing : std::uint8_t
    {
        forward,
        again,
        backward,
        done
    };
    Doing doing = Doing::forward;
    std::int64_t layer = 0; // at work
    std::vector<Held> held; // [layer]
};
// A layer's pass takes 1, forward, again or backward, so all of it 3 L.
SegmentMoment segment_moment(std::int64_t layers, std::int64_t segments, double t);
// The first layer of segment `i`; that of the one behind the last is `layers`. The last is never shorter.
std::int64_t segment_start(std::int64_t layers, std::int64_t segments, std::int64_t i);

} // namespace ringside
