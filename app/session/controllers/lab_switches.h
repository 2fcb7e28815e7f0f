// The switches of the live lab's run A: what pressing each would do, and what the last one did.
#pragma once

#include "app/session/controllers/lab_bench.h"
#include "app/session/controllers/lab_devices.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringside
{

class LabSwitches
{
public:
    // Whether its key puts it back.
    bool is_on(std::size_t which, const TrainerConfig& now) const;
    // What the switch's key makes of run A's configuration.
    TrainerConfig pressed(std::size_t which, const TrainerConfig& now) const;
    // It was pressed, and run A has `next` in place of `now`; the trial where the run had begun.
    void note(std::size_t which, const TrainerConfig& now, const TrainerConfig& next,
              std::optional<LabTrial> trial);
    void end_trial() { trial_.reset(); }
    // What the frame says of them; predictions are made anew where the run's changed.
    void look(LabFrame& frame, const LabSlot& a, const LabDevices& devices, bool in_demo);

private:
    void look_ahead(LabFrame& frame, const LabSlot& a, const LabDevices& devices);

    struct Pressed
    {
        TrainerConfig before;
        std::string to; // how it stood then; otherwise the user turned it since
    };
    std::map<std::size_t, Pressed> pressed_; // by switch
    std::optional<LabTrial> trial_;
    LabPrediction ahead_of_;           // that the switches were looked at for
    std::vector<LabPrediction> ahead_; // by switch
};

} // namespace ringside
