#include "core/runs/run.h"

#include <algorithm>

namespace ringside
{

namespace
{

using nlohmann::json;

json optional_json(const std::optional<double>& value)
{
    return value ? json(*value) : json();
}

json steps_json(const TrainingLog& log)
{
    json steps = json::array();
    for (const LoggedStep& step : log.steps)
    {
        json one{
            {"step", step.step},
            {"time_s", optional_json(step.at(LogValue::seconds))},
            {"tokens_per_s", optional_json(step.at(LogValue::tokens_per_second))},
            {"tokens_per_s_per_gpu", optional_json(step.at(LogValue::tokens_per_second_gpu))},
            {"samples_per_s", optional_json(step.at(LogValue::samples_per_second))},
            {"loss", optional_json(step.at(LogValue::loss))},
            {"grad_norm", optional_json(step.at(LogValue::grad_norm))},
            {"tflops_per_gpu", optional_json(step.at(LogValue::tflops))},
            {"mfu", optional_json(step.at(LogValue::mfu))},
            {"memory_bytes", optional_json(step.at(LogValue::memory)     ? step.at(LogValue::memory)
                                           : step.at(LogValue::reserved) ? step.at(LogValue::reserved)
                                                                         : step.at(LogValue::allocated))}};
        if (log.runs > 1)
        {
            one["run"] = step.run;
        }
        for (auto field = one.begin(); field != one.end();)
        {
            field = field->is_null() ? one.erase(field) : std::next(field);
        }
        steps.push_back(std::move(one));
    }
    return steps;
}

void add_spread(json& out, const std::string& name, const LogSpread& spread)
{
    if (spread.rows > 0)
    {
        out[name] = {{"median", spread.median}, {"p90", spread.p90}, {"rows", spread.rows}};
    }
}

json summary_json(const TrainingLog& log)
{
    const StepSummary& s = log.summary;
    json out{{"count", s.count},     {"warm_up", s.warm_up},       {"skipped", s.skipped},
             {"nan", s.nan},         {"spikes", s.spikes.size()},  {"runs", log.runs},
             {"copies", log.copies}, {"time_from", s.seconds_from}};
    if (s.seconds.rows > 0)
    {
        out["median_s"] = s.seconds.median;
        out["p90_s"] = s.seconds.p90;
        out["mean_s"] = s.mean_seconds;
        out["rows"] = s.seconds.rows;
    }
    add_spread(out, "tokens_per_s", s.tokens_per_second);
    add_spread(out, "tokens_per_s_per_gpu", s.tokens_per_second_gpu);
    add_spread(out, "samples_per_s", s.samples_per_second);
    add_spread(out, "tflops_per_gpu", s.tflops);
    add_spread(out, "mfu", s.mfu);
    json spikes = json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(s.spikes.size(), 20); ++i)
    {
        spikes.push_back(
            {{"step", s.spikes[i].step}, {"time_s", s.spikes[i].seconds}, {"ratio", s.spikes[i].ratio}});
    }
    out["spike_steps"] = std::move(spikes);
    if (s.spike_period > 0)
    {
        out["spike_period"] = s.spike_period;
    }
    return out;
}

json timeline_json(const GpuTimeline& t)
{
    return {{"total_s", t.total},
            {"computing_s", t.computing},
            {"communication_s", t.communication},
            {"exposed_communication_s", t.exposed_communication},
            {"memcpy_s", t.copies},
            {"memcpy_exposed_s", t.exposed_copies},
            {"busy_s", t.busy},
            {"idle_s", t.idle},
            {"launch_gaps_s", t.launch_gaps},
            {"kernels", t.kernels_computing + t.kernels_communication},
            {"kernels_computing", t.kernels_computing},
            {"kernels_communication", t.kernels_communication},
            {"memcpys", t.memcpys},
            {"memsets", t.memsets}};
}

json collectives_json(const GpuTrace& trace)
{
    json list = json::array();
    for (const TraceCollective& calls : trace.collectives)
    {
        list.push_back({{"kind", calls.name},
                        {"bytes", std::max(calls.bytes_in, calls.bytes_out)},
                        {"in_bytes", calls.bytes_in},
                        {"out_bytes", calls.bytes_out},
                        {"group", calls.group},
                        {"ranks", calls.ranks},
                        {"dtype", calls.type},
                        {"count", calls.count},
                        {"time_s", calls.seconds},
                        {"exposed_s", calls.exposed},
                        {"bus_gb_per_s", calls.bus_bytes_per_second() / 1e9}});
    }
    return list;
}

json trace_json(const GpuTrace& trace)
{
    json out{{"device", trace.device},
             {"gpu_events_in_file", trace.in_file},
             {"gpu_events_counted", trace.timeline.events()},
             {"host_events", trace.host_events},
             {"counted", trace.linked ? "events whose launch is in the file" : "all events"}};
    if (trace.rank >= 0)
    {
        out["rank"] = trace.rank;
    }
    if (trace.world > 0)
    {
        out["world_size"] = trace.world;
    }
    if (trace.timeline.events() > 0)
    {
        out["timeline"] = timeline_json(trace.timeline);
        if (trace.timeline.kernels_communication != trace.without_symmetric.kernels_communication)
        {
            out["timeline_without_symmetric_memory"] = timeline_json(trace.without_symmetric);
        }
    }
    json steps = json::array();
    for (const TraceStep& step : trace.steps)
    {
        json one{{"step", step.name}, {"host_s", step.host_seconds}};
        if (step.gpu.events() > 0)
        {
            one["timeline"] = timeline_json(step.gpu);
        }
        steps.push_back(std::move(one));
    }
    out["steps"] = std::move(steps);
    out["collectives"] = collectives_json(trace);
    json longest = json::array();
    for (const KernelSum& sum : trace.longest)
    {
        longest.push_back({{"name", sum.name}, {"count", sum.count}, {"time_s", sum.seconds}});
    }
    out["longest"] = std::move(longest);
    return out;
}

json groups_json(const std::vector<SnapshotGroup>& groups)
{
    json list = json::array();
    for (const SnapshotGroup& group : groups)
    {
        json one{{"bytes", group.bytes}, {"count", group.count}, {"total", group.total()}};
        if (!group.by.empty())
        {
            one = {{"by", group.by}, {"bytes", group.total()}};
        }
        list.push_back(std::move(one));
    }
    return list;
}

json memory_json(const MemorySnapshot& s)
{
    json by = json::object();
    for (const SnapshotGroup& part : s.parts)
    {
        by[part.by] = part.total();
    }
    return {{"peak_bytes", s.peak},
            {"live_bytes", s.live},
            {"requested_bytes", s.requested},
            {"reserved_bytes", s.reserved},
            {"peak_reserved_bytes", s.peak_reserved},
            {"inactive_bytes", s.inactive},
            {"empty_segments_bytes", s.empty_segments},
            {"pending_bytes", s.pending},
            {"fragmentation", s.fragmentation()},
            {"segments", s.segments},
            {"blocks", s.blocks},
            {"events", s.events},
            {"out_of_memory", s.out_of_memory},
            {"by", std::move(by)},
            {"sizes", groups_json(s.sizes)},
            {"peak_sizes", groups_json(s.peak_sizes)},
            {"lines", groups_json(s.lines)},
            {"peak_lines", groups_json(s.peak_lines)}};
}

json hung_json(const HungGroup& group)
{
    return {{"group", group.name},
            {"description", group.description},
            {"members", group.members},
            {"culprits", group.culprits},
            {"sequence", group.waiting.sequence},
            {"collective", group.waiting.collective},
            {"sizes", group.waiting.sizes},
            {"state", group.waiting.state},
            {"last_completed", group.last_completed},
            {"culprits_last_completed", group.culprits_last_completed},
            {"reason", group.reason}};
}

json hang_json(const RecordedHang& hang)
{
    json groups = json::array();
    for (const HungGroup& group : hang.groups)
    {
        groups.push_back(hung_json(group));
    }
    json unlike = json::array();
    for (const HungGroup& group : hang.unlike)
    {
        unlike.push_back(hung_json(group));
    }
    json out = hang.groups.empty() ? json::object() : groups.front();
    out["culprits"] = hang.culprits;
    out["ranks"] = hang.ranks;
    out["missing"] = hang.missing;
    out["groups"] = std::move(groups);
    out["unlike"] = std::move(unlike);
    return out;
}

json nccl_json(const NcclTest& test)
{
    json rows = json::array();
    for (const NcclTestRow& row : test.rows)
    {
        rows.push_back({{"bytes", row.bytes},
                        {"time_s", row.seconds},
                        {"algorithm_gb_per_s", row.algorithm_bytes_per_second / 1e9},
                        {"bus_gb_per_s", row.bus_bytes_per_second / 1e9},
                        {"bus_in_place_gb_per_s", row.bus_in_place / 1e9}});
    }
    return {{"type", test.type},
            {"operation", test.operation},
            {"ranks", test.ranks_of_all_reduce()},
            {"peak_bus_gb_per_s", test.peak_bus() / 1e9},
            {"peak_bus_in_place_gb_per_s", test.peak_bus_in_place() / 1e9},
            {"latency_s", test.rows.front().seconds},
            {"rows", std::move(rows)}};
}

json join_json(const TraceJoin& join)
{
    json ranks = json::array();
    for (const RankWait& rank : join.ranks)
    {
        ranks.push_back({{"rank", rank.rank},
                         {"waited_s", rank.waited},
                         {"came_last", rank.last},
                         {"calls", rank.calls}});
    }
    return {{"straggler", join.straggler >= 0 ? json(join.straggler) : json()},
            {"same_calls", join.same_calls},
            {"ranks", std::move(ranks)}};
}

void add_log(json& out, const TrainingLog& log)
{
    out["software"] = log.format->id;
    out["steps"] = steps_json(log);
    out["step"] = summary_json(log);
    json facts = json::object();
    for (const LogFact& fact : log.facts)
    {
        facts[fact.name] = {{"value", fact.value}, {"by", fact.by}, {"line", fact.line}};
    }
    out["stated"] = std::move(facts);
    if (log.summary.memory > 0)
    {
        json memory{{"peak_bytes", log.summary.memory}};
        if (log.summary.allocated > 0)
        {
            memory["peak_bytes"] = log.summary.allocated;
            memory["allocated_bytes"] = log.summary.allocated;
        }
        if (log.summary.reserved > 0)
        {
            memory["reserved_bytes"] = log.summary.reserved;
        }
        out["memory"] = std::move(memory);
    }
}

} // namespace

json to_json(const RunReading& run)
{
    json out{
        {"schema", "ringside.run/1"}, {"kind", run.kind}, {"source", run.files}, {"messages", run.messages}};
    if (run.log)
    {
        add_log(out, *run.log);
        for (const std::string& message : run.log->messages)
        {
            out["messages"].push_back(message);
        }
    }
    if (!run.traces.empty())
    {
        json traces = json::array();
        for (const GpuTrace& trace : run.traces)
        {
            traces.push_back(trace_json(trace));
        }
        if (traces.front().contains("timeline"))
        {
            out["timeline"] = traces.front()["timeline"];
        }
        out["collectives"] = traces.front()["collectives"];
        out["traces"] = std::move(traces);
    }
    if (run.join)
    {
        out["ranks"] = join_json(*run.join);
    }
    if (run.snapshot)
    {
        out["memory"] = memory_json(*run.snapshot);
    }
    if (run.hang)
    {
        out["hang"] = hang_json(*run.hang);
    }
    if (run.nccl)
    {
        out["nccl_tests"] = nccl_json(*run.nccl);
    }
    if (!run.passed.empty())
    {
        out["passed_over"] = run.passed;
    }
    out["says"] = sentence_of(run);
    return out;
}

} // namespace ringside
