#include "ui/shell/frame/frame.h"

namespace ringside
{

const std::vector<Lever>& Evaluated::levers() const
{
    if (!levers_)
    {
        levers_ = ringside::levers(scenario, report);
    }
    return *levers_;
}

const std::array<MemoryReport, 4>& Evaluated::zero() const
{
    if (!zero_)
    {
        zero_.emplace();
        for (std::size_t stage = 0; stage < zero_->size(); ++stage)
        {
            Scenario other = scenario;
            other.parallel.zero = static_cast<std::int64_t>(stage);
            (*zero_)[stage] = memory_report(other);
        }
    }
    return *zero_;
}

Action::Action(const Action&) = default;
Action::Action(Action&&) noexcept = default;
Action& Action::operator=(const Action&) = default;
Action& Action::operator=(Action&&) noexcept = default;
Action::~Action() = default;

void Out::add(Action action)
{
    actions.push_back(std::move(action));
}

} // namespace ringside
