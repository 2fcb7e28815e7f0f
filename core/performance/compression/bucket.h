// One bucket of gradients as ranks that really send sum it up: which collectives that takes. Whole 32-bit
// words, in as many equal chunks as there are ranks; so a few bytes more than wire.h counts.
#pragma once

#include "core/performance/compression/wire.h"

namespace ringside
{

// Compressors whose parts collectives can sum or gather as they are. FP8 sums need a format that no
// collective here adds in, a vote needs owners that count.
bool has_bucket_calls(Compressor compressor);

// In a bucket every matrix is a block of its own; all vectors together are one, the last.
GradientShape bucket_of(const std::vector<GradientBlock>& tensors);

struct BucketCall
{
    Travel travel = Travel::all_reduce;
    std::int64_t elements = 0; // of one rank; of an all-reduce a multiple of the ranks
    std::int64_t element_bytes = 4;

    std::int64_t sent_per_rank(std::int64_t ranks) const; // by a ring [B]
    bool operator==(const BucketCall&) const = default;
};
// In order. PowerSGD has two: left factors with everything that is sent as it is, then right factors.
std::vector<BucketCall> bucket_calls(const CompressionOptions& options, const GradientShape& bucket,
                                     std::int64_t ranks);

// PowerSGD's rank for one block: no more than the block has. 0: factors would be no smaller, so it is sent as
// it is, as vectors are.
std::int64_t factor_rank(const GradientBlock& block, std::int64_t rank);

} // namespace ringside
