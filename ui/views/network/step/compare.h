// All strategies side by side: how long compute and waiting are, what each sends. Choosing a row shows it.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/network/step/lives.h"

#include <optional>

namespace ringside
{

std::optional<StepStrategy> draw_step_compare(const Painter& painter, Rect area, const StepLives& lives);
float step_compare_height(const Painter& painter);

} // namespace ringside
