// The parts of the view of one step: the step under every strategy, its lanes, the unsharded memory over the
// same time, all strategies compared, and the words.
#pragma once

#include "core/performance/step_life.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/pictures/timeline.h"

namespace ringside
{

struct StepCase
{
    StepLife life;
    std::vector<double> moments; // at which a task starts or ends, ascending; at most some thousands
};
// By strategy; that of the options does not matter.
using StepCases = std::array<StepCase, kStepStrategies>;
StepCases step_cases(const Scenario& scenario, StepOptions options);

struct StepStyle
{
    float label = 0;                               // left of the lanes [px]
    float pitch = 0;                               // height of a lane, gap included [px]
    double clock = 0;                              // [s] where the dashed line stands
    bool marked = false;                           // tasks at the clock are outlined
    std::optional<std::size_t> lit;                // the task under the mouse, and what it waited for
    std::array<std::string_view, kStepLanes> rate; // what each lane runs at
};
// Lanes on show: without tensor, context and expert parallelism theirs is left out.
std::size_t step_rows(const StepLife& life);
// Phases above, lanes below; as high as step_lanes_height(). Returns the task under the mouse.
std::optional<std::size_t> draw_step_lanes(const Painter& painter, Rect area, const StepLife& life,
                                           TimeWindow window, const StepStyle& style);
float step_lanes_height(const Painter& painter, const StepLife& life, float pitch);
// What the colours are, on one line or two; returns the height used.
float draw_step_legend(const Painter& painter, Rect area, const StepLife& life);
// Gathered weights, and gradients not yet reduced upon them.
void draw_held(const Painter& painter, Rect area, const StepLife& life, TimeWindow window);
// Compute and exposed time, bytes sent and unsharded memory of all strategies. The one that was pressed.
std::optional<StepStrategy> draw_step_compare(const Painter& painter, Rect area, const StepCases& cases,
                                              StepStrategy chosen);

// The controls, in order. True when something was changed in `options`.
bool draw_step_panel(PanelColumn& column, StepOptions& options, const StepLife& life);

void step_tip(const Painter& painter, Rect bounds, const StepLife& life, std::size_t task);
// "12", "emb"
std::string short_name_of_unit(std::int64_t layer);
// The sentence about the whole step, or about the moment the clock stands at.
std::string say_step(const StepLife& life, const StepOptions& options, ByteUnit unit);
std::string say_moment(const StepLife& life, double t, ByteUnit unit);
// Why HSDP is DDP here; empty: it shards.
std::string say_unsharded_hsdp(const StepLife& hsdp, const Scenario& scenario);

} // namespace ringside
