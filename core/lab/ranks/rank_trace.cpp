#include "core/lab/ranks/rank_trace.h"

#include "core/lab/team/team_traffic.h"

#include <algorithm>

namespace ringside::parallel
{

namespace
{

bool is_shown(std::string_view axis)
{
    return std::ranges::find(kTrafficAxes, axis) != kTrafficAxes.end();
}

// What an axis sent since `before`.
std::vector<RankTrace::Sent> sent_since(const CallRecord& before, const CallRecord& now)
{
    std::vector<RankTrace::Sent> all;
    for (const CallTotal& total : now.totals)
    {
        if (!is_shown(total.axis))
        {
            continue;
        }
        const auto old = std::ranges::find_if(before.totals, [&](const CallTotal& t)
                                              { return t.axis == total.axis && t.kind == total.kind; });
        const bool known = old != before.totals.end();
        add_sent(all,
                 {total.axis, total.sent - (known ? old->sent : 0), total.calls - (known ? old->calls : 0)});
    }
    return all;
}

} // namespace

RankTrace trace_of(const RankStep& step, const Coordinates& place, const CallRecord& before,
                   const CallRecord& now, double start)
{
    RankTrace r;
    r.place = place;
    r.memory = step.memory;
    r.peak = step.peak;
    r.sent = sent_since(before, now);
    for (const RankTrace::Work& work : step.work)
    {
        r.work.push_back({work.operation, work.start - start, work.end - start});
    }
    for (const Call& call : now.calls)
    {
        if (call.start >= start && call.end >= call.start && is_shown(call.axis))
        {
            r.messages.push_back(
                {call.axis, call.kind, call.sent, call.start - start, call.end - start, call.waits_for});
        }
    }
    return r;
}

} // namespace ringside::parallel
