// Ring attention on a few real numbers: whose keys and values a rank works on after every hop, which scores
// that makes, and the softmax put together piece by piece. Bytes and times are in plan.h.
//
// Single precision, so that the merged softmax differs from the whole one by rounding and nothing else.
// Contiguous partitioning costs nearly twice the even work in lockstep; a step time without lockstep does
// not see it. The first block of a causal mask contains its diagonal, so with few tokens striped is a little
// uneven and zigzag even.
#pragma once

#include "core/base/names.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ringside
{

// Which tokens a rank holds.
enum class Spread : std::uint8_t
{
    contiguous, // rank r the r-th part (Liu et al. 2023, arXiv 2310.01889)
    striped,    // every R-th token (Brandon et al. 2023, arXiv 2311.09431)
    zigzag      // parts r and 2R-1-r of 2R (Llama 3, arXiv 2407.21783, section 3.3.2)
};
inline constexpr std::size_t kSpreads = 3;
template <>
inline constexpr auto kNamesOf<Spread> = names<Spread>("contiguous", "striped", "zigzag");

struct RingAttentionOptions
{
    std::int64_t ranks = 4;   // R, at least 1
    std::int64_t tokens = 16; // of the sequence, a multiple of 2 R
    std::int64_t width = 4;   // of one head
    bool causal = true;       // a token attends to itself and those before it
    Spread spread = Spread::contiguous;
    std::uint64_t seed = 1;

    bool operator==(const RingAttentionOptions&) const = default;
};

// Who holds token `position`.
std::int64_t holder(const RingAttentionOptions& options, std::int64_t position);
// The tokens of a rank, ascending.
std::vector<std::int64_t> tokens_of(const RingAttentionOptions& options, std::int64_t rank);
// Whose keys and values rank `rank` has after `hop` hops: every rank passes them on to the next rank.
std::int64_t visitor(std::int64_t ranks, std::int64_t rank, std::int64_t hop);
// Scores that a rank computes on the block it has after `hop` hops, masked ones left out.
std::int64_t scores_in(const RingAttentionOptions& options, std::int64_t rank, std::int64_t hop);
// The scores as if every hop waited for its slowest rank: the sum over hops of the most scores of any rank.
// All wait, as no rank can pass on what it still reads.
std::int64_t scores_in_lockstep(const RingAttentionOptions& options);
// The slowest rank's time over the mean of all, in lockstep; 1 when even.
double imbalance(const RingAttentionOptions& options);

// What a rank remembers of one query between blocks (Milakov and Gimelshein 2018, arXiv 1805.02867, section
// 3; Dao et al. 2022, arXiv 2205.14135, section 3.1).
struct RunningSoftmax
{
    float max = 0;          // of the scores so far; minus infinity before any
    float sum = 0;          // of e^(score - max)
    std::vector<float> out; // of e^(score - max) v, [width]; divided by the sum once, at the end

    // Takes in a block's own running softmax: both are rescaled to the larger maximum.
    void merge(const RunningSoftmax& block);
    float result(std::size_t i) const { return sum > 0 ? out[i] / sum : 0; }
};

class RingAttention
{
public:
    explicit RingAttention(const RingAttentionOptions& options);

    const RingAttentionOptions& options() const { return options_; }
    // The state of the query at `position`, after `blocks` blocks (0 to R) of its rank have been merged.
    const RunningSoftmax& state(std::int64_t position, std::int64_t blocks) const;
    // The softmax taken over all keys at once, without any cut.
    const std::vector<float>& whole(std::int64_t position) const;
    // The largest difference of any result to that, after the last block.
    double difference() const;

private:
    float score(std::int64_t query, std::int64_t key) const;
    RunningSoftmax block(std::int64_t query, std::int64_t owner) const;
    void run();

    RingAttentionOptions options_;
    std::vector<float> q_, k_, v_;                   // [position][width]
    std::vector<std::vector<RunningSoftmax>> state_; // [position][blocks]
    std::vector<std::vector<float>> whole_;          // [position][width]
};

} // namespace ringside
