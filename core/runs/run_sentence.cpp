// One sentence for a whole run, the worst first: who hung, who is late, where the step's time goes, memory.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/text.h"
#include "core/runs/run.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string time_words(double seconds)
{
    return format_seconds(Seconds{seconds});
}

std::string byte_words(std::int64_t bytes)
{
    return format_bytes(Bytes{static_cast<double>(bytes)});
}

std::string hang_words(const RecordedHang& hang)
{
    if (hang.groups.empty())
    {
        return hang.unlike.empty()
                   ? fmt::format("The dumps of {} name no culprit: every group's calls fit.",
                                 counted(hang.ranks, "rank"))
                   : fmt::format("Rank {} of {}: {}.", fmt::join(hang.unlike.front().culprits, ", "),
                                 hang.unlike.front().description, hang.unlike.front().reason);
    }
    const HungGroup& first = hang.groups.front();
    return fmt::format("Rank{} {} hung: in {} rank {} {}; the others wait in call {} ({}).",
                       hang.culprits.size() > 1 ? "s" : "", fmt::join(hang.culprits, " and "),
                       first.description.empty() ? "group " + first.name : first.description,
                       fmt::join(first.culprits, ", "), first.reason, first.waiting.sequence,
                       first.waiting.collective);
}

std::string trace_words(const RunReading& run)
{
    const GpuTrace& trace = run.traces.front();
    const GpuTimeline& t = trace.timeline;
    if (t.events() == 0)
    {
        return "The trace has no work of a GPU in it.";
    }
    const auto share = [&](double seconds) { return format_percent(t.total > 0 ? seconds / t.total : 0); };
    std::string text = fmt::format(
        "Of {} the GPU computes {} ({}), exposed communication takes {} ({}), {} are idle ({})",
        time_words(t.total), time_words(t.computing), share(t.computing), time_words(t.exposed_communication),
        share(t.exposed_communication), time_words(t.idle), share(t.idle));
    if (t.launch_gaps > t.idle / 2 && t.idle > t.total / 20)
    {
        text += fmt::format(", {} of that because the host had launched nothing", time_words(t.launch_gaps));
    }
    if (run.join && run.join->straggler >= 0)
    {
        const auto most = std::ranges::max_element(run.join->ranks, {}, &RankWait::waited);
        text += fmt::format("; the others wait for rank {}, rank {} for {} in all", run.join->straggler,
                            most->rank, time_words(most->waited));
    }
    return text + ".";
}

std::string log_words(const TrainingLog& log)
{
    const StepSummary& s = log.summary;
    std::string text =
        fmt::format("{}, {} of {}", log.format->name, counted(s.count, "step"),
                    log.runs > 1 ? fmt::format("the longest of {} runs", log.runs) : "one run");
    if (s.seconds.rows > 0)
    {
        text += fmt::format(": {} a step (median of {}), {} at the 90th percentile",
                            time_words(s.seconds.median), s.seconds.rows, time_words(s.seconds.p90));
    }
    else
    {
        text += ": the lines do not say how long a step took";
    }
    if (s.spike_period > 0)
    {
        text += fmt::format("; every {} steps one takes {} and the mean is {}, which the median hides",
                            s.spike_period, time_words(s.spikes.front().seconds), time_words(s.mean_seconds));
    }
    else if (!s.spikes.empty())
    {
        text += fmt::format("; {} over 1.5 times that",
                            counted(static_cast<std::int64_t>(s.spikes.size()), "step"));
    }
    if (s.skipped + s.nan > 0)
    {
        text += fmt::format("; {} skipped, {} with NaN", counted(s.skipped, "step"), s.nan);
    }
    return text + ".";
}

std::string snapshot_words(const MemorySnapshot& s)
{
    return fmt::format(
        "At the peak {} were in use, {} at the end, of {} reserved; {} ({}) are free in segments in "
        "use and lost to fragmentation.",
        byte_words(s.peak), byte_words(s.live), byte_words(s.reserved), byte_words(s.inactive),
        format_percent(s.fragmentation()));
}

} // namespace

std::string sentence_of(const RunReading& run)
{
    std::vector<std::string> parts;
    if (run.hang)
    {
        parts.push_back(hang_words(*run.hang));
    }
    if (!run.traces.empty())
    {
        parts.push_back(trace_words(run));
    }
    if (run.log)
    {
        parts.push_back(log_words(*run.log));
    }
    if (run.snapshot)
    {
        parts.push_back(snapshot_words(*run.snapshot));
    }
    if (run.nccl)
    {
        parts.push_back(fmt::format("{} sizes: {:.1f} us at {}, at most {:.1f} GB/s of bus bandwidth.",
                                    run.nccl->rows.size(), run.nccl->rows.front().seconds * 1e6,
                                    byte_words(run.nccl->rows.front().bytes), run.nccl->peak_bus() / 1e9));
    }
    return fmt::format("{}", fmt::join(parts, " "));
}

} // namespace ringside
