// Memory predicted over memory measured: the same segments on the same scale, and a table that says what each
// is off by.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/lab_frame.h"

namespace ringside
{

void draw_peak(const Painter& painter, Rect area, const LabFrame& lab);
// Before anything has run: the prediction alone.
void draw_predicted_bar(const Painter& painter, Rect area, const LabRun& run);

} // namespace ringside
