#include "core/planner/search/freed.h"

#include "core/planner/layout.h"

#include <algorithm>

namespace ringside
{

FreeRange range_around(std::int64_t today)
{
    return {std::max<std::int64_t>(1, today / 4), today * 4};
}

std::vector<std::int64_t> values_in(const FreeRange& range, std::int64_t today)
{
    const auto halves = [&](std::int64_t least, std::int64_t& value)
    {
        if (value % 2 != 0 || value / 2 < least)
        {
            return false;
        }
        value /= 2;
        return true;
    };
    std::int64_t value = std::max<std::int64_t>(1, today);
    while (halves(std::max<std::int64_t>(1, range.least), value))
    {
    }
    std::vector<std::int64_t> values;
    for (; value <= range.most; value *= 2)
    {
        if (value >= range.least)
        {
            values.push_back(value);
        }
    }
    return values.empty() ? std::vector{today} : values;
}

std::vector<StepWork> works_of(const Scenario& s, const Freed& freed)
{
    const StepWork today{s.training.global_batch, s.training.sequence_length};
    const std::int64_t tokens = today.global_batch * today.sequence_length;
    std::vector<StepWork> works;
    const auto add = [&](const StepWork& work)
    {
        Scenario trial = s;
        apply(work, trial);
        if (work == today || search_faults(trial).empty())
        {
            works.push_back(work);
        }
    };
    for (const std::int64_t length : values_in(freed.sequence_length, today.sequence_length))
    {
        if (freed.global_batch.on())
        {
            for (const std::int64_t batch : values_in(freed.global_batch, today.global_batch))
            {
                add({batch, length});
            }
        }
        else if (tokens % length == 0)
        {
            add({tokens / length, length});
        }
    }
    return works.empty() ? std::vector{today} : works;
}

std::vector<std::int64_t> gpus_of(const Scenario& s, const Freed& freed)
{
    const std::int64_t today = s.cluster.gpus;
    std::vector<std::int64_t> all = values_in(freed.gpus, today);
    std::erase_if(all,
                  [&](std::int64_t gpus)
                  {
                      Scenario trial = s;
                      trial.cluster.gpus = gpus;
                      return gpus != today && !search_faults(trial).empty();
                  });
    return all.empty() ? std::vector{today} : all;
}

void apply(const StepWork& work, Scenario& s)
{
    s.training.global_batch = work.global_batch;
    s.training.sequence_length = work.sequence_length;
}

double work_units(const Scenario& s, const Freed& freed)
{
    return freed.work() ? static_cast<double>(s.training.global_batch) *
                              static_cast<double>(s.training.sequence_length) / 1e6
                        : 1;
}

} // namespace ringside
