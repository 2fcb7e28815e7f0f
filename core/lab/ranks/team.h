// All ranks of a training as threads of this process, each with a processor of its own to compute on.
#pragma once

#include "core/lab/ranks/communication/thread_world.h"
#include "core/lab/ranks/rank_trainer.h"

namespace ringside::parallel
{

struct TeamStep
{
    trainer::StepResult result;
    TeamStepTrace trace;
};

class Team
{
public:
    // The configuration is prepared() here.
    static Result<std::unique_ptr<Team>> create(const TeamConfig& config);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    const TeamConfig& config() const { return config_; }
    const RankPlan& plan(int rank) const;

    // One step on all ranks. A fault where one of them gave up, or did not come for `patience` seconds, which
    // says who and in which call; then nothing more can be asked of the team but to go.
    Result<TeamStep> step(const PlannedFault& planned = {}, double patience = 30);
    // Ends a step that is going on, from another thread.
    void abort(const std::string& why) { world_.abort(why); }

    // The whole model's state as one device has it: another team, or trainer::Trainer, goes on from it.
    trainer::TrainerState state();
    Issues restore(const trainer::TrainerState& state);

    // From here on, steps write down what each rank allocates; of the last one.
    void record_allocations()
    {
        for (const Member& member : members_)
        {
            member.trainer->record_allocations();
        }
    }
    AllocationLog allocations(int rank) const
    {
        return members_[static_cast<std::size_t>(rank)].trainer->allocations();
    }

    // What every rank has called since the team was made.
    std::vector<CallRecord> records(std::size_t last = CallLog::kKept) const;

private:
    explicit Team(const TeamConfig& config);
    TeamStepTrace trace_of(const std::vector<RankStep>& steps, const std::vector<CallRecord>& before) const;

    // One rank's own; nothing of it is shared but through the world.
    struct Member
    {
        std::unique_ptr<Backend> backend;
        std::unique_ptr<CallLog> log;
        std::unique_ptr<RankTrainer> trainer;
    };

    TeamConfig config_;
    ThreadWorld world_;
    std::vector<Member> members_;
    std::int64_t steps_ = 0;
};

} // namespace ringside::parallel
