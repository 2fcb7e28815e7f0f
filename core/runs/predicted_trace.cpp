#include "core/runs/predicted_trace.h"

#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/performance/step_life.h"
#include "core/runs/trace_sums.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kNanoseconds = 1e9;       // of a second
constexpr std::int64_t kKinetoElement = 2; // [B] of BFloat16

// What NCCL calls the kernel and PyTorch the call.
struct CallNames
{
    std::string_view kernel;
    std::string_view call;
};
CallNames call_names(StepKind kind)
{
    switch (kind)
    {
    case StepKind::all_gather:
        return {"ncclDevKernel_AllGather_RING_LL", "_allgather_base"};
    case StepKind::reduce_scatter:
        return {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "_reduce_scatter_base"};
    case StepKind::all_reduce:
        return {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "allreduce"};
    case StepKind::all_to_all:
        return {"ncclDevKernel_AllToAll", "all_to_all"};
    default:
        return {"ncclDevKernel_SendRecv", "send"};
    }
}

class TraceMaker
{
public:
    TraceMaker(const Scenario& scenario, double seconds)
    {
        trace_.device = scenario.cluster.gpu.name;
        trace_.rank = 0;
        trace_.world = scenario.cluster.gpus;
        trace_.linked = true;
        trace_.steps.push_back({"ProfilerStep#1", seconds, {}});
    }

    void compute(const std::string& name, double from, double to) { add(name, from, to, 0); }

    void call(StepKind kind, Axis axis, std::int64_t ranks, double bytes, double from, double to)
    {
        const CallNames names = call_names(kind);
        const auto same = [&](const TraceCollective& known)
        { return known.name == names.call && known.group == name_of(axis); };
        auto found = std::ranges::find_if(trace_.collectives, same);
        if (found == trace_.collectives.end())
        {
            trace_.collectives.push_back(
                {std::string(names.call), std::string(name_of(axis)), ranks, "BFloat16"});
            bytes_.emplace_back();
            found = std::prev(trace_.collectives.end());
        }
        const auto number = static_cast<std::size_t>(found - trace_.collectives.begin());
        bytes_[number].first += static_cast<std::int64_t>(bytes);
        bytes_[number].second += static_cast<std::int64_t>(bytes);
        add(std::string(names.kernel), from, to, static_cast<std::uint32_t>(number + 1));
    }

    GpuTrace take()
    {
        std::ranges::stable_sort(trace_.events, {}, &GpuEvent::start);
        trace_.in_file = static_cast<std::int64_t>(trace_.events.size());
        trace_.steps.front().gpu = timeline_of(trace_.events);
        sum_up_trace(trace_, bytes_);
        return std::move(trace_);
    }

private:
    void add(const std::string& name, double from, double to, std::uint32_t collective)
    {
        const auto known = std::ranges::find(trace_.names, name);
        const auto number = static_cast<std::uint32_t>(known - trace_.names.begin());
        if (known == trace_.names.end())
        {
            trace_.names.push_back(name);
        }
        const auto start = static_cast<std::int64_t>(std::llround(from * kNanoseconds));
        const auto end = static_cast<std::int64_t>(std::llround(to * kNanoseconds));
        trace_.events.push_back({.start = start,
                                 .length = std::max<std::int64_t>(0, end - start),
                                 .launched = 0, // the host runs ahead
                                 .correlation = static_cast<std::uint32_t>(trace_.events.size() + 1),
                                 .name = number,
                                 .collective = collective,
                                 .step = 1,
                                 .work = work_of_kernel(name)});
    }

    GpuTrace trace_;
    std::vector<std::pair<std::int64_t, std::int64_t>> bytes_;
};

// What the step model finds exposed beyond these lanes, as hiding costs compute, follows at their end.
GpuTrace trace_of_life(const Scenario& s, const Report& report)
{
    StepOptions options;
    options.strategy = s.parallel.shard_group > 0 && s.parallel.zero == 3
                           ? StepStrategy::hsdp
                           : static_cast<StepStrategy>(std::clamp<std::int64_t>(s.parallel.zero, 0, 3));
    options.accumulation = micro_batches(s);
    options = in_range(options);
    const StepLife life = step_life(s, options);
    const double total = micro_batches(s) <= options.accumulation ? report.step.total() : life.total;
    TraceMaker maker(s, std::max(life.total, total));
    for (const StepTask& task : life.tasks)
    {
        if (task.lane == StepLane::compute)
        {
            maker.compute(fmt::format("{}: {}", name_of(task.kind), units_in_words(task.from, task.layer)),
                          task.start, task.end);
        }
        else
        {
            const std::int64_t ranks = task.lane == StepLane::layers
                                           ? life.layer_groups[index(task.axis)].ranks
                                           : life.groups[0].ranks;
            maker.call(task.kind, task.axis, ranks, task.message.value, task.start, task.end);
        }
    }
    if (total > life.total && report.step.data_exposed > 0)
    {
        maker.call(StepKind::reduce_scatter, Axis::data, life.groups[0].ranks, 0, life.total, total);
    }
    return maker.take();
}

