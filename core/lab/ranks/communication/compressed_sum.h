// A bucket of gradients summed over ranks with a compressor in between, really sent: what
// core/network/compression simulates, on the gradients of the model that trains. Buffers are the host's.
//
// What has not been sent yet is no part of a checkpoint. Error feedback is proved for plain SGD (Karimireddy
// et al. 2019). Under AdamW it gains little or nothing here: what comes late is divided by a variance it was
// not part of (1-bit Adam, Tang et al. 2021, arXiv 2102.02888).
#pragma once

#include "core/lab/ranks/communication/communicator.h"
#include "core/performance/compression/bucket.h"

#include <span>

namespace ringside::parallel
{

class CompressedSum
{
public:
    // `left` [elements of the bucket, all 0 at first]: what has not been sent yet, kept by the caller; empty
    // where the compressor feeds nothing back. The same options, bucket and seed on all ranks.
    CompressedSum(const CompressionOptions& options, GradientShape bucket, Communicator& ranks,
                  std::span<float> left, std::uint64_t seed);

    const GradientShape& bucket() const { return bucket_; }

    // One step. [elements of the bucket], block after block: this rank's gradient becomes the sum of what all
    // ranks sent, the same bits on all of them. What is not finite is sent, and never kept for later.
    void all_reduce(std::span<float> gradient);

private:
    using Words = std::vector<std::uint32_t>;

    void sum_as(DType type, std::span<float> gradient);
    void sum_largest(std::span<float> gradient);
    void sum_random(std::span<float> gradient);
    void sum_signs(std::span<float> gradient);
    void sum_factors(std::span<float> gradient);
    Words gathered(const Words& own);
    void keep_back(std::size_t element, float sent);

    CompressionOptions options_;
    GradientShape bucket_;
    std::vector<BucketCall> calls_;
    Communicator& ranks_;
    std::span<float> left_;
    std::uint64_t seed_;
    std::uint64_t step_ = 0;
    std::vector<float> right_; // PowerSGD's right factors, kept from step to step
};

} // namespace ringside::parallel
