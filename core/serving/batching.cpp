#include "core/serving/batching.h"

#include "core/base/random.h"
#include "core/base/ranges.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::int64_t tokens_of(std::int64_t length)
{
    return std::max<std::int64_t>(1, length);
}

Batching empty(std::int64_t slots)
{
    Batching b;
    b.slots = std::max<std::int64_t>(1, slots);
    return b;
}

void take(Batching& b, Stay stay)
{
    b.tokens += stay.end - stay.start;
    b.steps = std::max(b.steps, stay.freed);
    b.stays.push_back(stay);
}

} // namespace

Batching continuous_batching(const std::vector<std::int64_t>& lengths, std::int64_t slots)
{
    Batching b = empty(slots);
    std::vector<std::int64_t> free(static_cast<std::size_t>(b.slots), 0);
    for (std::size_t i = 0; i < lengths.size(); ++i)
    {
        const auto slot = std::ranges::min_element(free);
        const std::int64_t end = *slot + tokens_of(lengths[i]);
        take(b, {static_cast<std::int64_t>(i), slot - free.begin(), *slot, end, end});
        *slot = end;
    }
    return b;
}

Batching static_batching(const std::vector<std::int64_t>& lengths, std::int64_t slots)
{
    Batching b = empty(slots);
    const auto width = static_cast<std::size_t>(b.slots);
    std::int64_t start = 0;
    for (std::size_t first = 0; first < lengths.size(); first += width)
    {
        const std::size_t last = std::min(lengths.size(), first + width);
        std::int64_t freed = start;
        for (std::size_t i = first; i < last; ++i)
        {
            freed = std::max(freed, start + tokens_of(lengths[i]));
        }
        for (std::size_t i = first; i < last; ++i)
        {
            take(b, {static_cast<std::int64_t>(i), static_cast<std::int64_t>(i - first), start,
                     start + tokens_of(lengths[i]), freed});
        }
        start = freed;
    }
    return b;
}

std::vector<std::int64_t> drawn_lengths(std::int64_t requests, std::int64_t mean, std::uint64_t seed)
{
    SplitMix rng(seed);
    const auto span = static_cast<std::uint64_t>(2 * std::max<std::int64_t>(1, mean) - 1);
    return list_of<std::int64_t>(requests, [&](std::int64_t)
                                 { return 1 + static_cast<std::int64_t>(rng.below(span)); });
}

} // namespace ringside
