// The pages of the fine-tuning view: memory and time of four recipes.
#pragma once

#include "ui/shell/paged_view.h"
#include "ui/views/serving/finetune/pictures.h"

namespace ringside
{

struct FinetuneState
{
    FinetuneModel model;
    FinetuneLevels levels;
    std::int64_t accumulation = 16; // micro-batches of an update
};
using FinetuneRoom = PageRoom<FinetuneState>;

extern const Page<FinetuneState> kFinetuneMemory, kFinetuneTime;

// The setup, for both.
void panel_finetune(PanelColumn& column, const FinetuneRoom& room);

} // namespace ringside
