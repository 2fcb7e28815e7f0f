// The ranks of one synchronous step as a histogram, and what their spread costs with more and more of them.
#pragma once

#include "core/reliability/straggler.h"
#include "ui/draw/painter.h"

#include <optional>

namespace ringside
{

struct RankWish
{
    std::optional<double> slower;     // of the slow ranks, 0.2 is 20%
    std::optional<std::int64_t> gpus; // near this number
};

// What such ranks cost, alone and with more and more of them. Every number is an integral, so this is made
// once for each setting and not each frame.
struct RankCosts
{
    RankTimes of;
    double step = 0;             // [s] expected
    double lost = 0;             // share of the throughput
    double largest = 0;          // expected of as many standard normal draws
    std::vector<double> lost_by; // the share with 1, 2, 4 ... kMostGrown ranks
};
inline constexpr std::int64_t kMostGrown = 1 << 17;
RankCosts rank_costs(const RankTimes& ranks);

// `times` are those of one step.
RankWish draw_ranks(const Painter& painter, Rect area, const RankCosts& costs,
                    const std::vector<double>& times);

} // namespace ringside
