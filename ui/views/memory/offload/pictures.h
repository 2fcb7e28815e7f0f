// The parts of the view of offloading: the scenario under every placement, the three tiers and what moves
// between them, one step on lanes, step time over tokens, and the placements in a table.
#pragma once

#include "core/performance/offload.h"
#include "ui/shell/tween.h"
#include "ui/widgets/pictures/timeline.h"

namespace ringside
{

inline constexpr std::array kPlacements{Offload::none, Offload::optimizer_cpu, Offload::optimizer_nvme,
                                        Offload::optimizer_and_weights_cpu,
                                        Offload::optimizer_and_weights_nvme};

// A step's time at so many tokens.
struct TokenPoint
{
    double tokens = 0;
    double compute = 0; // [s]
    double total = 0;   // [s]
};

// The scenario under every placement, and its step against tokens.
struct OffloadCases
{
    Scenario scenario;
    std::array<OffloadReport, kOffloads> reports;
    std::vector<TokenPoint> curve; // ascending; empty where a link has no rate
    std::vector<double> moments;   // at which a task starts or ends

    const OffloadReport& of(Offload placement) const { return reports[static_cast<std::size_t>(placement)]; }
    const OffloadReport& placed() const { return of(scenario.training.offload); }
    // The placement whose times are on show: the scenario's, or the optimizer's on the host where nothing is
    // offloaded, to show what it would be.
    bool supposed() const { return !placed().offloads(); }
    const OffloadReport& timed() const { return supposed() ? of(Offload::optimizer_cpu) : placed(); }
};
OffloadCases offload_cases(const Scenario& scenario, bool delayed);

// The scenario with about so many tokens through each GPU in a step, by as many micro-batches as that takes;
// where weights come up for each of them, by larger ones. Always valid when `scenario` is.
Scenario with_tokens(const Scenario& scenario, double tokens);
// One stop further on that way.
Scenario with_tokens_stepped(const Scenario& scenario, int steps);

float placements_height(const Painter& painter);
// Returns the one pressed.
std::optional<Offload> draw_placements(const Painter& painter, Rect area, const OffloadCases& cases);

using TierLevels = std::array<std::array<Tween, kComponents>, kTanks>; // as drawn before, to ease from
// What of one GPU lies where, and what moves at a moment of the step.
void draw_tiers(const Frame& frame, const Painter& painter, Rect area, const OffloadReport& placed,
                TierLevels& levels, Out& out);

struct OffloadLanesStyle
{
    float label = 0; // left of the lanes [px]
    float pitch = 0; // height of a lane, gap included [px]
    double clock = 0;
    std::optional<std::size_t> lit; // the task under the mouse, and what it waited for
};
// The lanes that have something to do; compute always.
std::vector<OffloadLane> lanes_of(const OffloadReport& report);
// Draws them from the top of `area`. Returns the task under the mouse.
std::optional<std::size_t> draw_offload_lanes(const Painter& painter, Rect area, const OffloadReport& report,
                                              TimeWindow window, const OffloadLanesStyle& style);
void offload_tip(const Painter& painter, Rect bounds, const OffloadReport& report, std::size_t task);

// Step time over the tokens of a GPU. The scenario as its point was dragged.
std::optional<ChangeScenario> draw_tokens(const Painter& painter, Rect area, const OffloadCases& cases);

} // namespace ringside
