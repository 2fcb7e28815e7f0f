// A training on a thread of its own, for whoever shows it: start, pause, step, turn knobs, mark and rewind,
// stop. What it shows is a snapshot that never changes once published; looking never waits for a step.
#pragma once

#include "core/lab/snapshot.h"
#include "core/trainer/intervene.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace ringside::trainer
{

// How the run shows itself; may change while it runs.
struct RunSettings
{
    bool paused = false;           // start without running
    std::int64_t last_step = 0;    // pause when it is reached; 0: never
    std::int64_t sample_every = 0; // steps between two samples of text; 0: none
    std::int64_t sample_tokens = 120;
    double temperature = 0.8;
    std::int64_t top_k = 0;              // 0: all tokens
    std::int64_t exponents_every = 10;   // steps between two looks at exponents; 0: never
    std::vector<Intervention> plan = {}; // by step; read when the run begins
};

class TrainingRun
{
public:
    using OpenBackend = std::function<std::unique_ptr<Backend>()>;

    // The backend is opened and the model made on the run's own thread. `from` is gone on from where it is
    // given.
    TrainingRun(TrainerConfig config, OpenBackend open, RunSettings settings = {},
                std::optional<TrainerState> from = {});
    TrainingRun(const TrainingRun&) = delete;
    TrainingRun& operator=(const TrainingRun&) = delete;
    // Stops within a layer's time, and joins.
    ~TrainingRun();

    void pause();
    void resume();
    void step_once(); // one step, then pause
    // Knobs: everything that same_state() allows. What cannot be done is an event of the snapshot.
    void change(TrainerConfig next);
    void change(RunSettings settings);
    void sample();                  // now
    void mark();                    // this state, to be gone back to; the oldest of 8 makes room
    void rewind(std::int64_t step); // to the last mark at or before this step
    // The state at the next moment between two steps, handed to `take` on the run's thread.
    void checkpoint(std::function<void(const Checkpoint&)> take);

    // The newest; never null.
    std::shared_ptr<const TrainingSnapshot> snapshot() const;
    // Waits until the run is paused, stopped or failed, or `seconds` are over.
    bool wait_until_idle(double seconds) const;

private:
    void work();
    void open_trainer();
    bool serve_commands();
    void one_step();
    void take_over(const Trainer& trainer, std::int64_t step);
    void carry_out_plan();
    void note(const StepResult& result, double seconds);
    void add_point(const StepResult& result, double seconds);
    void draw_sample();
    void add_mark();
    void go_back(std::int64_t step);
    void event(std::string text);
    void fail(const Issues& issues);
    void publish(bool always);
    void ask(std::function<void()> command);

    TrainerConfig config_;
    OpenBackend open_;
    std::optional<TrainerState> from_;

    // Shared with whoever asks.
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    mutable std::condition_variable idle_;
    std::deque<std::function<void()>> commands_;
    std::shared_ptr<const TrainingSnapshot> published_;
    std::atomic<bool> stop_ = false;

    // Of the run's thread.
    RunSettings settings_;
    std::unique_ptr<Trainer> trainer_;
    TrainingSnapshot now_;
    struct Mark
    {
        TrainerState state;
        TrainerConfig config; // knobs as they stood
    };
    std::deque<Mark> marks_;
    std::vector<Intervention> plan_;
    StepView view_;
    bool single_ = false;
    std::int64_t seen_ = 0; // steps of this run
    NoiseMeter noise_;
    double step_flops_ = 0;
    double smoothed_seconds_ = 0;
    double last_published_ = -1;

    std::thread thread_;
};

} // namespace ringside::trainer
