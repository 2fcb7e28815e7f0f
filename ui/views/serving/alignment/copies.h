// A row for every recipe: the models it keeps side by side, in bytes, trained ones with gradients and
// optimizer, and the cache of the answers it writes.
#pragma once

#include "ui/shell/tween.h"
#include "ui/views/serving/alignment/desk.h"

namespace ringside
{

struct CopyLevels
{
    Tween most;
};

// The recipe that was pressed.
std::optional<AlignmentRecipe> draw_model_copies(const Frame& frame, const Painter& painter, Rect area,
                                                 const AlignmentDesk& desk, CopyLevels& levels, Out& out);

} // namespace ringside
