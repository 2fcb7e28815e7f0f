// Ways to make a gradient small on the wire: what each keeps of it, and how a group of data-parallel ranks
// adds up what is left. Bytes and times are in wire.h, training with them in run.h.
//
// Casts, random-k and PowerSGD are all-reduced, top-k and scaled signs gathered, votes counted by owners.
// Partial sums are exact: what a ring rounds at every hop is left out.
#pragma once

#include "core/base/names.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

enum class Compressor : std::uint8_t
{
    none,
    fp16,
    bf16,
    fp8,
    top_k,
    random_k,
    sign,
    vote,
    power_sgd
};
inline constexpr std::size_t kCompressors = 9;

// How the parts of all ranks become one sum.
enum class Travel : std::uint8_t
{
    all_reduce, // sums of what is sent can be sent on: 2 (N-1)/N of it a rank
    owners,     // each rank adds up its N-th and gives out the result, as small: as much
    all_gather  // every rank gets everything and adds up: (N-1) times it a rank
};
template <>
inline constexpr auto kNamesOf<Travel> = names<Travel>("all-reduce", "by owners", "all-gather");

struct CompressorInfo
{
    std::string_view id;   // "top-k"
    std::string_view name; // "Top-k"
    std::string_view says; // one line
    std::string_view source;
    Travel travel;
    bool feeds_back; // whether what is left out can be kept for the next step
};

const CompressorInfo& info_of(Compressor compressor);
std::optional<Compressor> find_compressor(std::string_view id);

struct CompressionOptions
{
    Compressor compressor = Compressor::top_k;
    double keep = 0.01;          // share of the elements, top-k and random-k
    std::int64_t rank = 2;       // of PowerSGD
    bool packed_indices = false; // ceil(log2 n) bits for each index of top-k instead of 32
    // What is left out is added to the next gradient (Seide et al. 2014; Stich et al. 2018, arXiv 1809.07599,
    // Algorithm 1; Karimireddy et al. 2019, arXiv 1901.09847, Algorithm 2). Without it random-k is multiplied
    // by n/k, which makes its mean the gradient; with it, it must not be.
    bool feedback = true;

    bool operator==(const CompressionOptions&) const = default;
};
// The options with everything the compressor does not use at its default, so that equal work compares equal.
CompressionOptions essential(CompressionOptions options);
bool feeds_back(const CompressionOptions& options);
// "Top-k, 1%", "PowerSGD, rank 2"
std::string label_of(const CompressionOptions& options);
// k of n elements; at least 1.
std::int64_t kept_of(double keep, std::int64_t elements);

using Values = std::vector<float>;

// A group of ranks that compresses one matrix step after step. Ranks draw random elements and PowerSGD's
// first factor from one seed, so these agree without being sent.
class CompressedGroup
{
public:
    CompressedGroup(const CompressionOptions& options, std::int64_t rows, std::int64_t cols,
                    std::size_t ranks, std::uint64_t seed = 1);

    // One step: gradients[rank] is rows x cols, row by row.
    void send(std::span<const Values> gradients);
    // What is left is not added to the next gradient.
    void forget();

    // What the last step sent and left: gradient + what was carried = sent + left, up to rounding.
    const Values& sent(std::size_t rank) const { return sent_[rank]; }
    const Values& left(std::size_t rank) const { return left_[rank]; }
    // What every rank has afterwards: the mean of what was sent; a vote's winner is not the mean.
    const Values& result() const { return result_; }

private:
    void send_each();
    void vote();
    void power_sgd();
    void add_up();

    CompressionOptions options_;
    std::int64_t rows_;
    std::int64_t cols_;
    std::uint64_t seed_;
    std::uint64_t step_ = 0;
    float unit_ = 0; // a vote's step, fixed by the first gradient
    std::vector<Values> put_in_, sent_, left_;
    Values result_;
    Values q_; // PowerSGD's right factor, cols x rank, kept from step to step
};

// L2.
double norm(std::span<const float> values);
double distance(std::span<const float> a, std::span<const float> b);

} // namespace ringside
