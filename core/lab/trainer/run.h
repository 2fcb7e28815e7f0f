// A training for whoever shows it: start, pause, step, turn knobs, mark and rewind, stop.
//
// Stopping is checked between layers, and a step that was stopped has changed nothing.
#pragma once

#include "core/lab/snapshot.h"
#include "core/lab/trainer/checkpoint.h"
#include "core/lab/trainer/command_loop.h"

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
    bool threaded = true;                // false: advance() makes its steps
};

class TrainingRun final : public CommandLoop<TrainingSnapshot>
{
public:
    using OpenBackend = std::function<std::unique_ptr<Backend>()>;

    // The backend is opened and the model made on the thread of the steps. `from` is gone on from where it is
    // given.
    TrainingRun(TrainerConfig config, OpenBackend open, RunSettings settings = {},
                std::optional<TrainerState> from = {});
    // Stops within a layer's time.
    ~TrainingRun() override { stop(); }

    // Knobs: everything that same_state() allows. What cannot be done is an event of the snapshot.
    void change(TrainerConfig next);
    void change(RunSettings settings);
    void sample();                  // now
    void mark();                    // this state, to be gone back to; the oldest of 8 makes room
    void rewind(std::int64_t step); // to the last mark at or before this step
    // The state at the next moment between two steps, handed to `take` on the run's thread.
    void checkpoint(std::function<void(const Checkpoint&)> take);

private:
    void open() override;
    void one_step() override;
    void close() override { trainer_.reset(); }
    Issue thrown(const std::string& what) const override { return {"run", what, "use a smaller model"}; }

    void take_over(const Trainer& trainer, std::int64_t step);
    void carry_out_plan();
    void note(const StepResult& result, double seconds);
    void add_point(const StepResult& result, double seconds);
    void draw_sample();
    void add_mark();
    void go_back(std::int64_t step);
    void event(std::string text);

    TrainerConfig config_;
    OpenBackend open_;
    std::optional<TrainerState> from_;

    RunSettings settings_;
    std::unique_ptr<Trainer> trainer_;
    struct Mark
    {
        TrainerState state;
        TrainerConfig config; // knobs as they stood
    };
    std::deque<Mark> marks_;
    std::vector<Intervention> plan_;
    StepView view_;
    std::int64_t seen_ = 0; // steps of this run
    NoiseMeter noise_;
    double step_flops_ = 0;
    double smoothed_seconds_ = 0;
};

} // namespace ringside::trainer
