// The panel of the number formats: page, format, and what each page can be set to.
#pragma once

#include "ui/views/training/formats/gradients.h"

namespace ringside
{

// True when the list of formats is asked for.
bool draw_formats_panel(const Painter& painter, Rect area, FormatsState& state, const Frame& frame,
                        const LossScaleRuns& runs, Out& out);

} // namespace ringside
