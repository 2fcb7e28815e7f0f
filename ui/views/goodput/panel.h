// The plan's own controls: which fleet fails how often, the interval, detection, restart, spares, where
// checkpoints go.
#pragma once

#include "ui/views/goodput/desk.h"
#include "ui/views/goodput/range.h"

namespace ringside
{

class PlanPanel
{
public:
    // True when the list of fleets is asked for. The desk's plan is changed in place.
    bool draw(const Painter& painter, Rect area, RunDesk& desk);

private:
    TypedEntry entry_;
};

} // namespace ringside
