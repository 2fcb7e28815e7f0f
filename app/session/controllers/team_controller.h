// The side effects of several ranks that train: owns the run with its threads. The view reads its TeamFrame
// and pushes a TeamAction; nothing here waits for a step.
//
// A number of ranks that does not divide the model moves on to the next that does. A strategy chosen while
// the team rests makes one step, so that its difference is seen.
//
// Where there are no threads, recordings play instead.
#pragma once

#include "app/session/controllers/team_playback.h"
#include "app/session/controllers/team_watch.h"
#include "core/base/notice.h"
#include "core/lab/ranks/team_run.h"
#include "ui/shell/frame/team_action.h"
#include "ui/shell/frame/team_frame.h"

#include <deque>

namespace ringside
{

class TeamController
{
public:
    struct Setup
    {
        TrainerConfig trainer = team_trainer_config();
        TeamRequest request;
        double patience = 2;               // [s] that a rank may be missing
        std::int64_t compared_steps = 150; // of each run of a comparison
        std::filesystem::path watch;       // a training elsewhere, to show instead of one's own; empty: none
        std::filesystem::path recordings;  // to play instead of training; empty: none
    };

    explicit TeamController(Setup setup);
    TeamController(const TeamController&) = delete;
    TeamController& operator=(const TeamController&) = delete;
    ~TeamController();

    // What to tell the user; may be empty.
    Notice apply(const TeamAction& action);
    // Takes what the run published.
    void tick();
    // Valid until the next apply() or tick().
    const TeamFrame& frame() const { return frame_; }
    // Something happens by itself.
    bool busy() const;

    // For pictures and tests: makes steps until so many are done, as fast as it goes, or a rank is missing;
    // waits, at most so many seconds.
    bool run_to(std::int64_t step, double patience);
    // Until nothing happens any more.
    bool wait(double patience);

private:
    Notice command(TeamCommand command);
    Notice compare();
    void compare_next();
    void end_comparison();
    void keep_curve();
    Notice request(const TeamRequest& request);
    Notice go_wrong(const PlannedFault& fault);
    Notice begin(bool paused);
    parallel::TeamRunSettings settings(bool paused) const;
    Result<TeamConfig> nearest(TeamRequest& request) const;
    void predict();

    Setup setup_;
    std::filesystem::path checkpoint_; // of a run that saves; goes with the controller
    TeamConfig config_;                // what the request comes to
    std::unique_ptr<parallel::TeamRun> run_;
    std::unique_ptr<TeamWatch> watch_;
    std::unique_ptr<TeamPlayback> playback_;
    TeamFrame frame_;
    std::deque<std::size_t> to_compare_; // in team_compressions()
};

} // namespace ringside
