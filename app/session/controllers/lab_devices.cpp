#include "app/session/controllers/lab_devices.h"

#include "core/base/caught.h"
#include "core/lab/trainer/probe/late_probe.h"

#include <chrono>
#include <utility>

namespace ringside
{

bool LabDevices::wake(const TrainerConfig& config)
{
    if (device_ || !can_train())
    {
        return false;
    }
    device_ = std::make_unique<LabDevice>(setup_.open, config, setup_.probe_seconds, setup_.threads);
    return true;
}

bool LabDevices::choose(std::size_t device)
{
    if (device == chosen_ || device > cards_.size())
    {
        return false;
    }
    chosen_ = device;
    on_cpu_ = false;
    return true;
}

Issues LabDevices::lacking(const TrainerConfig& ready) const
{
    return card() ? trainer::lacking(ready, card()->abilities, card()->shown.name) : Issues();
}

std::string LabDevices::make_ready_for(const TrainerConfig& ready)
{
    if (device_)
    {
        device_->stop_early();
    }
    std::erase_if(measured_, [](const auto& card) { return card.second.probe != nullptr; });
    on_cpu_ = false;
    const Issues lacks = lacking(ready);
    on_cpu_ = !lacks.empty();
    tell_choice();
    return on_cpu_ ? lacks.front().message : std::string();
}

std::unique_ptr<trainer::LiveTraining> LabDevices::start(const TrainerConfig& config,
                                                         const trainer::RunSettings& settings,
                                                         std::optional<trainer::TrainerState> from) const
{
    if (setup_.far)
    {
        return std::make_unique<trainer::RemoteRun>(config, setup_.far, settings, from);
    }
    const auto open = [open = setup_.open]() -> std::unique_ptr<trainer::Backend>
    {
        auto device = open();
        return device ? std::move(device->backend) : nullptr;
    };
    return std::make_unique<trainer::TrainingRun>(config, open, settings, std::move(from));
}

void LabDevices::tell_choice() const
{
    if (setup_.choose)
    {
        setup_.choose(card() ? chosen_ : 0, card() && rates() ? rates()->subgroups : trainer::Subgroups{});
    }
}

const LabDevices::Rates& LabDevices::rates() const
{
    static const Rates none;
    const auto found = measured_.find(chosen_);
    return !card() ? found_.rates : found == measured_.end() ? none : found->second.rates;
}

std::optional<Gpu> LabDevices::gpu(Precision precision) const
{
    return rates() ? std::optional(trainer::gpu_of(*rates(), precision)) : std::nullopt;
}

// While nothing runs on it; a run that begins before it is over ends it.
void LabDevices::measure_card(const TrainerConfig& config, bool idle)
{
    if (!card() || !setup_.far)
    {
        return;
    }
    if (const auto found = measured_.find(chosen_); found != measured_.end())
    {
        if (found->second.done && found->second.probe)
        {
            found->second.probe.reset();
            tell_choice();
        }
        return;
    }
    const auto ready = prepared(config);
    if (!ready || !idle)
    {
        return;
    }
    tell_choice();
    Measured& measured = measured_[chosen_];
    measured.probe = std::make_unique<trainer::RemoteProbe>(*ready, setup_.far,
                                                            [&measured](const Rates& rates)
                                                            {
                                                                measured.rates = rates;
                                                                measured.done = true;
                                                            });
}

void LabDevices::measure_machine(const TrainerConfig& ready)
{
    measuring_machine_ = true;
    if (setup_.far)
    {
        tell_choice();
        far_machine_.probe = std::make_unique<trainer::RemoteProbe>(
            ready, setup_.far,
            [this](const Rates& rates)
            {
                far_machine_.rates = rates;
                far_machine_.done = true;
            },
            trainer::ProbeKind::machine);
        return;
    }
    machine_ = std::async(setup_.threads ? std::launch::async : std::launch::deferred,
                          [open = setup_.open, config = ready]() -> Rates
                          {
                              auto device = open();
                              return device
                                         ? Rates(trainer::machine_rates(std::move(device->backend), config))
                                         : Rates();
                          });
}

std::optional<LabDevices::Rates> LabDevices::take_machine()
{
    Rates rates;
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
        return std::nullopt;
    }
    measuring_machine_ = false;
    return std::optional<Rates>(std::in_place, std::move(rates));
}

void LabDevices::look(LabFrame& frame, const TrainerConfig& config, bool idle)
{
    if (device_ && !found_.done)
    {
        found_ = device_->poll();
        const Gpu* sheet = found_.done ? sheet_of(setup_.data_sheets, found_.name) : nullptr;
        sheet_flops_ = sheet == nullptr ? 0 : sheet->bf16_tflops * 1e12;
    }
    if (device_ && setup_.cards)
    {
        cards_ = setup_.cards();
    }
    frame.devices.clear();
    for (const LabCard& each : cards_)
    {
        frame.devices.push_back(each.shown);
    }
    if (!cards_.empty())
    {
        frame.devices.insert(frame.devices.begin(), {found_.name, found_.says});
    }
    frame.chosen = chosen_;
    frame.device = card() ? "training on " + card()->shown.name : found_.says;
    measure_card(config, idle);
    const auto measured = measured_.find(chosen_);
    frame.measuring = (device_ && !found_.done) ||
                      (card() && measured != measured_.end() && measured->second.probe != nullptr);
    frame.measuring_machine = measuring_machine_;
    frame.capacity = card() ? 0 : found_.capacity;
    if (!found_.fault.empty())
    {
        frame.fault = found_.fault;
    }
    frame.rate.reset();
    if (const Rates& known = rates())
    {
        const Precision precision = config.training.precision;
        frame.rate = LabRate{known->of(precision).product_flops, known->copy_bytes,
                             precision == Precision::fp32 || card() ? 0 : sheet_flops_, known->sustained};
    }
}

void LabDevices::wait() const
{
    if (device_)
    {
        device_->wait();
    }
}

} // namespace ringside
