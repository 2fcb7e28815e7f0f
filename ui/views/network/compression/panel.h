// The panel of the compression view: the compressor's settings, and what it would change in the scenario.
#pragma once

#include "ui/shell/frame.h"
#include "ui/views/network/compression/runs.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

// True when the list of compressors is asked for. `o` is changed in place.
bool draw_compression_panel(const Painter& painter, Rect area, CompressionOptions& o,
                            const CompressionRuns& runs, Out& out);

// What the scenario would gain, in one sentence.
std::string say_projection(const GradientProjection& p, const CompressionOptions& o);

} // namespace ringside
