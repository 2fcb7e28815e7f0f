// Runs of the live lab and what is shown of each: A, and B beside it.
#pragma once

#include "core/lab/trainer/remote.h"
#include "ui/shell/frame/lab_frame.h"

#include <memory>
#include <optional>
#include <vector>

namespace ringside
{

struct LabSlot
{
    LabRun shown;
    TrainerConfig begun; // with the knobs it began with
    std::unique_ptr<trainer::LiveTraining> run;
    trainer::RunSettings settings;
    bool turned = false;        // knobs that the run has not been told of
    std::int64_t workspace = 0; // [B] of the device, as the prediction took it

    bool running() const { return run && !run->wait_until_idle(0); }
};

struct LabBench
{
    LabSlot a;
    std::optional<LabSlot> b;

    // Those that have a run.
    std::vector<LabSlot*> begun()
    {
        std::vector<LabSlot*> all{&a};
        if (b)
        {
            all.push_back(&*b);
        }
        std::erase_if(all, [](const LabSlot* slot) { return !slot->run; });
        return all;
    }
    template <class F>
    void each_run(const F& does)
    {
        for (LabSlot* slot : begun())
        {
            does(*slot->run);
        }
    }
    bool running() const { return a.running() || (b && b->running()); }
};

} // namespace ringside
