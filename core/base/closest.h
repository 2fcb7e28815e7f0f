// What fits what was typed, in the order in which it is listed.
#pragma once

#include "core/base/find.h"

namespace ringside
{

// Places in the list of those that fit, the closest first and equals in their order. A typing error is
// supposed only where nothing fits without one.
std::vector<std::size_t> closest_first(const std::vector<Closeness>& fits);

} // namespace ringside
