#include "core/planner/search/layout_work.h"

#include <algorithm>

namespace ringside
{

LayoutAnswer LayoutWork::result() const
{
    return {request_.scenario, request_.limits, search_.result(), search_.progress()};
}

// What is kept is chosen from all parts before it is timed, however they were shared out.
LayoutAnswer LayoutWork::merged(const Request& request, const std::vector<const LayoutAnswer*>& parts,
                                bool whole)
{
    constexpr double kAlmost = 0.999;
    LayoutAnswer all{request.scenario, request.limits, {}, 0};
    for (const LayoutAnswer* part : parts)
    {
        all.result = ringside::merged(all.result, part->result, request.limits.objective);
        all.progress += part->progress / static_cast<double>(parts.size());
    }
    all.progress = whole ? 1 : std::min(all.progress, kAlmost);
    all.result = whole ? timed(request.scenario, all.result, request.limits.objective) : all.result;
    return all;
}

} // namespace ringside
