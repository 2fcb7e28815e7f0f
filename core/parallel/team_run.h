// A team on a thread of its own, for whoever shows it: start, pause, step, another strategy, a mishap, and
// what comes after it. What it shows is a snapshot that never changes once published; looking never waits.
#pragma once

#include "core/lab/team_snapshot.h"
#include "core/parallel/saver.h"
#include "core/parallel/team.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

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
};

class TeamRun
{
public:
    // The team is made on the run's own thread.
    explicit TeamRun(TeamConfig config, TeamRunSettings settings = {});
    TeamRun(const TeamRun&) = delete;
    TeamRun& operator=(const TeamRun&) = delete;
    // Ends the step that is going on, every rank's thread, and joins.
    ~TeamRun();

    void pause();
    // Goes on; a broken team is made anew from the state that was kept.
    void resume();
    void step_once(); // one step, then pause
    // Another strategy for the same weights; another model starts again. What cannot be trained is refused in
    // the snapshot's message, and nothing changes.
    void change(TeamConfig next);
    void change(TeamRunSettings settings);
    // In the next step; Mishap::none takes it back.
    void plan(PlannedMishap mishap);
    // Of a broken team: goes on without the rank that is missing, see without_one().
    void go_on_without();

    // The newest; never null.
    std::shared_ptr<const TeamSnapshot> snapshot() const;
    // Waits until the run does nothing by itself any more, or `seconds` are over.
    bool wait_until_idle(double seconds) const;

private:
    void work();
    bool serve_commands();
    bool next_step_is_due(std::unique_lock<std::mutex>& lock);
    void one_step();
    void break_up(const Issues& why);
    void note(TeamStep step);
    bool make_team(const TeamConfig& config, const std::optional<trainer::TrainerState>& from);
    void go_on(bool single);
    void rebuild(const TeamConfig& config);
    void keep();
    void save();
    void note_saved();
    void mark(std::string says, bool trouble);
    void fail(const Issues& issues);
    void publish(bool always);
    void ask(std::function<void()> command);

    // Shared with whoever asks.
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    mutable std::condition_variable idle_;
    std::deque<std::function<void()>> commands_;
    std::shared_ptr<const TeamSnapshot> published_;
    std::shared_ptr<Team> team_; // set under the mutex, so that it can be ended from outside
    bool stop_ = false;

    // Of the run's thread.
    TeamConfig config_;
    TeamRunSettings settings_;
    TeamSnapshot now_;
    std::optional<trainer::TrainerState> kept_;
    bool single_ = false;
    double last_published_ = -1;
    double due_ = 0; // [s] when the next step may begin

    Saver saver_;
    std::thread thread_;
};

} // namespace ringside::parallel
