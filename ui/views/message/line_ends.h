// Names right of a field of lines, each joined to the end of its own.
#pragma once

#include "ui/widgets/painter.h"

#include <string_view>
#include <vector>

namespace ringside
{

struct LineEnd
{
    float y = 0;
    std::string_view name;
    bool strong = false;
    bool joined = true; // not where the line left the field before its right edge
};

// Right of a field to keep free for this. [design px]
inline constexpr float kLineEndsRoom = 168;

// Kept apart and within the field's height, as near to their lines as that allows.
void draw_line_ends(const Painter& painter, Rect field, std::vector<LineEnd> ends);

} // namespace ringside
