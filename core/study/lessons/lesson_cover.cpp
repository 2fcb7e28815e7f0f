#include "core/study/lessons/lesson_cover.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::string_view kWhole = "picture";

bool contains(const std::vector<std::string>& parts, std::string_view part)
{
    return std::ranges::find(parts, part) != parts.end();
}

// Parts that hide later predictions about what is on show. One whose truth belongs to another scenario
// ("then") does not need the whole picture hidden.
std::vector<std::string> later_parts(const LessonPlan& plan, const LessonState& state, const Scenario& shown)
{
    std::vector<std::string> parts;
    for (std::size_t i = state.step + 1; i < plan.steps.size(); ++i)
    {
        const LessonStep& step = plan.lesson.steps[i];
        const StepPlan& planned = plan.steps[i];
        const bool asks = step.predict && !state.records[i].locked_in;
        if (!asks || planned.view != plan.steps[state.step].view || planned.shown.scenario != shown)
        {
            continue;
        }
        std::ranges::copy_if(step.hide, std::back_inserter(parts),
                             [&](const std::string& part)
                             { return part != kWhole || step.predict->then.get().empty(); });
    }
    return parts;
}

} // namespace

LessonCover cover_of(const LessonPlan& plan, const LessonState& state, const Scenario& shown)
{
    if (state.finished)
    {
        return {};
    }
    const LessonStep& step = plan.lesson.steps[state.step];
    const bool revealed = step.predict && state.record().locked_in;
    const std::vector<std::string>& own = step.hide;
    const std::vector<std::string> later = later_parts(plan, state, shown);
    LessonCover cover;
    if (!revealed)
    {
        cover.parts = own;
    }
    const bool left_to_show =
        revealed && std::ranges::any_of(own, [&](const std::string& part) { return !contains(later, part); });
    for (const std::string& part : later)
    {
        const bool covers = part != kWhole && revealed && (left_to_show || !contains(own, part));
        if (covers && !contains(cover.parts, part))
        {
            cover.parts.push_back(part);
        }
        cover.figures = cover.figures || (!covers && !contains(cover.parts, part));
    }
    return cover;
}

} // namespace ringside
