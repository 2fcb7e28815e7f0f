// The device as a machine: measured where the runs are made, and kept with those that others brought.
#include <fmt/format.h>

#include "app/files/asset_file.h"
#include "app/session/controllers/lab_controller.h"
#include "core/base/caught.h"
#include "core/lab/trainer/probe/late_probe.h"

namespace ringside
{

namespace
{

constexpr const char* kNotMeasured = "The device could not be measured";

} // namespace

std::string LabController::measure_machine()
{
    const auto ready = prepared(bench_.a.shown.config);
    if (frame_.measuring_machine || !setup_.open || !ready)
    {
        return frame_.measuring_machine ? "" : "There is no device to measure here";
    }
    if (frame_.running)
    {
        return "Pause the run first: it would be measured too";
    }
    frame_.measuring_machine = true;
    if (setup_.far)
    {
        tell_choice();
        far_machine_.probe = std::make_unique<trainer::RemoteProbe>(
            *ready, setup_.far,
            [this](const MachineRates& rates)
            {
                far_machine_.rates = rates;
                far_machine_.done = true;
            },
            trainer::ProbeKind::machine);
        return {};
    }
    machine_ =
        std::async(setup_.threads ? std::launch::async : std::launch::deferred,
                   [open = setup_.open, config = *ready]() -> MachineRates
                   {
                       auto device = open();
                       return device
                                  ? MachineRates(trainer::machine_rates(std::move(device->backend), config))
                                  : MachineRates();
                   });
    return {};
}

void LabController::take_machine()
{
    MachineRates rates;
    if (std::exchange(far_machine_.done, false))
    {
        rates = std::exchange(far_machine_.rates, std::nullopt);
        far_machine_.probe.reset();
    }
    else if (machine_.valid() && machine_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout)
    {
        // What the thread threw counts as not measured.
        (void)caught([&] { rates = machine_.get(); });
    }
    else
    {
        return;
    }
    frame_.measuring_machine = false;
    if (!rates)
    {
        notice_ = kNotMeasured;
        return;
    }
    notice_ = change_machines([&](std::vector<Machine>& all)
                              { add(all, trainer::machine_of(*rates, setup_.today())); });
    notice_ = notice_.empty() ? "Measured " + rates->device : notice_;
}

std::string LabController::change_machines(const std::function<void(std::vector<Machine>&)>& change)
{
    change(frame_.machines);
    const Issues issues =
        setup_.machines.empty() ? Issues() : save_text(setup_.machines, to_json(frame_.machines).dump(1));
    return issues.empty() ? "" : "Not saved: " + trainer::lines(issues);
}

} // namespace ringside
