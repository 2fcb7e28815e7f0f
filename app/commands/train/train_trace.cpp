#include "app/commands/train/train_trace.h"

#include <fmt/format.h>

#include "core/runs/predicted/predicted_trace.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

std::string_view word_of(Pass pass)
{
    switch (pass)
    {
    case Pass::forward:
        return "forward";
    case Pass::input:
        return "backward of inputs";
    case Pass::weight:
        return "backward of weights";
    default:
        return "backward";
    }
}

class RankTraceMaker
{
public:
    RankTraceMaker(const TeamStepTrace& step, int rank)
    {
        trace_.device = "ringside train";
        trace_.rank = rank;
        trace_.world = std::ssize(step.ranks);
        trace_.steps.push_back({.name = fmt::format("ProfilerStep#{}", step.step)});
    }

    // Messages inside a layer make the operation wait, those between replicas do not.
    void add(const RankTrace::Work& work, const std::vector<RankTrace::Message>& messages)
    {
        const Operation& o = work.operation;
        const std::string name =
            fmt::format("{}, stage {}, micro-batch {}", word_of(o.pass), o.stage, o.micro_batch);
        double from = work.start;
        for (const RankTrace::Message& message : messages)
        {
            const bool waits = message.axis == "tensor" || message.axis == "expert";
            if (waits && message.start >= from && message.end <= work.end)
            {
                add(name, GpuWork::computing, from, message.start, 0);
                from = message.end;
            }
        }
        add(name, GpuWork::computing, from, work.end, 0);
    }
    void add(const RankTrace::Message& message)
    {
        auto& calls = trace_.collectives;
        const auto found =
            std::ranges::find_if(calls, [&](const TraceCollective& call)
                                 { return call.name == message.kind && call.group == message.axis; });
        const auto number = static_cast<std::uint32_t>(found - calls.begin());
        if (found == calls.end())
        {
            calls.push_back({.name = message.kind, .group = message.axis});
        }
        ++calls[number].count;
        add(fmt::format("nccl:{} ({})", message.kind, message.axis), GpuWork::communication, message.start,
            message.end, number + 1);
    }

    std::string take()
    {
        std::ranges::sort(trace_.events, {}, &GpuEvent::start);
        return kineto_text(trace_);
    }

private:
    void add(const std::string& name, GpuWork work, double start, double end, std::uint32_t collective)
    {
        const auto known = std::ranges::find(trace_.names, name);
        const auto number = static_cast<std::uint32_t>(known - trace_.names.begin());
        if (known == trace_.names.end())
        {
            trace_.names.push_back(name);
        }
        const auto nanoseconds = [](double seconds) { return std::llround(seconds * 1e9); };
        trace_.events.push_back({.start = nanoseconds(start),
                                 .length = std::max<std::int64_t>(1, nanoseconds(end - start)),
                                 .launched = nanoseconds(start),
                                 .correlation = static_cast<std::uint32_t>(trace_.events.size() + 1),
                                 .name = number,
                                 .collective = collective,
                                 .step = 1,
                                 .work = work});
    }

    GpuTrace trace_;
};

} // namespace

std::string trace_text(const TeamStepTrace& step, int rank)
{
    RankTraceMaker maker(step, rank);
    RankTrace own = step.ranks[static_cast<std::size_t>(rank)];
    std::ranges::sort(own.messages, {}, &RankTrace::Message::start);
    for (const RankTrace::Work& work : own.work)
    {
        maker.add(work, own.messages);
    }
    for (const RankTrace::Message& message : own.messages)
    {
        maker.add(message);
    }
    return maker.take();
}

} // namespace ringside
