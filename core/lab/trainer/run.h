// A training run and its controls: start, pause, step, turn knobs, mark and rewind, stop.
//
// Stopping is checked between layers, and a step that was stopped has changed nothing.
//
// Where the backend does not wait, a few steps are asked for before the first has been answered; what is done
// between two steps waits for all of them.
#pragma once

#include "core/lab/trainer/command_loop.h"

namespace ringside::trainer
{

class TrainingRun final : public CommandLoop<TrainingSnapshot, LiveTraining>
{
public:
    using OpenBackend = std::function<std::unique_ptr<Backend>()>;

    // The backend is opened and the model made on the thread of the steps. `from` is gone on from where it is
    // given.
    TrainingRun(TrainerConfig config, OpenBackend open, RunSettings settings = {},
                std::optional<TrainerState> from = {});
    // Stops within a layer's time.
    ~TrainingRun() override { stop(); }

    void change(TrainerConfig next) override;
    void change(RunSettings settings) override;
    void sample() override;
    void time_kernels() override;
    void mark() override;
    void rewind(std::int64_t step) override;
    void checkpoint(std::function<void(const Checkpoint&)> take) override;
    // The device is gone: a backend is opened again, which may be another, and the run goes on from the last
    // state that was kept. Only without a thread.
    void lose_device(const std::string& why);
    // What the device is busy with, beside steps; empty: nothing.
    void say(std::string what);

private:
    // A state, with the knobs as they stood.
    struct Mark
    {
        TrainerState state;
        TrainerConfig config;
    };

    void open() override;
    void one_step() override;
    bool waiting() const override { return steps_asked_ + states_asked_ > 0; }
    void close() override { trainer_.reset(); }
    Issue thrown(const std::string& what) const override { return {"run", what, "use a smaller model"}; }

    bool open_trainer();
    void change_format(TrainerConfig next);
    void take_over(const Trainer& trainer, std::int64_t step);
    bool plan_is_due() const;
    void carry_out_plan();
    void intervene(const Intervention& intervention);
    void pace();
    void step_done(const StepResult& result, double asked_at, bool looked);
    void keep_state();
    // Hands the state to work(), now or when the device has told it; no step begins before.
    template <class Work>
    void with_state(Work work);
    void note(const StepResult& result, double seconds);
    void add_point(const StepResult& result, double seconds);
    void draw_sample();
    void time_one_step();
    void add_mark();
    void go_back(std::int64_t step);
    void forget_after(std::int64_t step);
    void report(const Issues& issues, std::string_view what);
    void event(std::string text);

    TrainerConfig config_;
    OpenBackend open_;
    std::optional<Mark> from_;

    RunSettings settings_;
    std::unique_ptr<Trainer> trainer_;
    std::deque<Mark> marks_;
    std::optional<Mark> kept_; // in case the device is lost
    int steps_asked_ = 0;      // that the device has not answered yet
    int states_asked_ = 0;     // the same of states and texts
    double last_answer_ = 0;   // [s]
    std::vector<Intervention> plan_;
    StepView view_;
    std::int64_t seen_ = 0; // steps of this run
    NoiseMeter noise_;
    double step_flops_ = 0;
    double smoothed_seconds_ = 0;
};

} // namespace ringside::trainer
