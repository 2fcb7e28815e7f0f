#include "core/parallelism/experts/overlap.h"

#include <algorithm>

namespace ringside
{

MoeRun moe_run(const MoeTimes& times, std::int64_t layers, std::int64_t batches)
{
    std::vector<Task> tasks;
    MoeRun run;
    for (std::int64_t layer = 0; layer < layers; ++layer)
    {
        for (const MoePart part : every<MoePart>())
        {
            for (std::int64_t batch = 0; batch < batches; ++batch)
            {
                Task task;
                task.lane = part == MoePart::attention || part == MoePart::experts ? 0 : 1;
                task.duration = times.of(part) / static_cast<double>(batches);
                if (!tasks.empty() && static_cast<std::int64_t>(tasks.size()) >= batches)
                {
                    task.after.push_back(static_cast<std::int32_t>(tasks.size()) -
                                         static_cast<std::int32_t>(batches));
                }
                tasks.push_back(task);
                run.tasks.push_back({part, layer, batch, {}});
            }
        }
    }
    const auto made = run_tasks(tasks, 2);
    const std::size_t in_layer = kMoeParts * static_cast<std::size_t>(batches);
    for (std::size_t i = 0; made && i < run.tasks.size(); ++i)
    {
        run.tasks[i].time = made->times[i];
    }
    run.makespan = made ? made->makespan : 0;
    if (layers > 1)
    {
        run.each = run.tasks.back().time.end - run.tasks[run.tasks.size() - 1 - in_layer].time.end;
    }
    return run;
}

} // namespace ringside
