// The four recipes as stacked bars of one GPU, with the sizes of the usual cards as lines across, and below
// them how many of each card a recipe wants.
#pragma once

#include "ui/shell/tween.h"
#include "ui/views/serving/finetune/desk.h"

namespace ringside
{

struct FinetuneLevels
{
    std::array<std::array<Tween, kFinetuneParts>, kFinetuneRecipes> parts;
    Tween most;
};

// The recipe that was pressed.
std::optional<FinetuneRecipe> draw_finetune_bars(const Frame& frame, const Painter& painter, Rect area,
                                                 const FinetuneDesk& desk, FinetuneLevels& levels, Out& out);

} // namespace ringside
