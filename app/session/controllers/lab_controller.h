// The live lab's side effects: owns the device, the runs and their threads, the demonstration that is on, and
// the checkpoint file. Views read its LabFrame and push a LabAction; nothing here waits for a step.
//
// Run B begins as A began, from the same seed. Up to A's first break the two have the same numbers, so B is
// drawn only from there on, as the undisturbed run.
#pragma once

#include "app/session/controllers/lab_device.h"
#include "core/lab/trainer/remote.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/shell/frame/lab_frame.h"

#include <filesystem>
#include <future>

namespace ringside
{

// A graphics card that runs can be made on elsewhere, beside the device that is opened here.
struct LabCard
{
    LabChoice shown;
    trainer::Abilities abilities;
    std::int64_t workspace = 0; // [B]
    bool software = false;      // computed by the processor
};

class LabController
{
public:
    struct Setup
    {
        LabDevice::Open open;             // null: nothing can be trained here
        trainer::RemoteRun::OpenLine far; // where runs are made elsewhere; null: on threads of their own
        std::function<std::vector<LabCard>()> cards; // found so far; null: none
        // Where the next run is made: 0, or the card counted from 1; whether its products use subgroups.
        std::function<void(std::size_t, bool)> choose;
        bool threads = true;      // false: the device is opened and measured at once
        double probe_seconds = 2; // of measuring the device; 0: predictions without times
        TrainerConfig config = default_trainer_config();
        LabData text;                     // the text that ships; none: only tasks
        std::vector<Gpu> data_sheets;     // to find a device's nominal rate in
        std::filesystem::path checkpoint; // that saving writes and loading reads; empty: neither
        std::filesystem::path machines;   // those measured and brought; empty: kept nowhere
        std::function<std::string()> today = [] { return std::string(); }; // "2026-11-28"
        // Opens the lab in a browser, in some seconds; gives what to tell the person; null: it cannot be
        // opened.
        std::function<std::string()> open_page;
    };

    explicit LabController(Setup setup);
    LabController(const LabController&) = delete;
    LabController& operator=(const LabController&) = delete;

    // What to tell the person; may be empty.
    std::string apply(const LabAction& action);
    // The view is on show: the device is opened and measured, once.
    void wake();
    // Takes what the runs published, and goes on with a demonstration.
    void tick();
    // The mouse was let go: knobs that were dragged count from now on.
    void end_drag();
    // Valid until the next apply() or tick().
    const LabFrame& frame() const { return frame_; }
    // Something happens by itself: a run, a measurement, a demonstration.
    bool busy() const;
    // Of what ended by itself, once: a file that was written.
    std::string take_notice();

    // For pictures and tests: run A makes steps until it has made so many; waits, at most so many seconds.
    bool run_to(std::int64_t step, double patience);
    // Until nothing happens any more.
    bool wait(double patience);

private:
    // A run and what is shown of it.
    struct Slot
    {
        LabRun shown;
        TrainerConfig begun; // with the knobs it began with
        std::unique_ptr<trainer::LiveTraining> run;
        trainer::RunSettings settings;
        bool turned = false;        // knobs that the run has not been told of
        std::int64_t workspace = 0; // [B] of the device, as the prediction took it
        bool running() const { return run && !run->wait_until_idle(0); }
    };
    struct Bench
    {
        Slot a;
        std::optional<Slot> b;

        // Those that have a run.
        std::vector<Slot*> begun()
        {
            std::vector<Slot*> all{&a};
            if (b)
            {
                all.push_back(&*b);
            }
            std::erase_if(all, [](const Slot* slot) { return !slot->run; });
            return all;
        }
    };
    struct Demo
    {
        LabDemoFrame shown;
        std::vector<LabRunPlan> runs;
        std::size_t begun = 0; // of them
    };
    struct File // written by a run's thread
    {
        std::mutex mutex;
        std::string notice;
    };

    std::string command(LabCommand command);
    std::string run();
    std::string second();
    std::string save();
    std::string load();
    std::string clear();
    std::string turn(const TurnKnobs& knobs);
    std::string choose(const ChooseDevice& choice);
    void tell_choice() const;
    std::string measure_machine();
    void take_machine();
    std::string change_machines(const std::function<void(std::vector<Machine>&)>& change);
    void choose_for(const TrainerConfig& config);
    // The card that is chosen and computes what is set; null: none.
    const LabCard* card() const { return chosen_ == 0 || on_cpu_ ? nullptr : &cards_[chosen_ - 1]; }
    std::string press(const PressSwitch& pressed);
    TrainerConfig switched(std::size_t which) const;
    bool is_on(std::size_t which) const;
    void look_at_switches();
    std::string ask(const AskDemo& demo);
    std::string answer(const AnswerDemo& answer);
    template <class F>
    void each_run(const F& does)
    {
        for (Slot* slot : bench_.begun())
        {
            does(*slot->run);
        }
    }
    // Begins the slot's configuration from its first step, or from `from`.
    std::string begin(Slot& slot, bool paused, std::optional<trainer::TrainerState> from = {});
    void begin_next_of_demo();
    bool demo_run_over(std::size_t place) const;
    void go_on_with_demo();
    void take_loaded();
    std::string open_page();
    void look_at_device();
    void look_at(Slot& slot) const;
    void show();

    Setup setup_;
    std::unique_ptr<LabDevice> device_;
    LabDevice::Found found_;
    // What a card can do; the probe stays until it has said so.
    struct Measured
    {
        std::unique_ptr<trainer::RemoteProbe> probe;
        std::optional<trainer::DeviceRates> rates;
        bool done = false;
    };
    void measure_card();
    const std::optional<trainer::DeviceRates>& rates() const;

    // Nothing of it where the measurement failed.
    using MachineRates = std::optional<trainer::DeviceRates>;
    std::future<MachineRates> machine_;        // measured here
    Measured far_machine_;                     // measured elsewhere
    std::map<std::size_t, Measured> measured_; // by card, counted from 1
    std::vector<LabCard> cards_;
    std::size_t chosen_ = 0; // 0: the device; or a card
    bool on_cpu_ = false;    // the card cannot compute what was begun last
    double sheet_flops_ = 0; // [FLOP/s] of the device's data sheet, bf16; 0: not known
    Bench bench_;
    std::optional<Bench> aside_; // the person's own, while a demonstration is on
    std::optional<Demo> demo_;
    struct Pressed
    {
        TrainerConfig before;
        std::string to; // how it stood then; otherwise the user turned it since
    };
    std::map<std::size_t, Pressed> pressed_; // by switch
    std::optional<LabTrial> trial_;
    LabPrediction ahead_of_;           // that the switches were looked at for
    std::vector<LabPrediction> ahead_; // by switch
    std::shared_ptr<File> file_ = std::make_shared<File>();
    std::future<Result<trainer::Checkpoint>> loading_;
    std::future<std::string> opening_; // the page
    std::string notice_;
    LabFrame frame_;
};

// What the assets hold for a controller: the text and the data sheets; the device is chosen as `device` asks
// (auto, cpu, cuda). Beside a window, what trains gives way to it.
LabController::Setup lab_setup(const std::filesystem::path& assets, const Presets& presets,
                               const std::string& device, bool beside_window);

} // namespace ringside
