// The strips of a run, one below the other over the same steps: loss, gradient norm, learning rate, loss
// scale, and how far the ranks lie apart.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/reliability/incidents/desk.h"

#include <optional>

namespace ringside
{

// Up to step `until` of the run; a treated run over it in full. Returns the step the checkpoint was dragged
// to.
std::optional<std::int64_t> draw_strips(const Painter& painter, Rect area, const IncidentDesk& desk,
                                        std::int64_t until);

} // namespace ringside
