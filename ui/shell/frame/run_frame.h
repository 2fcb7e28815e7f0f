// A real training run that the user opened, beside the scenario on show, which is what it is compared with.
#pragma once

#include "core/runs/compare.h"
#include "ui/shell/frame/frame.h"

namespace ringside
{

struct RunFrame
{
    std::int64_t number = 0; // of those that were opened, so that pictures of it are made once
    std::string name;        // "train.log", "7 files"
    RunReading run;
    std::optional<LaunchReading> launch; // what its files state of the scenario, and what is guessed
    bool stated = false;                 // enough of it: the scenario became its own
    bool example = false;
    std::shared_ptr<const RunFrame> other = {}; // kept, to be compared with; null: none
};

// Files of a run that are being read beside the window.
struct RunOpening
{
    std::string name;
    double progress = 0; // 0 to 1
};

} // namespace ringside
