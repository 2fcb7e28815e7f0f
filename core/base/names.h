// The names of an enum's values, one table for each enum: to people and files, and back. A header says
//   template <>
//   inline constexpr auto kNamesOf<Decay> = names<Decay>("cosine", "linear");
// with a name for each value, in their order.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ringside
{

template <class E, std::size_t N>
struct Names
{
    std::array<std::string_view, N> all;
    std::size_t first = 0; // number of the enum's first value

    constexpr std::string_view of(E value) const { return all.at(static_cast<std::size_t>(value) - first); }
    constexpr std::optional<E> find(std::string_view name) const
    {
        for (std::size_t i = 0; i < N; ++i)
        {
            if (all[i] == name)
            {
                return static_cast<E>(i + first);
            }
        }
        return std::nullopt;
    }
    static constexpr std::size_t size() { return N; }
};

template <class E, std::size_t First = 0, class... Name>
constexpr Names<E, sizeof...(Name)> names(Name... name)
{
    return {{std::string_view(name)...}, First};
}

template <class E>
inline constexpr std::nullptr_t kNamesOf = nullptr;

template <class E>
concept Named = requires(E value)
{
    kNamesOf<E>.of(value);
};

template <Named E>
constexpr std::string_view name_of(E value)
{
    return kNamesOf<E>.of(value);
}

// Every value, in order.
template <Named E>
constexpr auto every()
{
    std::array<E, kNamesOf<E>.size()> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        all[i] = static_cast<E>(i + kNamesOf<E>.first);
    }
    return all;
}

} // namespace ringside
