// The panel of the step's waterfall: conventions, the utilization they make, what limits it, what helps.
#pragma once

#include "ui/views/performance/waterfall/words.h"

#include <optional>

namespace ringside
{

enum class WaterfallPicture : std::uint8_t
{
    rows,
    tornado,
    constants
};

// Changes `convention` and `picture` in place.
void draw_waterfall_panel(const Frame& frame, const Painter& painter, Rect area, const Sensitivity& all,
                          Convention& convention, WaterfallPicture& picture, Out& out);

} // namespace ringside
