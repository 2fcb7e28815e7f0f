#include "ui/views/serving/finetune/pictures.h"

namespace ringside
{

void FinetuneDesk::update(const Scenario& scenario) const
{
    if (made_for_ == wish && scenario_ == scenario)
    {
        return;
    }
    made_for_ = wish;
    scenario_ = scenario;
    FinetuneSetup setup = wish.setup;
    setup.sequence = scenario.training.sequence_length;
    setup.micro_batch = scenario.training.micro_batch;
    matrices_ = lora_matrices(scenario.model);
    for (const FinetuneRecipe recipe : kRecipes)
    {
        const auto at = static_cast<std::size_t>(recipe);
        reports_[at] = finetune_report(scenario, recipe, setup);
        for (std::size_t card = 0; card < kCards.size(); ++card)
        {
            gpus_[at][card] = gpus_for(scenario, recipe, setup, Bytes(kCards[card] * 1e9));
        }
    }
}

} // namespace ringside
