#include "app/session/controllers/lab_controller.h"

namespace ringside
{

namespace
{

constexpr std::size_t kMostSamples = 12;

} // namespace

void LabController::wake()
{
    if (devices_.wake(bench_.a.shown.config))
    {
        show();
    }
}

void LabController::look_at(LabSlot& slot) const
{
    const LabPrediction& p = slot.shown.predicted;
    const std::int64_t workspace = devices_.workspace();
    if (p.of != slot.shown.config || slot.workspace != workspace ||
        (p.step_seconds > 0) != (devices_.rates().has_value() && p.parameters > 0))
    {
        slot.shown.predicted =
            prediction_of(slot.shown.config, devices_.gpu(slot.shown.config.training.precision), workspace);
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
    devices_.look(frame_, bench_.a.shown.config, bench_.begun().empty());
    look_at(bench_.a);
    if (bench_.b)
    {
        look_at(*bench_.b);
    }
    switches_.look(frame_, bench_.a, devices_, demo_.has_value());
    frame_.a = bench_.a.shown;
    frame_.b = bench_.b ? std::optional(bench_.b->shown) : std::nullopt;
    frame_.running = bench_.running();
    frame_.demo = demo_ ? std::optional(demo_->frame()) : std::nullopt;
    if (frame_.look && (!frame_.a.snapshot || *frame_.look >= frame_.a.snapshot->step))
    {
        frame_.look.reset();
    }
    const std::scoped_lock lock(file_->mutex);
    if (!file_->notice.empty())
    {
        frame_.saved = std::exchange(file_->saved, false) || frame_.saved;
        notice_ = std::exchange(file_->notice, {});
    }
}

} // namespace ringside
