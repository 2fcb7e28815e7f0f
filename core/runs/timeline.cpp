#include "core/base/text/text.h"
#include "core/runs/trace_sums.h"

#include <algorithm>
#include <array>
#include <map>

namespace ringside
{

namespace
{

using Span = GpuSpan;
using Spans = std::vector<Span>; // in order, apart

constexpr double kSecond = 1e-9; // of a nanosecond

// The union of spans that are in order of their beginning.
Spans united(const Spans& sorted)
{
    Spans out;
    for (const Span& span : sorted)
    {
        if (!out.empty() && span.from <= out.back().to)
        {
            out.back().to = std::max(out.back().to, span.to);
        }
        else
        {
            out.push_back(span);
        }
    }
    return out;
}

double length(const Spans& spans)
{
    double sum = 0;
    for (const Span& span : spans)
    {
        sum += static_cast<double>(span.to - span.from);
    }
    return sum * kSecond;
}

// What lies in the first and not in the second.
Spans without(const Spans& spans, const Spans& others)
{
    Spans out;
    std::size_t at = 0;
    for (Span span : spans)
    {
        while (at < others.size() && others[at].to <= span.from)
        {
            ++at;
        }
        for (std::size_t i = at; i < others.size() && others[i].from < span.to; ++i)
        {
            if (others[i].from > span.from)
            {
                out.push_back({span.from, others[i].from});
            }
            span.from = std::max(span.from, std::min(others[i].to, span.to));
        }
        if (span.to > span.from)
        {
            out.push_back(span);
        }
    }
    return out;
}

double length_without(const Spans& spans, const Spans& others)
{
    return length(without(spans, others));
}

template <class Is>
Spans spans_of(std::span<const GpuEvent> events, const Is& is)
{
    Spans spans;
    for (const GpuEvent& event : events)
    {
        if (is(event))
        {
            spans.push_back({event.start, event.end()});
        }
    }
    return united(spans);
}

bool communicates(const GpuEvent& event, bool symmetric)
{
    return event.work == GpuWork::communication || (symmetric && event.work == GpuWork::symmetric);
}

bool computes(const GpuEvent& event, bool symmetric)
{
    return event.work != GpuWork::copy && !communicates(event, symmetric);
}

// Idle time before an event that the host had not launched yet.
double launch_gaps(std::span<const GpuEvent> events)
{
    double sum = 0;
    std::int64_t busy_until = events.empty() ? 0 : events.front().start;
    for (const GpuEvent& event : events)
    {
        if (event.launched != kNotLaunched && event.start > busy_until && event.launched > busy_until)
        {
            sum += static_cast<double>(std::min(event.start, event.launched) - busy_until);
        }
        busy_until = std::max(busy_until, event.end());
    }
    return sum * kSecond;
}

// What a byte of the operation's size comes to on the busiest link, of n ranks (nccl-tests,
// doc/PERFORMANCE.md).
double bus_factor(std::string_view name, double n)
{
    const std::string small = small_letters(name);
    const auto has = [&](std::string_view part) { return small.find(part) != std::string::npos; };
    if (has("allreduce") || has("all_reduce"))
    {
        return 2 * (n - 1) / n;
    }
    const bool shared = has("allgather") || has("all_gather") || has("reduce_scatter") ||
                        has("reducescatter") || has("alltoall") || has("all_to_all");
    return shared ? (n - 1) / n : 1;
}

} // namespace

GpuWork work_of_kernel(std::string_view name)
{
    const std::string small = small_letters(name.substr(0, 256));
    const auto has = [&](std::string_view part) { return small.find(part) != std::string::npos; };
    // HolisticTraceAnalysis knows the first form only, TraceLens those of DeepEP and NVSHMEM, too.
    if (small.starts_with("nccl") || has("deep_ep") || has("dpsk::ep") || has("nvshmem") || has("rccl") ||
        has("mscclpp"))
    {
        return GpuWork::communication;
    }
    // torch/csrc/distributed/c10d/symm_mem/CUDASymmetricMemoryOps.cu; vLLM's custom_all_reduce.cuh;
    // Transformer Engine's userbuffers.cu.
    const bool symmetric = has("multimem_") || has("one_shot_all") || has("two_shot_all") ||
                           has("cross_device_reduce") || has("userbuffers");
    return symmetric ? GpuWork::symmetric : GpuWork::computing;
}

GpuTimeline timeline_of(std::span<const GpuEvent> events, bool symmetric)
{
    const Spans computing = spans_of(events, [&](const GpuEvent& e) { return computes(e, symmetric); });
    const Spans talking = spans_of(events, [&](const GpuEvent& e) { return communicates(e, symmetric); });
    const Spans copies = spans_of(events, [](const GpuEvent& e) { return e.work == GpuWork::copy; });
    const Spans working = spans_of(events, [](const GpuEvent& e) { return e.work != GpuWork::copy; });
    const Spans all = spans_of(events, [](const GpuEvent&) { return true; });
    GpuTimeline out;
    out.computing = length(computing);
    out.communication = length(talking);
    out.exposed_communication = length_without(talking, computing);
    out.copies = length(copies);
    out.exposed_copies = length_without(copies, working);
    out.busy = length(all);
    out.total = all.empty() ? 0 : static_cast<double>(all.back().to - all.front().from) * kSecond;
    out.idle = out.total - out.busy;
    out.launch_gaps = launch_gaps(events);
    for (const GpuEvent& event : events)
    {
        out.memcpys += event.work == GpuWork::copy ? 1 : 0;
        out.memsets += event.work == GpuWork::set ? 1 : 0;
        out.kernels_communication += communicates(event, symmetric) ? 1 : 0;
        out.kernels_computing += computes(event, symmetric) && event.work != GpuWork::set ? 1 : 0;
    }
    return out;
}

std::vector<GpuSpan> exposed_communication(std::span<const GpuEvent> events)
{
    return without(spans_of(events, [](const GpuEvent& e) { return communicates(e, true); }),
                   spans_of(events, [](const GpuEvent& e) { return computes(e, true); }));
}

std::vector<double> seconds_by_class(std::span<const GpuEvent> events, std::size_t classes,
                                     const std::function<std::size_t(const GpuEvent&)>& class_of)
{
    std::vector<double> seconds;
    double before = 0;
    for (std::size_t last = 0; last < classes; ++last)
    {
        const double up_to =
            length(spans_of(events, [&](const GpuEvent& event) { return class_of(event) <= last; }));
        seconds.push_back(up_to - before);
        before = up_to;
    }
    return seconds;
}

double TraceCollective::bus_bytes_per_second() const
{
    const auto bytes = static_cast<double>(std::max(bytes_in, bytes_out));
    return seconds > 0 && ranks > 1 ? bytes * bus_factor(name, static_cast<double>(ranks)) / seconds : 0;
}

namespace
{

// The longest first, those that no counted event calls left out; the events' numbers follow.
void sort_collectives(GpuTrace& trace)
{
    std::vector<std::uint32_t> order(trace.collectives.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater(),
                             [&](std::uint32_t i) { return trace.collectives[i].seconds; });
    std::vector<TraceCollective> sorted;
    std::vector<std::uint32_t> number(order.size() + 1, 0); // from 1, by the old one
    for (const std::uint32_t i : order)
    {
        if (trace.collectives[i].count > 0)
        {
            sorted.push_back(std::move(trace.collectives[i]));
            number[i + 1] = static_cast<std::uint32_t>(sorted.size());
        }
    }
    trace.collectives = std::move(sorted);
    for (GpuEvent& event : trace.events)
    {
        event.collective = number[event.collective];
    }
}

} // namespace

void sum_up_trace(GpuTrace& trace, std::span<const std::pair<std::int64_t, std::int64_t>> bytes)
{
    trace.timeline = timeline_of(trace.events);
    trace.without_symmetric = timeline_of(trace.events, false);
    const Spans computing = spans_of(trace.events, [](const GpuEvent& e) { return computes(e, true); });
    std::map<std::uint32_t, KernelSum> sums;
    for (const GpuEvent& event : trace.events)
    {
        KernelSum& sum = sums[event.name];
        ++sum.count;
        sum.seconds += static_cast<double>(event.length) * kSecond;
        if (event.collective > 0)
        {
            TraceCollective& calls = trace.collectives[event.collective - 1];
            ++calls.count;
            calls.seconds += static_cast<double>(event.length) * kSecond;
        }
    }
    for (std::size_t i = 0; i < trace.collectives.size(); ++i)
    {
        TraceCollective& calls = trace.collectives[i];
        calls.bytes_in = bytes[i].first;
        calls.bytes_out = bytes[i].second;
        const Spans own = spans_of(trace.events, [&](const GpuEvent& e) { return e.collective == i + 1; });
        calls.exposed = length_without(own, computing);
    }
    sort_collectives(trace);
    for (auto& [name, sum] : sums)
    {
        sum.name = trace.names[name];
        trace.longest.push_back(std::move(sum));
    }
    std::ranges::stable_sort(trace.longest, std::ranges::greater(), &KernelSum::seconds);
    trace.longest.resize(std::min<std::size_t>(trace.longest.size(), 10));
}

TraceJoin join_traces(const std::vector<GpuTrace>& traces)
{
    TraceJoin join;
    std::vector<std::vector<double>> calls;
    for (const GpuTrace& trace : traces)
    {
        join.ranks.push_back({.rank = trace.rank});
        auto& lengths = calls.emplace_back();
        for (const GpuEvent& event : trace.events)
        {
            if (communicates(event, true))
            {
                lengths.push_back(static_cast<double>(event.length) * kSecond);
            }
        }
        join.ranks.back().calls = static_cast<std::int64_t>(lengths.size());
        join.same_calls = join.same_calls && lengths.size() == calls.front().size();
    }
    for (std::size_t k = 0; join.same_calls && calls.size() > 1 && k < calls.front().size(); ++k)
    {
        std::size_t last = 0;
        for (std::size_t i = 1; i < calls.size(); ++i)
        {
            last = calls[i][k] < calls[last][k] ? i : last;
        }
        ++join.ranks[last].last;
        for (std::size_t i = 0; i < calls.size(); ++i)
        {
            join.ranks[i].waited += calls[i][k] - calls[last][k];
        }
    }
    const auto least = std::ranges::min_element(join.ranks, {}, &RankWait::waited);
    const auto most = std::ranges::max_element(join.ranks, {}, &RankWait::waited);
    if (most != join.ranks.end() && most->waited > least->waited)
    {
        join.straggler = least->rank;
    }
    std::ranges::stable_sort(join.ranks, {}, &RankWait::rank);
    return join;
}

LateRanks late_ranks(const TraceJoin& join, std::int64_t gpus_per_node)
{
    LateRanks late;
    if (join.straggler < 0)
    {
        return late;
    }
    const auto [least, most] = std::ranges::minmax(join.ranks, {}, &RankWait::waited);
    const double halfway = (least.waited + most.waited) / 2;
    const auto node_of = [per_node = std::max<std::int64_t>(1, gpus_per_node)](std::int64_t rank)
    { return rank / per_node; };
    const std::int64_t node = node_of(join.straggler);
    std::int64_t on_time = 0;
    bool elsewhere = false;
    for (const RankWait& rank : join.ranks)
    {
        const bool is_late = rank.waited < halfway;
        if (is_late)
        {
            late.ranks.push_back(rank.rank);
        }
        on_time += !is_late && node_of(rank.rank) == node ? 1 : 0;
        elsewhere = elsewhere || (is_late && node_of(rank.rank) != node);
    }
    late.node = late.ranks.size() > 1 && on_time == 0 && !elsewhere ? node : -1;
    late.beside = late.ranks.size() == 1 ? on_time : 0;
    return late;
}

} // namespace ringside
