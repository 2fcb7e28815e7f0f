// The pages of the fine-tuning view: memory and time of four recipes.
#pragma once

#include "core/base/derived.h"
#include "ui/shell/paged_view.h"
#include "ui/views/serving/finetune/pictures.h"

namespace ringside
{

struct FinetuneState
{
    FinetuneSettings settings;
    Derived<std::pair<Scenario, FinetuneSettings>, FinetuneModel> made;
    FinetuneLevels levels;
    std::int64_t accumulation = 16; // micro-batches of an update

    const FinetuneModel& model(const Frame& frame) const
    {
        return made.of({frame.now.scenario, settings}, finetune_model);
    }
};
using FinetuneRoom = PageRoom<FinetuneState>;

extern const Page<FinetuneState> kFinetuneMemory, kFinetuneTime;

// The setup, for both.
void panel_finetune(PanelColumn& column, const FinetuneRoom& room);

} // namespace ringside
