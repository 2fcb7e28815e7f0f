#include "core/performance/compression/bucket.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kWordBits = 32;

std::int64_t whole(std::int64_t elements, std::int64_t chunks)
{
    return (elements + chunks - 1) / chunks * chunks;
}

std::vector<BucketCall> factor_calls(const GradientShape& bucket, std::int64_t rank, std::int64_t ranks)
{
    std::int64_t left = 0;
    std::int64_t right = 0;
    for (const GradientBlock& block : bucket)
    {
        const std::int64_t r = factor_rank(block, rank);
        left += r > 0 ? r * block.rows * block.count : block.elements();
        right += r * block.cols * block.count;
    }
    std::vector<BucketCall> calls{{Travel::all_reduce, whole(left, ranks), 4}};
    if (right > 0)
    {
        calls.push_back({Travel::all_reduce, whole(right, ranks), 4});
    }
    return calls;
}

} // namespace

bool has_bucket_calls(Compressor compressor)
{
    return compressor != Compressor::fp8 && compressor != Compressor::vote;
}

GradientShape bucket_of(const std::vector<GradientBlock>& tensors)
{
    GradientShape bucket;
    std::int64_t vectors = 0;
    for (const GradientBlock& t : tensors)
    {
        if (t.rows > 1 && t.cols > 1)
        {
            bucket.push_back(t);
        }
        else
        {
            vectors += t.elements();
        }
    }
    if (vectors > 0)
    {
        bucket.push_back({vectors, 1, 1});
    }
    return bucket;
}

std::int64_t BucketCall::sent_per_rank(std::int64_t ranks) const
{
    const std::int64_t part = elements * element_bytes;
    return travel == Travel::all_gather ? (ranks - 1) * part : 2 * (ranks - 1) * (part / ranks);
}

std::int64_t factor_rank(const GradientBlock& block, std::int64_t rank)
{
    const std::int64_t r = std::min({rank, block.rows, block.cols});
    return block.cols > 1 && r * (block.rows + block.cols) < block.rows * block.cols ? r : 0;
}

std::vector<BucketCall> bucket_calls(const CompressionOptions& o, const GradientShape& bucket,
                                     std::int64_t ranks)
{
    const std::int64_t n = elements_of(bucket);
    const std::int64_t k = kept_of(o.keep, n);
    switch (o.compressor)
    {
    case Compressor::none:
        return {{Travel::all_reduce, whole(n, ranks), 4}};
    case Compressor::fp16:
    case Compressor::bf16:
        return {{Travel::all_reduce, whole(n, ranks), 2}};
    case Compressor::top_k: // values, then their places
        return {{Travel::all_gather, 2 * k, 4}};
    case Compressor::random_k:
        return {{Travel::all_reduce, whole(k, ranks), 4}};
    case Compressor::sign: // scales, then bits
        return {{Travel::all_gather, tensors_of(bucket) + (n + kWordBits - 1) / kWordBits, 4}};
    case Compressor::power_sgd:
        return factor_calls(bucket, o.rank, ranks);
    case Compressor::fp8:
    case Compressor::vote:
        break;
    }
    return {};
}

} // namespace ringside
