// The matrices of a block with their adapters: a wide frozen one, and two thin ones beside it. Pressing a
// matrix gives or takes its adapter, dragging across it sets the rank.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/serving/finetune/desk.h"

namespace ringside
{

// The wish where something was pressed or dragged.
std::optional<FinetuneWish> draw_lora_modules(const Painter& painter, Rect area, const FinetuneDesk& desk);

} // namespace ringside
