// A team of ranks and its controls: start, pause, step, another strategy, a fault, and what comes after it.
//
// A strategy is changed by way of the checkpoint: state() of the old team, a new Team, restore(). So the
// loss goes on and only memory and bytes change. A broken team stays broken until the diagnosis was read;
// then it is made anew from the state kept every few steps. Team::abort ends a run from outside; the pointer
// to the team, under the run's mutex, is all that is shared of it.
#pragma once

#include "core/lab/ranks/saver.h"
#include "core/lab/ranks/team.h"
#include "core/lab/team/team_snapshot.h"
#include "core/lab/trainer/command_loop.h"

#include <optional>

namespace ringside::parallel
{

// How the run goes; may change while it does.
struct TeamRunSettings
{
    bool paused = false;         // start without running
    std::int64_t last_step = 0;  // pause when it is reached; 0: never
    double steps_per_second = 0; // at most; 0: as fast as it goes
    std::int64_t keep_every = 5; // steps between two states that a broken team can go on from
    double patience = 2;         // [s] that a rank may be missing
    SavePlan saving;             // of checkpoints that write() takes; none without it
    std::function<Issues(const std::string&)> write = nullptr; // on a thread of its own
    bool threaded = true;                                      // false: advance() makes its steps
};

class TeamRun final : public trainer::CommandLoop<TeamSnapshot>
{
public:
    // The team is made on the thread of the steps.
    explicit TeamRun(TeamConfig config, TeamRunSettings settings = {});
    // Ends the step that is going on, and every rank's thread.
    ~TeamRun() override;

    // Another strategy for the same weights; another model starts again. What cannot be trained is refused in
    // the snapshot's message, and nothing changes.
    void change(TeamConfig next);
    void change(TeamRunSettings settings);
    // In the next step; RankFault::none takes it back.
    void plan(PlannedFault fault);
    // A broken team goes on without the rank that is missing, see without_one().
    void go_on_without();

private:
    void open() override;
    void one_step() override;
    void mend() override; // a broken team is made anew from the state that was kept
    void close() override;
    Issue thrown(const std::string& what) const override
    {
        return {"team", what, "use a smaller model or fewer ranks"};
    }

    void break_up(const Issues& why);
    void note(TeamStep step);
    bool make_team(const TeamConfig& config, const std::optional<trainer::TrainerState>& from);
    void rebuild(const TeamConfig& config);
    void keep();
    void save();
    void note_saved();
    void mark(std::string says, bool trouble);

    std::shared_ptr<Team> team_; // set under the mutex, so that it can be ended from outside
    // Used by the thread of the steps alone.
    TeamConfig config_;
    TeamRunSettings settings_;
    std::optional<trainer::TrainerState> kept_;
    Saver saver_;
};

} // namespace ringside::parallel
