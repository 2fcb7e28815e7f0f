// The panel of the compression view: the compressor's settings, and what it would change in the scenario.
#pragma once

#include "ui/views/compression/runs.h"
#include "ui/widgets/controls.h"

namespace ringside
{

class CompressionPanel
{
public:
    // True when the list of compressors is asked for. `o` is changed in place.
    bool draw(const Painter& painter, Rect area, CompressionOptions& o, const CompressionRuns& runs);

private:
    void draw_settings(const Painter& painter, Rect& area, CompressionOptions& o);

    TypedEntry entry_;
};

// What the scenario would gain, in one sentence.
std::string say_projection(const GradientProjection& p, const CompressionOptions& o);

} // namespace ringside
