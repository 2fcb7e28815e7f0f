#include "core/lab/routing.h"

namespace ringside
{

WholeRouting whole_routing(const std::vector<LayerRouting>& layers)
{
    WholeRouting whole;
    for (const LayerRouting& layer : layers)
    {
        whole.dropped += layer.dropped() / static_cast<double>(layers.size());
        whole.violation = std::max(whole.violation, layer.violation());
    }
    return whole;
}

} // namespace ringside
