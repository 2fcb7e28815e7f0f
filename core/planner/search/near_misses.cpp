#include "core/planner/search/near_misses.h"

#include <fmt/format.h>

#include "core/performance/step_time.h"
#include "core/planner/kept_layouts.h"
#include "core/scenario/choices.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

namespace
{

struct NearLayout
{
    std::string change;
    Layout layout;
};

// The neighbour of `now` in an ascending list of divisors; 0 where there is none.
std::int64_t next_divisor(std::int64_t of, std::int64_t now, bool larger)
{
    std::int64_t next = 0;
    for (const std::int64_t d : divisors(of))
    {
        if (larger && d > now)
        {
            return d;
        }
        next = !larger && d < now ? d : next;
    }
    return next;
}

// With a group made smaller by `size`.
void add_smaller(std::vector<NearLayout>& all, const Layout& from, std::int64_t Layout::*size,
                 const char* name)
{
    const std::int64_t next = next_divisor(from.*size, from.*size, false);
    if (next == 0)
    {
        return;
    }
    Layout l = from;
    l.*size = next;
    l.expert_tensor = from.expert_tensor > 1 ? l.tensor : 1;
    l.sequence_parallel = from.sequence_parallel && l.tensor > 1;
    if (l.pipeline == 1)
    {
        l.schedule = schedule("1f1b");
        l.chunks = 1;
    }
    all.push_back({fmt::format("{} {}", name, next), l});
}

std::vector<NearLayout> layouts_beside(const Scenario& s, const Layout& from)
{
    std::vector<NearLayout> all;
    for (const Recompute less : {Recompute::none, Recompute::selective})
    {
        if (less < from.recompute && (less == Recompute::none || !s.training.flash_attention))
        {
            Layout l = from;
            l.recompute = less;
            l.recompute_layers = 0;
            all.push_back({fmt::format("recompute {}", name_of(less)), l});
        }
    }
    for (std::int64_t zero = from.zero - 1; zero >= 0; --zero)
    {
        Layout l = from;
        l.zero = zero;
        all.push_back({fmt::format("ZeRO-{}", zero), l});
    }
    const std::int64_t data = from.gpus / (from.tensor * from.context * from.pipeline);
    if (const std::int64_t next =
            next_divisor((from.global_batch > 0 ? from.global_batch : s.training.global_batch) / data,
                         from.micro_batch, true))
    {
        Layout l = from;
        l.micro_batch = next;
        all.push_back({fmt::format("MBS {}", next), l});
    }
    add_smaller(all, from, &Layout::tensor, "TP");
    add_smaller(all, from, &Layout::context, "CP");
    add_smaller(all, from, &Layout::pipeline, "PP");
    return all;
}

} // namespace

std::vector<NearMiss> near_misses(const Scenario& scenario, const Candidate& row, const SearchLimits& limits)
{
    std::vector<NearMiss> misses;
    for (NearLayout& near : layouts_beside(scenario, row.layout))
    {
        Scenario s = scenario;
        apply(near.layout, s);
        if (!limits.keeps_fixed(near.layout) || !faults(s).empty() ||
            (!limits.any_framework() && !runs(limits.framework, s)))
        {
            continue;
        }
        Candidate c = sized(s, limits);
        if (!c.tight || c.bytes <= row.bytes)
        {
            continue;
        }
        fill(c, step_time(s));
        if (c.seconds < row.seconds)
        {
            misses.push_back({std::move(near.change), c});
        }
    }
    std::ranges::stable_sort(misses, {}, [](const NearMiss& m) { return m.candidate.bytes; });
    return misses;
}

} // namespace ringside
