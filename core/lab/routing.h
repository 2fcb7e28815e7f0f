// What the routing of all layers of a step comes to.
#pragma once

#include "core/lab/snapshot.h"

namespace ringside
{

struct WholeRouting
{
    double dropped = 0;   // share of (token, choice) pairs, mean over layers
    double violation = 0; // of the least even layer
};
WholeRouting whole_routing(const std::vector<LayerRouting>& layers);

} // namespace ringside
