// One step of a team as two timelines on one axis: as it ran, and as the simulator has the same order with
// the same mean times. What differs is waiting, and messages that take time.
//
// The order of one pipeline as it ran, with each virtual stage's mean times as costs and messages free:
// compute is the same in both by construction.
#pragma once

#include "ui/shell/frame/team_frame.h"
#include "ui/widgets/pictures/lanes.h"

#include <memory>

namespace ringside
{

struct RankMoment
{
    // A finished step of the configuration; times in milliseconds.
    RankMoment(std::shared_ptr<const TeamStepTrace> trace, const TeamConfig& config);
    RankMoment(const RankMoment&) = delete;
    RankMoment& operator=(const RankMoment&) = delete;

    std::shared_ptr<const TeamStepTrace> trace;
    TeamConfig config;
    Timeline real;
    Timeline predicted; // no ranks where the order could not be simulated
    Density real_density;
    Density predicted_density;
    std::vector<std::string> names; // "rank 0"
    std::vector<std::string> axes;  // that messages went on, in a fixed order
    std::size_t stages = 1;         // of the pipeline
    double end = 1;                 // of the longer
    double forward = 0;             // mean of an operation
    double backward = 0;

    // Share of the ranks' time that was work.
    double worked(const Timeline& timeline, double length) const;
};

// The colour of communication on this axis; "control" is the neutral one.
Colour colour_of_axis(const Theme& theme, std::string_view axis);

} // namespace ringside
