// The parts of the view of recomputation: what each choice keeps and computes, a chunk in segments as it
// plays, and the curve over the number of segments.
//
// The strip plays one micro-batch without the pipeline round it; its peak is the curve's for one in flight,
// by test.
#pragma once

#include "core/memory/activations/recompute.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"

namespace ringside
{

struct RecomputeState
{
    std::int64_t wished = 0; // segments of a chunk; 0: the best
};

// The scenario's choices on its peak-memory stage.
struct RecomputeDesk
{
    RecomputeChoices choices;
    std::size_t stage = 0;

    std::int64_t segments(const RecomputeState& state) const;
    const RecomputePoint& point(const RecomputeState& state) const
    {
        return choices.segments.at(static_cast<std::size_t>(segments(state) - 1));
    }
};

void draw_choices(const Painter& painter, Rect area, const Frame& frame, const RecomputeDesk& desk,
                  const RecomputeState& state, Out& out);
void draw_segment_strip(const Painter& painter, Rect area, const Frame& frame, const RecomputeDesk& desk,
                        const RecomputeState& state);
void draw_segment_curve(const Painter& painter, Rect area, const RecomputeDesk& desk, RecomputeState& state,
                        Out& out);
void draw_recompute_panel(const Painter& painter, Rect area, const RecomputeDesk& desk, RecomputeState& state,
                          Out& out);
Caption recompute_caption(const Frame& frame, const RecomputeDesk& desk, const RecomputeState& state);

// "5 segments of 4 layers".
std::string segment_words(const RecomputeChoices& choices, std::int64_t segments);

} // namespace ringside
