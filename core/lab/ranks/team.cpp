#include "core/lab/ranks/team.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "core/base/text/text.h"
#include "core/lab/ranks/communication/watchdog.h"
#include "core/lab/ranks/rank_trace.h"
#include "core/lab/trainer/cpu/cpu_backend.h"

#include <algorithm>

namespace ringside::parallel
{

Team::Team(const TeamConfig& config) : config_(config), world_(static_cast<int>(config.ranks))
{
    const auto zero = CallLog::Clock::now();
    for (int rank = 0; rank < world_.ranks(); ++rank)
    {
        Member& member = members_.emplace_back();
        member.backend = std::make_unique<trainer::CpuBackend>(1);
        member.log = std::make_unique<CallLog>(zero);
        member.trainer =
            std::make_unique<RankTrainer>(config_, world_.rank(rank), *member.backend, *member.log);
    }
}

Team::~Team() = default;

Result<std::unique_ptr<Team>> Team::create(const TeamConfig& config)
{
    const auto ready = prepared(config);
    if (!ready)
    {
        return ready.issues();
    }
    try
    {
        return std::unique_ptr<Team>(new Team(*ready));
    }
    catch (const trainer::OutOfMemory& fault)
    {
        return Issue{"ranks",
                     fmt::format("{} ranks need {} more than there is", ready->ranks,
                                 format_bytes(Bytes(fault.bytes))),
                     "use fewer ranks or a smaller model"};
    }
}

const RankPlan& Team::plan(int rank) const
{
    return members_[static_cast<std::size_t>(rank)].trainer->plan();
}

TeamStepTrace Team::trace_of(const std::vector<RankStep>& steps, const std::vector<CallRecord>& before) const
{
    const trainer::StepResult& result = steps.front().result;
    TeamStepTrace trace{steps_, result.loss, result.gradient_norm, result.skipped, 0, result.experts, {}};
    const double start = std::ranges::min(steps, {}, &RankStep::start).start;
    trace.seconds = std::ranges::max(steps, {}, &RankStep::end).end - start;
    const auto now = records();
    for (std::size_t rank = 0; rank < steps.size(); ++rank)
    {
        trace.ranks.push_back(parallel::trace_of(steps[rank], plan(static_cast<int>(rank)).place,
                                                 before[rank], now[rank], start));
    }
    return trace;
}

Result<TeamStep> Team::step(const PlannedFault& planned, double patience)
{
    std::vector<RankStep> steps(members_.size());
    auto logs = list_of<const CallLog*>(members_, [&](const Member& member) { return member.log.get(); });
    const auto before = records(0);
    try
    {
        const Watchdog watchdog(world_, std::move(logs), patience);
        world_.run(
            [&](Transport& transport)
            {
                const auto rank = static_cast<std::size_t>(transport.rank());
                steps[rank] = members_[rank].trainer->step(planned);
            });
    }
    catch (const std::exception& fault)
    {
        // The logs may know more than the rank that noticed first.
        const auto diagnosis = diagnose(records(), 0);
        return Issue{"team", diagnosis ? diagnosis->says : fault.what(),
                     "start again from the state that was saved last"};
    }
    ++steps_;
    return TeamStep{steps.front().result, trace_of(steps, before)};
}

trainer::TrainerState Team::state()
{
    trainer::TrainerState whole = empty_state(config_.trainer);
    for (const Member& member : members_)
    {
        member.trainer->copy_to(whole);
    }
    return whole;
}

Issues Team::restore(const trainer::TrainerState& state)
{
    if (const Issues issues = state.check_parts(empty_state(config_.trainer).parts); !issues.empty())
    {
        return issues;
    }
    for (const Member& member : members_)
    {
        member.trainer->copy_from(state);
    }
    steps_ = state.step;
    return {};
}

std::vector<CallRecord> Team::records(std::size_t last) const
{
    return list_of<CallRecord>(members_.size(), [&](std::size_t rank)
                               { return members_[rank].log->record(static_cast<int>(rank), last); });
}

} // namespace ringside::parallel
