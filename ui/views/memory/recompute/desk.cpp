#include <fmt/format.h>

#include "ui/views/memory/recompute/pictures.h"

#include <algorithm>

namespace ringside
{

void RecomputeDesk::update(const Evaluated& now)
{
    if (made_ && now.scenario == of_)
    {
        return;
    }
    made_ = true;
    of_ = now.scenario;
    stage_ = now.report.memory.fullest;
    choices_ = recompute_choices(now.scenario, now.report.memory, stage_);
}

std::int64_t RecomputeDesk::segments(const RecomputeState& state) const
{
    return state.wished == 0
               ? choices_.best
               : std::clamp<std::int64_t>(state.wished, 1, std::max<std::int64_t>(1, choices_.layers));
}

const RecomputePoint& RecomputeDesk::point(const RecomputeState& state) const
{
    return choices_.segments.at(static_cast<std::size_t>(segments(state) - 1));
}

std::string segment_words(const RecomputeChoices& c, std::int64_t segments)
{
    const std::int64_t most = (c.layers + segments - 1) / segments;
    const bool even = c.layers % segments == 0;
    return fmt::format("{} segment{} of {}{} layer{}", segments, segments == 1 ? "" : "s",
                       even ? "" : "at most ", most, most == 1 ? "" : "s");
}

} // namespace ringside
