#include "app/session/scene.h"

#include "core/base/notice.h"
#include "core/evaluate/report.h"
#include "core/memory/memory.h"
#include "core/scenario/fit.h"
#include "core/scenario/validate.h"

namespace ringside
{

namespace
{

constexpr std::size_t kMostUndo = 500;

} // namespace

void SessionScene::show(Scenario next)
{
    scenario = std::move(next);
    issues = validate(scenario);
    auto report = has_errors(issues) ? Result<Report>(issues) : evaluate_valid(scenario);
    if (!report)
    {
        issues = report.issues();
        return;
    }
    now = {scenario, std::move(*report)};
}

void SessionScene::change(Scenario next, bool same_step)
{
    if (!same_step)
    {
        undo.push_back(scenario);
        if (undo.size() > kMostUndo)
        {
            undo.erase(undo.begin());
        }
    }
    redo.clear();
    show(std::move(next));
}

void SessionScene::compare()
{
    before = before ? std::nullopt : std::optional(now);
}

ChangeScenario fitted(ChangeScenario change)
{
    Fit made = fit(change.scenario, [](const Scenario& s) { return memory_report(s).fits(); });
    change.scenario = std::move(made.scenario);
    change.notice += change.notice.empty() || made.says.empty() ? "" : ". ";
    change.notice += made.says;
    return change;
}

} // namespace ringside
