#include "core/runs/predicted/predicted_snapshot.h"
#include "core/runs/predicted/predicted_trace.h"
#include "ui/views/lab/run/pages.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kSecondsOf = 1e-9;         // a nanosecond
constexpr std::size_t kMostBlocks = 20'000; // of a side, beyond which near ones of a kind are one
constexpr double kNearby = 2e-4;            // of the step

void add_block(std::vector<RunBlock>& lane, RunBlock block, double nearby)
{
    if (!lane.empty() && nearby > 0 && lane.back().part == block.part &&
        block.from <= lane.back().to + nearby)
    {
        lane.back().to = std::max(lane.back().to, block.to);
        return;
    }
    lane.push_back(std::move(block));
}

RunSide side_of(const GpuTrace& trace, std::span<const GpuEvent> events, const StepTime& step)
{
    RunSide side;
    if (events.empty())
    {
        return side;
    }
    const std::int64_t origin = events.front().start;
    const auto at = [origin](std::int64_t time) { return static_cast<double>(time - origin) * kSecondsOf; };
    for (const GpuEvent& event : events)
    {
        side.total = std::max(side.total, at(event.end()));
    }
    const double nearby = events.size() > kMostBlocks ? kNearby * side.total : 0;
    const std::vector<MeasuredPart> parts = parts_of_events(trace, events, step);
    std::size_t range = 0; // the last one that has begun
    for (std::size_t i = 0; i < events.size(); ++i)
    {
        const GpuEvent& event = events[i];
        const bool computes = event.work == GpuWork::computing || event.work == GpuWork::set;
        while (range + 1 < trace.ranges.size() && trace.ranges[range + 1].from <= event.start)
        {
            ++range;
        }
        const bool named = computes && !trace.ranges.empty();
        add_block(computes ? side.computing : side.traffic,
                  {at(event.start), at(event.end()), parts[i],
                   named ? trace.ranges[range].name : trace.names[event.name]},
                  nearby);
    }
    for (const GpuSpan& span : exposed_communication(events))
    {
        side.exposed.push_back({at(span.from), at(span.to)});
    }
    return side;
}

// Parts that both runs measured; where one tells none apart, the whole step.
std::vector<ComparedPart> parts_between(const RunReading& before, const RunReading& after,
                                        const StepTime& step)
{
    const double from = measured_step_seconds(before);
    const double to = measured_step_seconds(after);
    if (from <= 0 || to <= 0)
    {
        return {};
    }
    if (before.traces.empty() || after.traces.empty())
    {
        return {{"the whole step", from, to, "waterfall/step"}};
    }
    std::vector<ComparedPart> parts = parts_of_step(after, step, to);
    for (ComparedPart& part : parts)
    {
        part.predicted = 0;
    }
    for (const ComparedPart& old : parts_of_step(before, step, from))
    {
        const auto same = std::ranges::find(parts, old.name, &ComparedPart::name);
        if (same == parts.end())
        {
            parts.push_back({old.name, old.measured.value_or(0), 0.0, old.place});
        }
        else
        {
            same->predicted = old.measured.value_or(0);
        }
    }
    return parts;
}

RunPicture picture_of(const RunFrame* run, std::size_t rank, const Scenario& scenario, const Report& report)
{
    RunPicture picture;
    picture.band = step_band(scenario, report);
    const GpuTrace predicted = predicted_trace(scenario, report);
    picture.predicted = side_of(predicted, predicted.events, report.step);
    if (run == nullptr)
    {
        const auto memory = read_snapshot(tree_of_json(predicted_snapshot(scenario, report)));
        picture.memory = memory ? *memory : MemorySnapshot();
        picture.blocks = named_blocks(picture.memory.peak_sizes, scenario);
        return picture;
    }
    picture.compared = compare_run(run->run, scenario, report);
    picture.advice = advice_on(run->run, picture.compared, scenario.cluster.gpus_per_node);
    if (!run->run.traces.empty())
    {
        const GpuTrace& trace = run->run.traces[std::min(rank, run->run.traces.size() - 1)];
        for (const GpuStep& step : steps_of(trace))
        {
            picture.steps.push_back(side_of(trace, step.events, report.step));
            picture.names.push_back(step.name);
        }
    }
    if (run->other)
    {
        picture.between = parts_between(run->other->run, run->run, report.step);
    }
    if (run->run.snapshot)
    {
        picture.blocks = named_blocks(run->run.snapshot->peak_sizes, scenario);
    }
    return picture;
}

} // namespace

const RunPicture& MyRunState::picture(const Frame& frame) const
{
    const RunFrame* const run = frame.run;
    return known.of({run != nullptr ? run->number : 0, rank, frame.now.scenario}, [&](const auto& of)
                    { return picture_of(run, std::get<1>(of), std::get<2>(of), *frame.now.report); });
}

} // namespace ringside
