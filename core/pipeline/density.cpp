#include "core/pipeline/density.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace ringside
{

namespace
{

// Adds `time` from the start of an operation to the kinds it is work of.
void add(std::array<double, 3>& work, const Event& e, double time, double input_share)
{
    switch (e.operation.pass)
    {
    case Pass::forward:
        work[0] += time;
        break;
    case Pass::input:
        work[1] += time;
        break;
    case Pass::weight:
        work[2] += time;
        break;
    case Pass::backward:
    {
        const double input = std::min(time, (e.end - e.start) * input_share);
        work[1] += input;
        work[2] += time - input;
        break;
    }
    }
}

} // namespace

Density::Density(const Timeline& timeline, double input_share)
    : timeline_(&timeline), input_share_(input_share)
{
    assert(input_share >= 0 && input_share <= 1);
    before_.resize(timeline.events.size());
    for (std::size_t rank = 0; rank < timeline.ranks(); ++rank)
    {
        std::array<double, 3> work{};
        for (std::size_t k = timeline.first[rank]; k < timeline.first[rank + 1]; ++k)
        {
            before_[k] = work;
            const Event& e = timeline.events[k];
            add(work, e, e.end - e.start, input_share);
        }
    }
}

std::array<double, 3> Density::until(std::size_t rank, double t, std::ptrdiff_t& at) const
{
    const auto events = timeline_->rank(rank);
    // In steps that double, because the next column is near; then by halves.
    std::ptrdiff_t step = 1;
    const std::ptrdiff_t count = std::ssize(events);
    const auto begun = [&](std::ptrdiff_t k)
    { return k < count && events[static_cast<std::size_t>(k)].start <= t; };
    while (begun(at + step))
    {
        at += step;
        step *= 2;
    }
    for (; step > 0; step /= 2)
    {
        at += begun(at + step) ? step : 0;
    }
    if (at < 0)
    {
        return {};
    }
    const Event& last = events[static_cast<std::size_t>(at)];
    std::array<double, 3> work = before_[timeline_->first[rank] + static_cast<std::size_t>(at)];
    add(work, last, std::min(t, last.end) - last.start, input_share_);
    return work;
}

std::vector<Shares> Density::columns(std::size_t rank, double from, double to, std::size_t count) const
{
    std::vector<Shares> shares(count);
    const double width = (to - from) / static_cast<double>(count);
    std::ptrdiff_t at = -1;
    auto before = until(rank, from, at);
    for (std::size_t k = 0; k < count; ++k)
    {
        const auto after = until(rank, k + 1 == count ? to : from + width * static_cast<double>(k + 1), at);
        shares[k] = {(after[0] - before[0]) / width, (after[1] - before[1]) / width,
                     (after[2] - before[2]) / width};
        before = after;
    }
    return shares;
}

} // namespace ringside
