// Timelines for other programs: SVG for papers and slides, trace events for Perfetto.
#pragma once

#include "core/pipeline/simulate.h"

namespace ringside
{

struct NamedTimeline
{
    std::string name; // "ZB-H1"
    const Timeline* timeline = nullptr;
    double input_share = 0.5; // of a whole backward that computes input gradients
};

// Lanes of every timeline one above the other on one axis, in the light theme's colours.
std::string timeline_svg(std::span<const NamedTimeline> timelines);
// The trace event format: a process a timeline, a thread a rank, a counter for what each keeps, and arrows
// along every micro-batch where there are few enough. One unit of time is one millisecond.
std::string timeline_trace(std::span<const NamedTimeline> timelines);

} // namespace ringside
