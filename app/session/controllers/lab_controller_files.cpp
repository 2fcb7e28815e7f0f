// What the live lab keeps and opens outside of the window: the checkpoint, measured machines, the page.
#include <fmt/format.h>

#include "app/files/asset_file.h"
#include "app/files/checkpoint_file.h"
#include "app/session/controllers/lab_controller.h"
#include "core/base/caught.h"
#include "core/lab/trainer/probe/late_probe.h"

namespace ringside
{

Notice LabController::save()
{
    if (!bench_.a.run || setup_.checkpoint.empty() || demo_)
    {
        return "There is no run of yours to save";
    }
    bench_.a.run->checkpoint(
        [file = file_, path = setup_.checkpoint](const trainer::Checkpoint& checkpoint)
        {
            const Issues issues = save_text(path, trainer::checkpoint_text(checkpoint));
            const std::scoped_lock lock(file->mutex);
            file->saved = issues.empty();
            file->notice =
                file->saved ? Notice(fmt::format("Saved step {} to {}", checkpoint.state.step, path.string()))
                            : Notice("Not saved", issues);
        });
    return {};
}

Notice LabController::load()
{
    if (setup_.checkpoint.empty() || demo_ || loading_.valid())
    {
        return demo_ ? "Leave the demonstration first" : "";
    }
    loading_ = std::async(setup_.threads ? std::launch::async : std::launch::deferred,
                          [path = setup_.checkpoint.string()]() -> Result<trainer::Checkpoint>
                          {
                              const auto text = read_checkpoint_text(path);
                              return text ? trainer::checkpoint_from_text(*text)
                                          : Result<trainer::Checkpoint>(text.issues());
                          });
    return {};
}

void LabController::take_loaded()
{
    if (!loading_.valid() || loading_.wait_for(std::chrono::seconds(0)) == std::future_status::timeout)
    {
        return;
    }
    auto loaded = attempted([this] { return loading_.get(); });
    if (!loaded)
    {
        notice_ = {"Not loaded", loaded.issues()};
        return;
    }
    bench_.b.reset();
    bench_.a.shown.config = loaded->config;
    const std::int64_t step = loaded->state.step;
    const Notice fault = begin(bench_.a, true, std::move(loaded->state));
    notice_ = fault.empty() ? Notice(fmt::format("Loaded step {}; Space resumes", step)) : fault;
}

Notice LabController::open_page()
{
    if (!setup_.open_page || opening_.valid())
    {
        return {};
    }
    opening_ = std::async(setup_.threads ? std::launch::async : std::launch::deferred, setup_.open_page);
    return "Opening the page in your browser";
}

void LabController::take_opened()
{
    if (opening_.valid() && opening_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout)
    {
        if (const auto thrown = caught([this] { notice_ = opening_.get(); }))
        {
            notice_ = {"Not opened", {fault_line(thrown)}};
        }
    }
}

Notice LabController::measure_machine()
{
    const auto ready = prepared(bench_.a.shown.config);
    if (devices_.measuring_machine() || !devices_.can_train() || !ready)
    {
        return devices_.measuring_machine() ? "" : "There is no device to measure here";
    }
    if (frame_.running)
    {
        return "Pause the run first: it would be measured too";
    }
    devices_.measure_machine(*ready);
    return {};
}

void LabController::take_machine()
{
    const auto measured = devices_.take_machine();
    if (!measured)
    {
        return;
    }
    const LabDevices::Rates& rates = *measured;
    if (!rates)
    {
        notice_ = "The device could not be measured";
        return;
    }
    notice_ = change_machines([&](std::vector<Machine>& all)
                              { add(all, trainer::machine_of(*rates, setup_.today())); });
    notice_ = notice_.empty() ? Notice("Measured " + rates->device) : notice_;
}

Notice LabController::change_machines(const std::function<void(std::vector<Machine>&)>& change)
{
    change(frame_.machines);
    const Issues issues =
        setup_.machines.empty() ? Issues() : save_text(setup_.machines, to_json(frame_.machines).dump(1));
    return issues.empty() ? Notice() : Notice("Not saved", issues);
}

} // namespace ringside
