#include "core/performance/step_order.h"

#include <algorithm>

namespace ringside
{

namespace
{

// Which units are gathered while the step is walked through.
class Walk
{
public:
    Walk(std::span<const StepUnit> units, const StepOptions& options)
        : units_(units), options_(options), here_(units.size(), false), freed_(units.size(), -1)
    {
    }

    void pass(StepPosition& at, std::int64_t index)
    {
        const bool shared = units_.back().needs_first; // the head multiplies with the embedding
        const bool lets_go = at.backward || options_.reshard_after_forward;
        need(at, at.unit);
        if (units_[at.unit].needs_first)
        {
            need(at, 0);
        }
        if (lets_go && !(shared && at.unit == 0 && !at.backward))
        {
            free(at, at.unit, index);
        }
        if (lets_go && shared && at.unit + 1 == units_.size() && !at.backward)
        {
            free(at, 0, index);
        }
    }

private:
    void need(StepPosition& at, std::size_t unit)
    {
        if (!here_[unit])
        {
            at.gathers.push_back(unit);
            at.freed = std::max(at.freed, freed_[unit]);
            here_[unit] = true;
        }
    }

    void free(StepPosition& at, std::size_t unit, std::int64_t index)
    {
        here_[unit] = false;
        freed_[unit] = index;
        at.frees.push_back(unit);
    }

    std::span<const StepUnit> units_;
    const StepOptions& options_;
    std::vector<bool> here_;
    std::vector<std::int64_t> freed_; // [unit] position
};

} // namespace

std::vector<StepPosition> step_order(std::span<const StepUnit> units, const StepOptions& options)
{
    const std::size_t n = units.size();
    std::vector<StepPosition> positions;
    Walk walk(units, options);
    for (std::int32_t m = 0; m < options.accumulation; ++m)
    {
        for (const bool backward : {false, true})
        {
            for (std::size_t i = 0; i < n; ++i)
            {
                const auto index = static_cast<std::int64_t>(positions.size());
                positions.push_back({m, backward, backward ? n - 1 - i : i, {}, {}, -1});
                walk.pass(positions.back(), index);
            }
        }
    }
    return positions;
}

} // namespace ringside
