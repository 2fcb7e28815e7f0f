// Speed predicted and measured: tokens a second, and what share of the device's peak that is.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/lab_frame.h"

namespace ringside
{

void draw_cards(const Painter& painter, Rect area, const LabFrame& lab);

} // namespace ringside
