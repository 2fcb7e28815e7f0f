// Sums, largest values and lists made of the entries of a range, or of 0, 1 ... below a count, in order; and
// lists in random order. A sum of floating-point numbers is that of a plain loop, to the last bit.
#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ringside
{

template <class Range, class F>
constexpr void each_in(const Range& range, const F& f)
{
    if constexpr (std::integral<Range>)
    {
        for (Range i = 0; i < range; ++i)
        {
            f(i);
        }
    }
    else
    {
        for (const auto& entry : range)
        {
            f(entry);
        }
    }
}

template <class T = double, class Range, class Of = std::identity>
constexpr T sum_over(const Range& range, const Of& of = {}, std::type_identity_t<T> sum = {})
{
    each_in(range, [&](const auto& entry) { sum += std::invoke(of, entry); });
    return sum;
}

// `least` where nothing is larger.
template <class T = double, class Range, class Of = std::identity>
constexpr T largest_over(const Range& range, const Of& of = {}, std::type_identity_t<T> least = {})
{
    each_in(range, [&](const auto& entry) { least = std::max<T>(least, std::invoke(of, entry)); });
    return least;
}

template <class T, class Range, class Of>
std::vector<T> list_of(const Range& range, const Of& of)
{
    std::vector<T> list;
    each_in(range, [&](const auto& entry) { list.push_back(std::invoke(of, entry)); });
    return list;
}

// The list of those entries alone for which `which` holds.
template <class T, class Range, class Which, class Of = std::identity>
std::vector<T> list_where(const Range& range, const Which& which, const Of& of = {})
{
    std::vector<T> list;
    each_in(range,
            [&](const auto& entry)
            {
                if (std::invoke(which, entry))
                {
                    list.push_back(std::invoke(of, entry));
                }
            });
    return list;
}

// Drops the first entries of a list that has more than `most`.
template <class T>
void keep_last(std::vector<T>& list, std::size_t most)
{
    if (list.size() > most)
    {
        list.erase(list.begin(), list.end() - static_cast<std::ptrdiff_t>(most));
    }
}

// Fisher and Yates, from the end.
template <class List, class Random>
void shuffle(List& list, Random&& random)
{
    for (std::size_t i = list.size(); i > 1; --i)
    {
        std::swap(list[i - 1], list[random.below(i)]);
    }
}

} // namespace ringside
