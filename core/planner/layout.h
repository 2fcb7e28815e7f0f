// One way to cut a scenario's training over its GPUs: what a search varies.
#pragma once

#include "core/scenario/scenario.h"

namespace ringside
{

struct Layout
{
    std::int64_t gpus = 1;
    std::int64_t tensor = 1;
    std::int64_t context = 1;
    std::int64_t pipeline = 1;
    std::int64_t chunks = 1;
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 1;
    std::int64_t zero = 0;
    std::int64_t micro_batch = 1;
    bool sequence_parallel = false;
    Recompute recompute = Recompute::none;
    ScheduleKind schedule = ringside::schedule("1f1b");

    bool operator==(const Layout&) const = default;
};

Layout layout_of(const Scenario& scenario);
// Layers over (virtual) stages as evenly as they go; the first and the last, which have embedding and head
// besides, are the last to get one more. Empty where all are equal, and where there are too few.
std::vector<std::int64_t> even_cut(std::int64_t layers, std::int64_t stages);
// Layers go over the stages by even_cut(); everything else stays as it is.
void apply(const Layout& layout, Scenario& scenario);
// What no layout changes; the number of GPUs stays.
Scenario without_layout(Scenario scenario);

} // namespace ringside