// Blocks of the pipeline with what of them is traffic at their ends.
GpuTrace trace_of_pipeline(const Scenario& s, const Report& report)
{
    const StepTime& step = report.step;
    const Timeline& timeline = report.pipeline.timeline;
    const auto longest = std::ranges::max_element(timeline.busy) - timeline.busy.begin();
    const double before = step.total() - step.data_exposed - step.optimizer;
    const double scale = timeline.makespan > 0 ? before / timeline.makespan : 0;
    struct Share
    {
        StepKind kind;
        Axis axis;
        std::int64_t ranks;
        double seconds;
    };
    const std::array shares{Share{StepKind::all_gather, Axis::tensor, s.parallel.tensor, step.tensor_comm},
                            Share{StepKind::ring, Axis::context, s.parallel.context, step.context_comm},
                            Share{StepKind::all_to_all, Axis::expert, s.parallel.expert, step.expert_comm},
                            Share{StepKind::ring, Axis::pipeline, s.parallel.pipeline, step.pipeline_comm}};
    double working = step.compute;
    for (const Share& share : shares)
    {
        working += share.seconds;
    }
    TraceMaker maker(s, step.total());
    for (const Event& event : timeline.rank(static_cast<std::size_t>(longest)))
    {
        const double length = (event.end - event.start) * scale;
        double at = event.start * scale + length * step.compute / working;
        maker.compute(fmt::format("{}: micro-batch {} of stage {}",
                                  event.operation.pass == Pass::forward ? "forward" : "backward",
                                  event.operation.micro_batch, event.operation.stage),
                      event.start * scale, at);
        for (const Share& share : shares)
        {
            const double took = length * share.seconds / working;
            if (took > 0)
            {
                maker.call(share.kind, share.axis, share.ranks, 0, at, at + took);
                at += took;
            }
        }
    }
    if (step.data_exposed > 0)
    {
        maker.call(s.parallel.zero > 0 ? StepKind::reduce_scatter : StepKind::all_reduce, Axis::data,
                   report.collective.ranks, report.collective.message.value, before,
                   before + step.data_exposed);
    }
    maker.compute("optimizer", before + step.data_exposed, step.total());
    return maker.take();
}

double microseconds(std::int64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1e3;
}

nlohmann::json arguments_of(const GpuTrace& trace, const GpuEvent& event)
{
    nlohmann::json out{{"device", 0},
                       {"stream", event.work == GpuWork::computing ? 7 : 24},
                       {"correlation", event.correlation}};
    if (event.collective > 0)
    {
        const TraceCollective& call = trace.collectives[event.collective - 1];
        const std::int64_t each = std::max<std::int64_t>(1, call.count) * kKinetoElement;
        out["Collective name"] = call.name;
        out["Process Group Description"] = call.group;
        out["Process Group Name"] = call.group;
        out["Group size"] = call.ranks;
        out["dtype"] = call.type;
        out["In msg nelems"] = call.bytes_in / each;
        out["Out msg nelems"] = call.bytes_out / each;
    }
    return out;
}

} // namespace

GpuTrace predicted_trace(const Scenario& scenario, const Report& report)
{
    return scenario.parallel.pipeline > 1 ? trace_of_pipeline(scenario, report)
                                          : trace_of_life(scenario, report);
}

std::string kineto_text(const GpuTrace& trace)
{
    using nlohmann::json;
    json events = json::array();
    std::int64_t until = 0;
    for (const GpuEvent& event : trace.events)
    {
        until = std::max(until, event.end());
    }
    for (const TraceStep& step : trace.steps)
    {
        events.push_back({{"ph", "X"},
                          {"cat", "user_annotation"},
                          {"name", step.name},
                          {"pid", 1},
                          {"tid", 1},
                          {"ts", 0},
                          {"dur", microseconds(until)}});
    }
    for (const GpuEvent& event : trace.events)
    {
        events.push_back({{"ph", "X"},
                          {"cat", "cuda_runtime"},
                          {"name", "cudaLaunchKernel"},
                          {"pid", 1},
                          {"tid", 1},
                          {"ts", microseconds(std::max<std::int64_t>(0, event.launched))},
                          {"dur", 0},
                          {"args", {{"correlation", event.correlation}}}});
        events.push_back({{"ph", "X"},
                          {"cat", "kernel"},
                          {"name", trace.names[event.name]},
                          {"pid", 0},
                          {"tid", event.work == GpuWork::computing ? 7 : 24},
                          {"ts", microseconds(event.start)},
                          {"dur", microseconds(event.length)},
                          {"args", arguments_of(trace, event)}});
    }
    const json document{
        {"schemaVersion", 1},
        {"deviceProperties", json::array({{{"id", 0}, {"name", trace.device}}})},
        {"distributedInfo", {{"backend", "nccl"}, {"rank", trace.rank}, {"world_size", trace.world}}},
        {"traceEvents", std::move(events)}};
    return document.dump() + "\n";
}

} // namespace ringside
