// The ranks of one synchronous step as a histogram, and what their spread costs with more and more of them.
#pragma once

#include "core/engine/straggler.h"
#include "ui/widgets/painter.h"

#include <optional>

namespace ringside
{

struct RankWish
{
    std::optional<double> slower;     // of the slow ranks, 0.2 is 20%
    std::optional<std::int64_t> gpus; // near this number
};

// `times` are those of one step.
RankWish draw_ranks(const Painter& painter, Rect area, const RankTimes& ranks,
                    const std::vector<double>& times);

} // namespace ringside
