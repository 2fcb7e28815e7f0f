// A trace in the form of libkineto's output_json.cpp.
#include "core/base/json/json.h"
#include "core/runs/predicted/predicted_trace.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kKinetoElement = 2; // [B] of BFloat16
constexpr int kComputeStream = 7;          // as PyTorch numbers them
constexpr int kTrafficStream = 24;

double microseconds(std::int64_t nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1e3;
}

nlohmann::json arguments_of(const GpuTrace& trace, const GpuEvent& event)
{
    nlohmann::json out{{"device", 0},
                       {"stream", event.work == GpuWork::computing ? kComputeStream : kTrafficStream},
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
    for (const TraceRange& range : trace.ranges)
    {
        events.push_back({{"ph", "X"},
                          {"cat", "gpu_user_annotation"},
                          {"name", range.name},
                          {"pid", 0},
                          {"tid", kComputeStream},
                          {"ts", microseconds(range.from)},
                          {"dur", microseconds(range.to - range.from)}});
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
                          {"tid", event.work == GpuWork::computing ? kComputeStream : kTrafficStream},
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
