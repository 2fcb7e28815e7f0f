#include "app/session/controllers/lab_controller.h"

namespace ringside
{

namespace
{

constexpr std::size_t kMostSamples = 12;

} // namespace

void LabController::wake()
{
    if (!device_ && setup_.open)
    {
        device_ = std::make_unique<LabDevice>(setup_.open, bench_.a.shown.config, setup_.probe_seconds,
                                              setup_.threads);
        show();
    }
}

// While nothing runs on it; a run that begins before it is over ends it.
void LabController::measure_card()
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
    const auto ready = prepared(bench_.a.shown.config);
    if (!ready || !bench_.begun().empty())
    {
        return;
    }
    tell_choice();
    Measured& measured = measured_[chosen_];
    measured.probe =
        std::make_unique<trainer::RemoteProbe>(*ready, setup_.far,
                                               [&measured](const std::optional<trainer::DeviceRates>& rates)
                                               {
                                                   measured.rates = rates;
                                                   measured.done = true;
                                               });
}

const std::optional<trainer::DeviceRates>& LabController::rates() const
{
    static const std::optional<trainer::DeviceRates> none;
    const auto found = measured_.find(chosen_);
    return !card() ? found_.rates : found == measured_.end() ? none : found->second.rates;
}

void LabController::look_at_device()
{
    if (device_ && !found_.done)
    {
        found_ = device_->look();
        const Gpu* sheet = found_.done ? sheet_of(setup_.data_sheets, found_.name) : nullptr;
        sheet_flops_ = sheet == nullptr ? 0 : sheet->bf16_tflops * 1e12;
    }
    if (device_ && setup_.cards)
    {
        cards_ = setup_.cards();
    }
    frame_.devices.clear();
    for (const LabCard& each : cards_)
    {
        frame_.devices.push_back(each.shown);
    }
    if (!cards_.empty())
    {
        frame_.devices.insert(frame_.devices.begin(), {found_.name, found_.says});
    }
    frame_.chosen = chosen_;
    frame_.device = card() ? "training on " + card()->shown.name : found_.says;
    measure_card();
    const auto measured = measured_.find(chosen_);
    frame_.measuring = (device_ && !found_.done) ||
                       (card() && measured != measured_.end() && measured->second.probe != nullptr);
    frame_.capacity = card() ? 0 : found_.capacity;
    if (!found_.fault.empty())
    {
        frame_.fault = found_.fault;
    }
    frame_.rate.reset();
    if (const auto& known = rates())
    {
        const Precision precision = bench_.a.shown.config.training.precision;
        frame_.rate = LabRate{known->of(precision).product_flops, known->copy_bytes,
                              precision == Precision::fp32 || card() ? 0 : sheet_flops_, known->sustained};
    }
}

void LabController::look_at(Slot& slot) const
{
    const LabPrediction& p = slot.shown.predicted;
    const std::int64_t workspace = card() ? card()->workspace : found_.workspace;
    const auto& known = rates();
    if (p.of != slot.shown.config || slot.workspace != workspace ||
        (p.step_seconds > 0) != (known.has_value() && p.parameters > 0))
    {
        const auto gpu = known ? std::optional(trainer::gpu_of(*known, slot.shown.config.training.precision))
                               : std::nullopt;
        slot.shown.predicted = prediction_of(slot.shown.config, gpu, workspace);
        slot.workspace = workspace;
    }
    if (!slot.run)
    {
        return;
    }
    slot.shown.snapshot = slot.run->snapshot();
    const TrainingSnapshot& seen = *slot.shown.snapshot;
    auto& samples = slot.shown.samples;
    std::erase_if(samples, [&](const LabSample& s) { return s.step > seen.step; });
    if (!seen.sample.empty() && seen.sample_step <= seen.step &&
        (samples.empty() || samples.back().step < seen.sample_step))
    {
        samples.push_back({seen.sample_step, seen.sample});
        if (samples.size() > kMostSamples)
        {
            samples.erase(samples.begin());
        }
    }
}

void LabController::show()
{
    look_at_device();
    look_at(bench_.a);
    if (bench_.b)
    {
        look_at(*bench_.b);
    }
    look_at_switches();
    frame_.a = bench_.a.shown;
    frame_.b = bench_.b ? std::optional(bench_.b->shown) : std::nullopt;
    frame_.running = bench_.a.running() || (bench_.b && bench_.b->running());
    frame_.demo = demo_ ? std::optional(demo_->shown) : std::nullopt;
    if (frame_.look && (!frame_.a.snapshot || *frame_.look >= frame_.a.snapshot->step))
    {
        frame_.look.reset();
    }
    const std::scoped_lock lock(file_->mutex);
    if (!file_->notice.empty())
    {
        frame_.saved = frame_.saved || file_->notice.starts_with("Saved");
        notice_ = std::exchange(file_->notice, {});
    }
}

} // namespace ringside
