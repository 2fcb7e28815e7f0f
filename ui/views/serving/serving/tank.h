// One GPU of the group as a tank: weights below, the caches of all requests above, the line they may reach.
#pragma once

#include "core/serving/serving.h"
#include "ui/shell/tween.h"

namespace ringside
{

struct ServingLevels
{
    std::array<Tween, 4> parts;
};

void draw_serving_tank(const Frame& frame, const Painter& painter, Rect area, const ServingReport& report,
                       ServingLevels& levels, Out& out);

} // namespace ringside
