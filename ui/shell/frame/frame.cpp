#include "ui/shell/frame/frame.h"

#include "core/evaluate/levers.h"

namespace ringside
{

struct Evaluated::Asked
{
    std::optional<std::vector<Lever>> levers;
    std::optional<std::array<MemoryReport, 4>> zero;
};

Evaluated::Evaluated() : Evaluated(Scenario(), Report()) {}

Evaluated::Evaluated(Scenario a_scenario, Report a_report)
    : scenario(std::move(a_scenario)), report(std::make_shared<const Report>(std::move(a_report))),
      asked_(std::make_shared<Asked>())
{
}

const std::vector<Lever>& Evaluated::levers() const
{
    if (!asked_->levers)
    {
        asked_->levers = ringside::levers(scenario, *report);
    }
    return *asked_->levers;
}

const std::array<MemoryReport, 4>& Evaluated::zero() const
{
    auto& zero = asked_->zero;
    if (!zero)
    {
        zero.emplace();
        for (std::size_t stage = 0; stage < zero->size(); ++stage)
        {
            Scenario other = scenario;
            other.parallel.zero = static_cast<std::int64_t>(stage);
            (*zero)[stage] = memory_report(other);
        }
    }
    return *zero;
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
