// Bytes are whole (ARCHITECTURE.md): what a share of them comes to is rounded up where it is computed.
#pragma once

#include "core/base/units.h"

#include <cmath>
#include <limits>

namespace ringside
{

// Up to the next whole byte; what is off a whole number by no more than the rounding of a product or two is
// that number.
inline Bytes whole_bytes(double bytes)
{
    const double nearest = std::round(bytes);
    const double noise = 4 * std::numeric_limits<double>::epsilon() * std::abs(nearest);
    return Bytes(std::abs(bytes - nearest) <= noise ? nearest : std::ceil(bytes));
}

} // namespace ringside
