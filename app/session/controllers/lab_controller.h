// The live lab's side effects: owns the device, the runs and their threads, the demonstration that is on, and
// the checkpoint file. Views read its LabFrame and push a LabAction; nothing here waits for a step.
//
// Run B begins as A began, from the same seed. Up to A's first break the two have the same numbers, so B is
// drawn only from there on, as the undisturbed run.
#pragma once

#include "app/session/controllers/lab_bench.h"
#include "app/session/controllers/lab_demonstration.h"
#include "app/session/controllers/lab_devices.h"
#include "app/session/controllers/lab_switches.h"
#include "core/base/notice.h"
#include "ui/shell/frame/lab_action.h"

#include <filesystem>
#include <functional>
#include <future>
#include <mutex>

namespace ringside
{

struct Presets;

class LabController
{
public:
    struct Setup : LabDevices::Setup
    {
        TrainerConfig config = default_trainer_config();
        LabData text;                     // the text that ships; none: only tasks
        std::filesystem::path checkpoint; // that saving writes and loading reads; empty: neither
        std::filesystem::path machines;   // those measured and brought; empty: kept nowhere
        std::function<std::string()> today = [] { return std::string(); }; // "2026-11-28"
        // Opens the lab in a browser, in some seconds; gives what to tell the user; null: it cannot be
        // opened.
        std::function<Notice()> open_page;
    };

    explicit LabController(Setup setup);
    LabController(const LabController&) = delete;
    LabController& operator=(const LabController&) = delete;

    // What to tell the user; may be empty.
    Notice apply(const LabAction& action);
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
    // The notice of what ended by itself, once: a file that was written.
    Notice take_notice();

    // For pictures and tests: run A makes steps until it has made so many; waits, at most so many seconds.
    bool run_to(std::int64_t step, double patience);
    // Until nothing happens any more.
    bool wait(double patience);

private:
    struct File // written by a run's thread
    {
        std::mutex mutex;
        Notice notice;
        bool saved = false; // once
    };

    Notice command(LabCommand command);
    Notice run();
    Notice second();
    Notice save();
    Notice load();
    void take_loaded();
    Notice clear();
    Notice turn(const TurnKnobs& knobs);
    Notice choose(const ChooseDevice& choice);
    Notice press(const PressSwitch& pressed);
    Notice ask(const AskDemo& demo);
    Notice answer(const AnswerDemo& answer);
    Notice measure_machine();
    void take_machine();
    Notice change_machines(const std::function<void(std::vector<Machine>&)>& change);
    Notice open_page();
    void take_opened();
    // Begins the slot's configuration from its first step, or from `from`.
    Notice begin(LabSlot& slot, bool paused, std::optional<trainer::TrainerState> from = {});
    void look_at(LabSlot& slot) const;
    void show();

    Setup setup_;
    LabDevices devices_;
    LabBench bench_;
    std::optional<LabDemonstration> demo_; // the one that is on
    LabSwitches switches_;
    std::shared_ptr<File> file_ = std::make_shared<File>();
    std::future<Result<trainer::Checkpoint>> loading_;
    std::future<Notice> opening_; // the page
    Notice notice_;
    LabFrame frame_;
};

// What the assets hold for a controller: the text and the data sheets; the device is chosen as `device` asks
// (auto, cpu, cuda). Beside a window, what trains gives way to it.
LabController::Setup lab_setup(const std::filesystem::path& assets, const Presets& presets,
                               const std::string& device, bool beside_window);

} // namespace ringside
