// The entry of a list that has a value, mostly an id; null where none has it.
#pragma once

#include <algorithm>
#include <iterator>

namespace ringside
{

template <class List, class Value, class Of>
constexpr auto find_by(const List& list, const Value& wanted, Of of) -> decltype(&*std::begin(list))
{
    const auto found = std::ranges::find(list, wanted, of);
    return found == std::end(list) ? nullptr : &*found;
}

} // namespace ringside
