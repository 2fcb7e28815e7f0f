// Speculative decoding: a small model drafts, the large one checks all drafts in one pass. Closed forms for
// independent acceptances; says nothing about how well a draft model matches.
#pragma once

#include <cstdint>

namespace ringside
{

inline constexpr std::int64_t kMostDrafted = 32;

// Tokens that one pass of the large model yields, its own one included: (1 - a^(g+1)) / (1 - a), and g + 1 at
// a = 1. `acceptance` a in 0..1 is clamped, `drafted` g in 0..32 (Leviathan et al., arXiv 2211.17192,
// equation 1).
double expected_tokens(double acceptance, std::int64_t drafted);

// Times as fast as decoding without: (1 - a^(g+1)) / ((1 - a)(g c + 1)), where one pass of the draft model
// takes c of the large one's (theorem 3.8). Holds where checking g + 1 tokens takes as long as one, so while
// decoding is bound by memory.
double speculative_speedup(double acceptance, std::int64_t drafted, double cost);

// The number of drafts with the largest speed-up; 0 where slower than plain decoding.
std::int64_t best_drafted(double acceptance, double cost);

} // namespace ringside
