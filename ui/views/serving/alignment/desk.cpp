#include "ui/views/serving/alignment/desk.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

void AlignmentDesk::update(const Scenario& scenario) const
{
    if (made_for_ == wish && scenario_ == scenario)
    {
        return;
    }
    made_for_ = wish;
    scenario_ = scenario;
    for (const AlignmentInfo& info : alignment_recipes())
    {
        reports_[static_cast<std::size_t>(info.recipe)] = alignment_report(scenario, info.recipe, wish.setup);
    }
}

std::int64_t AlignmentDesk::gpus(AlignmentRecipe recipe) const
{
    const double each = std::max(1.0, scenario_.cluster.gpu.memory_gb * 1e9);
    return static_cast<std::int64_t>(std::ceil(of(recipe).total().value / each));
}

} // namespace ringside
