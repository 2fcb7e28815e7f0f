// Closed forms (cost.h) for nodes whose every rank has a network link of its own.
#pragma once

#include "core/network/collective/cost.h"

namespace ringside
{

// As estimate(), but all of a node's network links are used: `between` is one of them. An algorithm that
// streams (ring, double tree, the two levels, the switch) has the links of both kinds busy at once, the
// others one kind after the other. The same within one node.
CollectiveCost estimate_on_rails(CollectiveKind kind, const CollectiveAlgorithm& algorithm,
                                 std::int64_t ranks, Bytes message, const Links& links);

} // namespace ringside
