#include "core/pipeline/tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace ringside
{

namespace
{

Issues faults_of(std::span<const Task> tasks, std::size_t lanes)
{
    for (std::size_t i = 0; i < tasks.size(); ++i)
    {
        const Task& task = tasks[i];
        if (task.lane < 0 || static_cast<std::size_t>(task.lane) >= lanes)
        {
            return {{fmt::format("task {}", i), fmt::format("lane {} is not there", task.lane),
                     fmt::format("0 to {}", lanes - 1)}};
        }
        if (!(task.duration >= 0))
        {
            return {{fmt::format("task {}", i), fmt::format("lasts {}", task.duration), "0 or more"}};
        }
        for (const std::int32_t before : task.after)
        {
            if (before < 0 || static_cast<std::size_t>(before) >= tasks.size())
            {
                return {{fmt::format("task {}", i), fmt::format("waits for task {}", before),
                         fmt::format("0 to {}", tasks.size() - 1)}};
            }
        }
    }
    return {};
}

// Who comes next once a task has ended, and how many each still waits for.
struct Waiting
{
    std::vector<std::vector<std::int32_t>> next;
    std::vector<std::int32_t> open;
    std::vector<std::int32_t> ready;

    explicit Waiting(std::span<const Task> tasks) : next(tasks.size()), open(tasks.size(), 0)
    {
        for (std::size_t i = 0; i < tasks.size(); ++i)
        {
            for (const std::int32_t before : tasks[i].after)
            {
                add(before, static_cast<std::int32_t>(i));
            }
        }
    }

    void add(std::int32_t before, std::int32_t task)
    {
        next[static_cast<std::size_t>(before)].push_back(task);
        ++open[static_cast<std::size_t>(task)];
    }

    // Calls f(task) in an order in which none comes before those it waits for. Returns how many came.
    template <class F>
    std::size_t each(F&& f)
    {
        for (std::size_t i = 0; i < open.size(); ++i)
        {
            if (open[i] == 0)
            {
                ready.push_back(static_cast<std::int32_t>(i));
            }
        }
        for (std::size_t k = 0; k < ready.size(); ++k)
        {
            const auto task = static_cast<std::size_t>(ready[k]);
            f(task);
            for (const std::int32_t after : next[task])
            {
                if (--open[static_cast<std::size_t>(after)] == 0)
                {
                    ready.push_back(after);
                }
            }
        }
        return ready.size();
    }
};

} // namespace

Result<TaskRun> run_tasks(std::span<const Task> tasks, std::size_t lanes)
{
    if (Issues issues = faults_of(tasks, lanes); !issues.empty())
    {
        return issues;
    }
    Waiting waiting(tasks);
    std::vector<std::int32_t> last(lanes, -1);
    std::vector<std::int32_t> before(tasks.size(), -1); // on its lane
    for (std::size_t i = 0; i < tasks.size(); ++i)
    {
        std::int32_t& on_lane = last[static_cast<std::size_t>(tasks[i].lane)];
        before[i] = on_lane;
        if (on_lane >= 0)
        {
            waiting.add(on_lane, static_cast<std::int32_t>(i));
        }
        on_lane = static_cast<std::int32_t>(i);
    }
    TaskRun run;
    run.times.resize(tasks.size());
    run.busy.assign(lanes, 0);
    std::vector<bool> ran(tasks.size(), false);
    const std::size_t done = waiting.each(
        [&](std::size_t i)
        {
            TaskTime& time = run.times[i];
            time.free = before[i] < 0 ? 0 : run.times[static_cast<std::size_t>(before[i])].end;
            time.start = time.free;
            for (const std::int32_t k : tasks[i].after)
            {
                if (run.times[static_cast<std::size_t>(k)].end > time.start)
                {
                    time.start = run.times[static_cast<std::size_t>(k)].end;
                    time.waited_for = k;
                }
            }
            time.end = time.start + tasks[i].duration;
            assert(time.start >= time.free && time.end >= time.start); // one at a time on a lane
            run.makespan = std::max(run.makespan, time.end);
            run.busy[static_cast<std::size_t>(tasks[i].lane)] += tasks[i].duration;
            ran[i] = true;
        });
    if (done < tasks.size())
    {
        const auto stuck = std::find(ran.begin(), ran.end(), false) - ran.begin();
        return Issue{fmt::format("task {}", stuck), "waits for itself, in a circle",
                     "let each wait only for tasks that can run before it"};
    }
    return run;
}

double critical_path(std::span<const Task> tasks)
{
    Waiting waiting(tasks);
    std::vector<double> end(tasks.size(), 0);
    double longest = 0;
    const std::size_t done = waiting.each(
        [&](std::size_t i)
        {
            double start = 0;
            for (const std::int32_t k : tasks[i].after)
            {
                start = std::max(start, end[static_cast<std::size_t>(k)]);
            }
            end[i] = start + tasks[i].duration;
            longest = std::max(longest, end[i]);
        });
    return done == tasks.size() ? longest : 0;
}

} // namespace ringside
