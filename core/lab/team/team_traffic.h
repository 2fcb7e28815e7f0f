// What each rank of a team should send in one step, by axis: the papers' closed forms with the places that
// the lab's model really communicates. Says nothing about control messages, which carry single numbers.
//
// Predicted with what the papers' forms leave out because it is small: embedding and head of a tensor group,
// the three numbers per token of a sharded vocabulary, gradients of norms under sequence parallelism,
// ZeRO-3's head.
#pragma once

#include "core/lab/team/team.h"

#include <array>
#include <string_view>

namespace ringside
{

// All axes that anything is sent on, in the order in which they are shown.
inline constexpr std::array<std::string_view, 7> kTrafficAxes{"data",     "tensor",    "context", "expert",
                                                              "pipeline", "embedding", "control"};

// The traffic of the rank at `place`, one entry for each axis that it sends on, in that order without
// control. Calls are not predicted. The configuration must be one that trains. Ring collectives of n send
// (n-1)/n of their message a pass; where n does not divide it, the shares of ranks differ by less than an
// element a message, which is left out.
std::vector<RankTrace::Sent> predicted_traffic(const TeamConfig& config, const Coordinates& place);

} // namespace ringside
