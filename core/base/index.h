// Counts are std::int64_t here, containers want std::size_t: values[at(i)].
#pragma once

#include <cstddef>
#include <cstdint>

namespace ringside
{

constexpr std::size_t at(std::int64_t index)
{
    return static_cast<std::size_t>(index);
}

} // namespace ringside
