#include "core/base/closest.h"

#include <algorithm>

namespace ringside
{

std::vector<std::size_t> closest_first(const std::vector<Closeness>& fits)
{
    const auto least = std::ranges::min_element(fits);
    const bool supposed = least != fits.end() && *least == Closeness::typo;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < fits.size(); ++i)
    {
        if (fits[i] < Closeness::typo || (supposed && fits[i] == Closeness::typo))
        {
            places.push_back(i);
        }
    }
    std::ranges::stable_sort(places, {}, [&](std::size_t i) { return fits[i]; });
    return places;
}

} // namespace ringside
