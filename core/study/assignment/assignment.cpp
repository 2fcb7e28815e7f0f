#include "core/study/assignment/assignment.h"

#include <fmt/format.h>

#include "core/base/json/json_table.h"
#include "core/base/sha256.h"
#include "core/base/text/find_by.h"
#include "core/study/questions/study_json.h"

#include <algorithm>
#include <set>

namespace ringside
{

namespace
{

constexpr JsonLimits kAssignmentLimits{.letters = 4000, .entries = kMostTasks};
constexpr JsonRule kTaskId{.needed = true, .words = 1, .check = no_id};

const JsonTable<WinningCondition> kWinTable{
    {{"text", &WinningCondition::text, kNeeded}, {"condition", &WinningCondition::condition, kNeeded}}};

const JsonTable<CauseChoice> kCauseChoiceTable{{{"id", &CauseChoice::id, kTaskId},
                                                {"text", &CauseChoice::text, kNeeded},
                                                {"right", &CauseChoice::right}}};

void need_field(const JsonPlace& place, bool there, const char* name, const AssignmentTask& task)
{
    place.fault_if(!there, name, "is missing",
                   fmt::format("a task of the kind \"{}\" needs it", name_of(task.kind)));
}

void check_cause_choices(const JsonPlace& place, const AssignmentTask& task)
{
    const auto right = std::ranges::count_if(task.causes, &CauseChoice::right);
    place.fault_if(task.causes.size() < 2 || right != 1, "causes",
                   fmt::format("has {} entries, {} of them right", task.causes.size(), right),
                   "give two or more, one with \"right\": true");
}

void check_drawn_values(const JsonPlace& place, const AssignmentTask& task)
{
    if (!task.draw.get().is_object())
    {
        return;
    }
    for (const auto& [path, values] : task.draw.get().items())
    {
        place.fault_if(!values.is_array() || values.empty() || values.size() > kMostTasks, "draw",
                       fmt::format("\"{}\" has no list of values", path), "use [value, value, ...]");
    }
}

void check_assignment_task(const JsonPlace& place, AssignmentTask& task)
{
    using enum AssignmentKind;
    const bool changes = task.kind == scenario || task.kind == repair;
    check_drawn_values(place, task);
    switch (task.kind)
    {
    case question:
        need_field(place, !task.question.empty(), "question", task);
        return;
    case lesson:
        need_field(place, !task.lesson.empty(), "lesson", task);
        return;
    case schedule:
        need_field(place, !task.wins.empty(), "wins", task);
        need_field(place, !task.solution_kind.empty(), "solution_kind", task);
        return;
    case essay:
        return;
    case scenario:
    case layout:
    case repair:
        break;
    }
    if (changes)
    {
        need_field(place, !task.free.empty(), "free", task);
        need_field(place, !task.wins.empty(), "wins", task);
        need_field(place, !task.solution.get().empty(), "solution", task);
    }
    if (task.kind == repair)
    {
        check_cause_choices(place, task);
    }
}

const JsonTable<AssignmentTask> kAssignmentTaskTable{
    {
        {"id", &AssignmentTask::id, kTaskId},
        {"title", &AssignmentTask::title, kNeeded},
        {"text", &AssignmentTask::text},
        {"kind", &AssignmentTask::kind, kNeeded},
        {"points", &AssignmentTask::points, {.least = 0, .most = 1000}},
        {"attempts", &AssignmentTask::attempts, {.least = 0, .most = 1000}},
        {"question", &AssignmentTask::question},
        {"scenario", &AssignmentTask::scenario},
        {"set", &AssignmentTask::set},
        {"draw", &AssignmentTask::draw},
        {"free", &AssignmentTask::free},
        {"wins", &AssignmentTask::wins, kWinTable},
        {"solution", &AssignmentTask::solution},
        {"causes", &AssignmentTask::causes, kCauseChoiceTable},
        {"within", &AssignmentTask::within, {.least = 1, .most = 10}},
        {"lesson", &AssignmentTask::lesson},
        {"stages", &AssignmentTask::stages, {.least = 2, .most = 16}},
        {"micro_batches", &AssignmentTask::micro_batches, {.least = 1, .most = 64}},
        {"backward", &AssignmentTask::backward, {.least = 0.1, .most = 10}},
        {"solution_kind", &AssignmentTask::solution_kind},
    },
    check_assignment_task};

void check_task_ids(const JsonPlace& place, const Assignment& assignment)
{
    std::set<std::string_view> seen;
    for (const AssignmentTask& task : assignment.tasks)
    {
        place.fault_if(!seen.insert(task.id).second, "tasks", fmt::format("\"{}\" is there twice", task.id),
                       "give each task an id of its own");
    }
}

const JsonTable<Assignment> kAssignmentTable{
    {
        json_schema<Assignment>("ringside.assignment/1"),
        {"id", &Assignment::id, kTaskId},
        {"title", &Assignment::title, kNeeded},
        {"about", &Assignment::about},
        {"due", &Assignment::due},
        {"salt", &Assignment::salt, kNeeded},
        {"tasks", &Assignment::tasks, kAssignmentTaskTable, {.needed = true, .least = 1}},
    },
    [](const JsonPlace& place, Assignment& assignment) { check_task_ids(place, assignment); }};

} // namespace

const AssignmentTask* Assignment::task(std::string_view wanted) const
{
    return find_by(tasks, wanted, &AssignmentTask::id);
}

double Assignment::points() const
{
    return sum_over(tasks, [](const AssignmentTask& task) { return task.points; });
}

Result<Assignment> assignment_from_json(const nlohmann::json& document)
{
    Issues issues;
    Assignment assignment;
    kAssignmentTable.read({document, "", issues, kAssignmentLimits}, assignment);
    if (!issues.empty())
    {
        return issues;
    }
    assignment.fingerprint = to_hex(sha256(document.dump()));
    return assignment;
}

} // namespace ringside
