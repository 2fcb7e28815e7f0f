// The pages of the goodput view: months of one run, and fleets up to 100,000 GPUs.
#pragma once

#include "core/reliability/fleet.h"
#include "ui/shell/paged_view.h"
#include "ui/views/reliability/goodput/model.h"

namespace ringside
{

struct GoodputState
{
    RunModel model;
    FleetPlan fleet;      // its times; the rest is the scenario's
    double gpus = 100000; // of the fleet
    double enough = 0.99; // probability that spares are

    RunModel& of(const Frame& frame)
    {
        model.update(frame.now);
        return model;
    }
};
using GoodputRoom = PageRoom<GoodputState>;

extern const Page<GoodputState> kGoodputMonths, kGoodputFleet;

double day_of(const RunStory& story);
// Whose rate of failures it has.
void choose_fleet(PanelColumn& column, const GoodputRoom& room);

} // namespace ringside
