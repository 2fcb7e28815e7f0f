#include "core/runs/advice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kWorthIt = 0.01; // of the step
constexpr double kSlower = 1.15;  // measured over predicted traffic that is no accident

std::string of_step(double seconds, double step)
{
    return fmt::format("{} of a step ({})", format_seconds(Seconds{seconds}), format_percent(seconds / step));
}

// The others' waiting for those that come last, a step.
void add_straggler(std::vector<RunAdvice>& out, const RunReading& run, std::int64_t gpus_per_node)
{
    if (!run.join || run.join->straggler < 0 || run.join->ranks.size() < 2)
    {
        return;
    }
    const LateRanks late = late_ranks(*run.join, gpus_per_node);
    const auto steps = static_cast<double>(std::max<std::size_t>(1, steps_of(run.traces.front()).size()));
    double waited = 0;
    std::size_t others = 0;
    for (const RankWait& rank : run.join->ranks)
    {
        const bool is_late = std::ranges::find(late.ranks, rank.rank) != late.ranks.end();
        waited += is_late ? 0 : rank.waited / steps;
        others += is_late ? 0 : 1;
    }
    waited /= static_cast<double>(std::max<std::size_t>(1, others));
    const auto rank = std::ranges::find(run.join->ranks, run.join->straggler, &RankWait::rank);
    const std::string who = late.node >= 0          ? fmt::format("node {} is", late.node)
                            : late.ranks.size() > 1 ? fmt::format("ranks {} are", fmt::join(late.ranks, ", "))
                                                    : fmt::format("rank {} is", rank->rank);
    const std::string where =
        late.node >= 0
            ? " All of its ranks come late, so look at its network, host and power, not at one GPU."
        : late.beside > 0
            ? fmt::format(" {} of its node on time, so look at this GPU and its process.",
                          late.beside == 1 ? "Another rank is" : fmt::format("{} others are", late.beside))
            : "";
    out.push_back({fmt::format("Find out why {} late", who),
                   fmt::format("Rank {} comes last in {} of {} collectives; the others wait {} a step.{}",
                               rank->rank, rank->last, rank->calls, format_seconds(Seconds{waited}), where),
                   waited, 0, "stragglers"});
}

struct PartAdvice
{
    std::string_view part; // of ComparedPart
    std::string_view name;
    std::string_view why;
};
// What is done about a part that takes longer than predicted.
constexpr PartAdvice kAdvice[]{
    {"launch gaps", "Launch fewer kernels, or all at once",
     "The GPU waits for the host: CUDA graphs, torch.compile or fused kernels launch less."},
    {"exposed copies", "Copy while the GPU computes",
     "Copies block the stream: pinned memory with non_blocking, and a loader that runs ahead."},
    {"memory-bound kernels", "Fuse element-wise kernels",
     "They move more bytes than the fused ones of the software that was assumed: fused SwiGLU, norm, loss."},
    {"bubble and other idle time", "Find what the GPU waits for",
     "It idles longer than the schedule asks for: a late rank, the data loader, or a synchronizing call."},
};

void add_parts(std::vector<RunAdvice>& out, const RunComparison& compared, double step)
{
    for (const ComparedPart& part : compared.parts)
    {
        if (part.change() < kWorthIt * step)
        {
            continue;
        }
        const auto known = std::ranges::find(kAdvice, part.name, &PartAdvice::part);
        if (known != std::end(kAdvice))
        {
            out.push_back({std::string(known->name), std::string(known->why), part.change(), 0, part.place});
        }
        else if (part.name.starts_with("exposed ") && part.change() > (kSlower - 1) * part.predicted)
        {
            out.push_back(
                {fmt::format("Check the link below the {}", part.name.substr(8)),
                 fmt::format("It is exposed for {}, and {} were expected: a slow link, a late rank, "
                             "or no overlap.",
                             of_step(*part.measured, step), format_seconds(Seconds{part.predicted})),
                 part.change(), 0, part.place});
        }
    }
}

void add_spikes(std::vector<RunAdvice>& out, const StepSummary& s)
{
    const double lost = s.mean_seconds - s.seconds.median;
    if (s.spikes.empty() || lost < kWorthIt * s.seconds.median)
    {
        return;
    }
    const std::string what = s.spike_period > 0
                                 ? fmt::format("Every {} steps one takes {}", s.spike_period,
                                               format_seconds(Seconds{s.spikes.front().seconds}))
                                 : fmt::format("{} took more than 1.5 times the median",
                                               counted(static_cast<std::int64_t>(s.spikes.size()), "step"));
    out.push_back({s.spike_period > 0 ? "Look at what comes back every so often" : "Look at the slow steps",
                   what + ": checkpoints, evaluation, garbage collection or the data loader.", lost, 0,
                   "checkpoint"});
}

void add_fragmentation(std::vector<RunAdvice>& out, const MemorySnapshot& snapshot)
{
    if (snapshot.fragmentation() > 0.05)
    {
        out.push_back({"Let segments grow",
                       fmt::format("{} of what is reserved lies free between blocks in use: "
                                   "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True.",
                                   format_percent(snapshot.fragmentation())),
                       0, snapshot.inactive, "memory"});
    }
}

} // namespace

std::vector<RunAdvice> advice_on(const RunReading& run, const RunComparison& compared,
                                 std::int64_t gpus_per_node)
{
    std::vector<RunAdvice> out;
    const double step = measured_step_seconds(run);
    add_straggler(out, run, gpus_per_node);
    add_parts(out, compared, step);
    if (run.log)
    {
        add_spikes(out, run.log->summary);
    }
    if (run.snapshot)
    {
        add_fragmentation(out, *run.snapshot);
    }
    std::ranges::stable_sort(out, std::ranges::greater(), &RunAdvice::seconds);
    return out;
}

} // namespace ringside
