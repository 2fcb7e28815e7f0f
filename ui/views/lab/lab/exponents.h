// How large the numbers of a step are, by the power of two, against what each format can hold; and the texts
// that were drawn from the model.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/lab_frame.h"

namespace ringside
{

void draw_exponents(const Painter& painter, Rect head, Rect area, const LabFrame& lab);
void draw_samples(const Painter& painter, Rect head, Rect area, const LabFrame& lab);

} // namespace ringside
