// Requests on the slots of a batch, decoding step by decoding step: a batch that waits for its longest
// answer, and one that lets the next request in whenever an answer ends. Counts steps; how long one takes is
// in serving.h.
//
// All requests wait from the start and have evenly spread lengths; a static batch then uses (b + 1) / 2b of
// its slots in the long run.
#pragma once

#include <cstdint>
#include <vector>

namespace ringside
{

struct Stay
{
    std::int64_t request = 0;
    std::int64_t slot = 0;
    std::int64_t start = 0; // in decoding steps
    std::int64_t end = 0;   // its last token is there
    std::int64_t freed = 0; // the slot may be used again; `end` with continuous batching
};

struct Batching
{
    std::vector<Stay> stays; // by request
    std::int64_t slots = 1;
    std::int64_t steps = 0; // until the last slot is free
    std::int64_t tokens = 0;

    // The share of all slots and steps that made a token.
    double busy() const
    {
        return steps > 0
                   ? static_cast<double>(tokens) / (static_cast<double>(steps) * static_cast<double>(slots))
                   : 0;
    }
};

// `lengths` are the tokens of the answers, in order of arrival, all there from the start; below 1 counts
// as 1. A slot takes the next request when its own is done: iteration-level scheduling (Yu et al., Orca, OSDI
// 2022, section 3).
Batching continuous_batching(const std::vector<std::int64_t>& lengths, std::int64_t slots);
// Request-level: the next `slots` requests start together when all before have ended.
Batching static_batching(const std::vector<std::int64_t>& lengths, std::int64_t slots);

// Answers of 1 to 2 mean - 1 tokens, evenly spread, always the same for a seed.
std::vector<std::int64_t> drawn_lengths(std::int64_t requests, std::int64_t mean, std::uint64_t seed);

} // namespace ringside
