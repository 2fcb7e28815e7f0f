// A training for whoever shows it: start, pause, step, turn knobs, mark and rewind, stop.
//
// Stopping is checked between layers, and a step that was stopped has changed nothing.
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
    void mark() override;
    void rewind(std::int64_t step) override;
    void checkpoint(std::function<void(const Checkpoint&)> take) override;

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
