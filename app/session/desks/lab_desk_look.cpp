#include "app/session/desks/lab_desk.h"

namespace ringside
{

namespace
{

constexpr std::size_t kMostSamples = 12;

} // namespace

void LabDesk::wake()
{
    if (!device_ && setup_.open)
    {
        device_ = std::make_unique<LabDevice>(setup_.open, bench_.a.shown.config, setup_.probe_seconds,
                                              setup_.threads);
        show();
    }
}

void LabDesk::look_at_device()
{
    if (device_ && !found_.done)
    {
        found_ = device_->look();
        const Gpu* sheet = found_.done ? sheet_of(setup_.data_sheets, found_.name) : nullptr;
        sheet_flops_ = sheet == nullptr ? 0 : sheet->bf16_tflops * 1e12;
    }
    frame_.device = found_.says;
    frame_.measuring = device_ && !found_.done;
    frame_.capacity = found_.capacity;
    if (!found_.fault.empty())
    {
        frame_.fault = found_.fault;
    }
    if (found_.rates)
    {
        const Precision precision = bench_.a.shown.config.training.precision;
        frame_.rate = LabRate{found_.rates->of(precision).product_flops, found_.rates->copy_bytes,
                              precision == Precision::fp32 ? 0 : sheet_flops_, found_.rates->sustained};
    }
}

void LabDesk::look_at(Slot& slot) const
{
    const LabPrediction& p = slot.shown.predicted;
    if (p.of != slot.shown.config || slot.workspace != found_.workspace ||
        (p.step_seconds > 0) != (found_.rates.has_value() && p.parameters > 0))
    {
        const auto gpu =
            found_.rates ? std::optional(trainer::gpu_of(*found_.rates, slot.shown.config.training.precision))
                         : std::nullopt;
        slot.shown.predicted = prediction_of(slot.shown.config, gpu, found_.workspace);
        slot.workspace = found_.workspace;
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

void LabDesk::show()
{
    look_at_device();
    look_at(bench_.a);
    if (bench_.b)
    {
        look_at(*bench_.b);
    }
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
