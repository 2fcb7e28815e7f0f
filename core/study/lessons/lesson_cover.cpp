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

bool about_change(const LessonStep& step)
{
    return step.predict && !step.predict->then.get().empty();
}

struct Later
{
    std::vector<std::string> parts;   // of predictions about what is on show
    std::vector<std::string> changes; // of those about a change of it, which need no whole picture hidden
    bool asked = false;               // there is one about what is on show, with parts or without
    bool choice = false;              // one that covers parts of it is answered by words
};

Later later_than(const LessonPlan& plan, const LessonState& state, const Scenario& shown)
{
    Later later;
    for (std::size_t i = state.step + 1; i < plan.steps.size(); ++i)
    {
        const LessonStep& step = plan.lesson.steps[i];
        const StepPlan& planned = plan.steps[i];
        const bool asks = step.predict && !state.records[i].locked_in;
        if (!asks || planned.view != plan.steps[state.step].view || planned.shown.scenario != shown)
        {
            continue;
        }
        const bool change = about_change(step);
        std::ranges::copy_if(step.hide, std::back_inserter(change ? later.changes : later.parts),
                             [&](const std::string& part) { return part != kWhole || !change; });
        later.asked = later.asked || !change;
        later.choice = later.choice || (step.predict->is_choice() && !step.hide.empty());
    }
    return later;
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
    const Later later = later_than(plan, state, shown);
    LessonCover cover;
    if (!revealed)
    {
        cover.parts = own;
    }
    cover.caption = later.asked || !cover.parts.empty();
    cover.sentence = later.choice;
    const auto add = [&](const std::string& part, bool covers)
    {
        const bool covered = contains(cover.parts, part);
        if (covers && !covered)
        {
            cover.parts.push_back(part);
        }
        cover.figures = cover.figures || (!covers && !covered);
    };
    for (const std::string& part : later.changes)
    {
        add(part, part != step.highlight);
    }
    const bool left_to_show =
        about_change(step) ||
        std::ranges::any_of(own, [&](const std::string& part) { return !contains(later.parts, part); });
    for (const std::string& part : later.parts)
    {
        add(part, part != kWhole && revealed && (left_to_show || !contains(own, part)));
    }
    return cover;
}

} // namespace ringside
