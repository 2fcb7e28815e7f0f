// Tasks on lanes: what runs one after the other and waits for what, and the times that follow. Knows nothing
// of models or networks; pipelines have a simulator of their own in simulate.h.
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside
{

struct Task
{
    std::int32_t lane = 0;
    double duration = 0;             // not negative
    std::vector<std::int32_t> after; // indices of the tasks that must have ended
};

struct TaskTime
{
    double start = 0;
    double end = 0;
    double free = 0;              // when its lane had done everything before it
    std::int32_t waited_for = -1; // the task whose end it waited for while its lane was free; -1: none
};

struct TaskRun
{
    std::vector<TaskTime> times; // [task]
    double makespan = 0;
    std::vector<double> busy; // [lane]
};

// A lane runs its tasks in the order of the list; a task starts as soon as its lane is free and all it waits
// for have ended. Refused, with the task: a lane or a task that is not there, a negative duration, tasks that
// wait for each other in a circle.
Result<TaskRun> run_tasks(std::span<const Task> tasks, std::size_t lanes);

// The longest chain of tasks that wait for each other, were there a lane for each. 0 where they are in a
// circle.
double critical_path(std::span<const Task> tasks);

} // namespace ringside
