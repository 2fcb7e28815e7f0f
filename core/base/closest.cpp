#include "core/base/closest.h"

#include "core/base/ranges.h"

#include <algorithm>

namespace ringside
{

std::vector<std::size_t> closest_first(const std::vector<Closeness>& fits)
{
    const auto least = std::ranges::min_element(fits);
    const bool supposed = least != fits.end() && *least == Closeness::typo;
    auto places = list_where<std::size_t>(
        fits.size(),
        [&](std::size_t i) { return fits[i] < Closeness::typo || (supposed && fits[i] == Closeness::typo); });
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return fits[i]; });
    return places;
}

} // namespace ringside
