// What a compressed gradient weighs on the wire: bytes of one rank's part, ratios with the base they are
// taken against, what a rank sends once every rank has the sum, and where gathering loses to a dense ring.
//
// What can overlap the scenario's gradients is the backward of one micro-batch, by step_life.h.
#pragma once

#include "core/model/weights.h"
#include "core/network/collective/cost.h"
#include "core/network/compression/compressor.h"

namespace ringside
{

// `count` matrices of one shape; cols = 1: vectors, which PowerSGD leaves as they are.
struct GradientBlock
{
    std::int64_t rows = 1;
    std::int64_t cols = 1;
    std::int64_t count = 1;

    std::int64_t elements() const { return rows * cols * count; }
    bool operator==(const GradientBlock&) const = default;
};
using GradientShape = std::vector<GradientBlock>;
std::int64_t elements_of(const GradientShape& shape);
std::int64_t tensors_of(const GradientShape& shape);

// The size of one rank's part. Values that are sent as numbers take four bytes (top-k, random-k, PowerSGD).
struct WireSize
{
    Bytes values;
    Bytes indices; // top-k only: 4 bytes each, or ceil(log2 n) bits
    Bytes scales;  // 4 bytes for each tensor: sign's, FP8's

    Bytes total() const { return values + indices + scales; }
};
WireSize wire_size(const CompressionOptions& options, const GradientShape& shape);
// Bits that tell n places apart: 0 for one.
std::int64_t index_bits(std::int64_t elements);

// A ratio says nothing without its base: the same bytes are twice as much smaller than FP32 as than BF16.
struct WireRatio
{
    double of_fp32 = 1;
    double of_bf16 = 0.5;
};
WireRatio wire_ratio(const CompressionOptions& options, const GradientShape& shape);

// By a ring, for a part of this size: all-reduce and owners 2 (N-1)/N of it, gathered (N-1) times.
Bytes sent_per_rank(Travel travel, Bytes part, std::int64_t ranks);
Seconds wire_time(Travel travel, Bytes part, std::int64_t ranks, const Link& link);
// Gathering sends less than a dense ring while N < 2 x dense / part.
double gather_crossover(Bytes part, Bytes dense);

// The gradients of one GPU of a scenario: one of a pipeline stage.
struct GradientProjection
{
    GradientShape shape;
    double scale = 1;       // the collective's message over the shape's bytes, where one was asked for
    std::int64_t ranks = 1; // N of the data-parallel group
    Link link;
    double own_bytes = 4; // of one element as the scenario reduces it
    Seconds hides;        // the backward of one micro-batch, behind which the last gradients can travel

    // One rank's part, and its time on the link.
    Bytes part(const CompressionOptions& options) const;
    Bytes sent(const CompressionOptions& options) const;
    Seconds time(const CompressionOptions& options) const;
    // As sent with no compressor in FP32 or BF16.
    Bytes dense(Compressor as) const { return part({as}); }
    // What remains in sight if the backward hides what it can: max(0, time - hides).
    Seconds exposed(const CompressionOptions& options) const;
};

// The scenario must be valid, the stage and the collective those of its report.
GradientProjection gradient_projection(const Scenario& scenario, std::size_t stage,
                                       const CollectiveReport& collective);

} // namespace ringside
