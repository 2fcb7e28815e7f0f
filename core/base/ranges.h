// Sums, largest values and lists made of the entries of a range, in their order. A sum of floating-point
// numbers is that of a plain loop, to the last bit.
#pragma once

#include <algorithm>
#include <functional>
#include <type_traits>
#include <vector>

namespace ringside
{

template <class T = double, class Range, class Of = std::identity>
constexpr T sum_over(const Range& range, const Of& of = {}, std::type_identity_t<T> sum = {})
{
    for (const auto& entry : range)
    {
        sum += std::invoke(of, entry);
    }
    return sum;
}

// `least` where nothing is larger.
template <class T = double, class Range, class Of = std::identity>
constexpr T largest_over(const Range& range, const Of& of = {}, std::type_identity_t<T> least = {})
{
    for (const auto& entry : range)
    {
        least = std::max<T>(least, std::invoke(of, entry));
    }
    return least;
}

template <class T, class Range, class Of>
std::vector<T> list_of(const Range& range, const Of& of)
{
    std::vector<T> list;
    for (const auto& entry : range)
    {
        list.push_back(std::invoke(of, entry));
    }
    return list;
}

} // namespace ringside
