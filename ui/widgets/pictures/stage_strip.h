// The model cut into virtual stages, as a strip whose cuts are dragged: layers move between neighbours, the
// embedding and the head weigh on the ends.
#pragma once

#include "ui/draw/painter.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside
{

struct StageStrip
{
    std::vector<std::int64_t> layers; // of each virtual stage
    double embedding = 0;             // in layers
    double head = 0;                  // in layers
    std::string note = {};            // about a cut, shown beside how to drag it
};

// Draws it into `r` and returns it as it was changed: by dragging a cut, or with the arrow keys on a focused
// one. The outer two handles are the weights of the embedding and the head. `dragging` is set while the mouse
// holds one.
std::optional<StageStrip> draw_stage_strip(const Painter& painter, Rect r, const StageStrip& strip,
                                           bool& dragging);

} // namespace ringside
