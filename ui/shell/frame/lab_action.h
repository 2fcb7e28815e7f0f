// What the live lab's view may ask for. The app's controller does it; what came of it is in LabFrame.
#pragma once

#include "core/lab/config.h"
#include "core/lab/machine.h"
#include "ui/shell/frame/frame.h"

#include <variant>

namespace ringside
{

enum class LabCommand : std::uint8_t
{
    run, // starts what has not been started, goes on with what is paused
    pause,
    step,    // one step, then pause
    mark,    // to be gone back to
    rewind,  // to the last mark
    sample,  // text, now
    time,    // the kernels of one step
    second,  // run B: as A began, from the same seed; with a B there, puts it away
    save,    // run A as a checkpoint
    load,    // the checkpoint that was saved last, as run A
    page,    // the lab in this computer's browser, which trains on its GPU; LabFrame::offers_page
    machine, // measures the device that is chosen as a machine, in about ten seconds
    clear    // back to before the first start; a demonstration ends
};
// Other knobs for one run. Those that a run cannot take while it trains start it again.
struct TurnKnobs
{
    TrainerConfig config;
    std::size_t run = 0;   // 0: A, 1: B
    bool dragging = false; // not yet let go
};
// The step that is looked at; beyond the newest: the newest.
struct LookAtStep
{
    double step;
};
struct AskDemo
{
    std::size_t demo; // in lab_demos()
};
// Chooses one of LabFrame::devices; a run begins again on it.
struct ChooseDevice
{
    std::size_t device;
};
// For run A, while it runs; the same again puts it back.
struct PressSwitch
{
    std::size_t which; // in lab_switches()
};
// What the user expects; the runs begin.
struct AnswerDemo
{
    std::size_t answer;
};
// What others measured; those that are there already are replaced.
struct AddMachines
{
    std::vector<Machine> machines;
};
struct RemoveMachine
{
    std::size_t machine; // of LabFrame::machines
};
struct LabAction : std::variant<LabCommand, TurnKnobs, LookAtStep, AskDemo, AnswerDemo, ChooseDevice,
                                PressSwitch, AddMachines, RemoveMachine>
{
    using variant::variant;
};
inline Action to_action(LabAction action)
{
    return std::make_shared<const LabAction>(std::move(action));
}

} // namespace ringside
