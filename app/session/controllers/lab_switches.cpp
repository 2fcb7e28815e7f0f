#include "app/session/controllers/lab_switches.h"

namespace ringside
{

bool LabSwitches::is_on(std::size_t which, const TrainerConfig& now) const
{
    const auto found = pressed_.find(which);
    return found != pressed_.end() && found->second.to == lab_switches()[which].says(now);
}

TrainerConfig LabSwitches::pressed(std::size_t which, const TrainerConfig& now) const
{
    const LabSwitch& s = lab_switches()[which];
    TrainerConfig next = now;
    if (is_on(which, now))
    {
        s.put_back(pressed_.at(which).before, next);
    }
    else
    {
        s.turn(next);
    }
    return next;
}

void LabSwitches::note(std::size_t which, const TrainerConfig& now, const TrainerConfig& next,
                       std::optional<LabTrial> trial)
{
    const LabSwitch& s = lab_switches()[which];
    const bool back = is_on(which, now);
    pressed_.erase(which);
    if (!back && !s.goes_on)
    {
        pressed_[which] = {now, s.says(next)};
    }
    trial_ = std::move(trial);
}

void LabSwitches::look_ahead(LabFrame& frame, const LabSlot& a, const LabDevices& devices)
{
    const TrainerConfig& now = a.shown.config;
    const auto all = lab_switches();
    ahead_of_ = a.shown.predicted;
    ahead_.clear();
    frame.switches.assign(all.size(), {});
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        LabSwitchFrame& shown = frame.switches[i];
        shown = {is_on(i, now), all[i].says(now), {}, {}};
        shown.refusal = shown.on ? "" : all[i].refuses(now);
        const TrainerConfig next = shown.refusal.empty() ? pressed(i, now) : now;
        const auto ready = prepared(next);
        if (shown.refusal.empty() && !ready)
        {
            shown.refusal = trainer::lines(ready.issues());
        }
        if (shown.refusal.empty())
        {
            const Issues lacks = devices.lacking(*ready);
            shown.refusal = lacks.empty() ? "" : lacks.front().message;
        }
        ahead_.push_back(prediction_of(next, devices.gpu(next.training.precision), a.workspace));
    }
    frame.batches =
        std::make_shared<const BatchForecast>(batch_forecast(now, devices.gpu(now.training.precision)));
}

void LabSwitches::look(LabFrame& frame, const LabSlot& a, const LabDevices& devices, bool in_demo)
{
    const LabPrediction& predicted = a.shown.predicted;
    if (ahead_of_.of != predicted.of || ahead_of_.step_seconds != predicted.step_seconds ||
        !(ahead_of_.memory == predicted.memory))
    {
        look_ahead(frame, a, devices);
    }
    const TrainingSnapshot* run = a.shown.snapshot.get();
    for (std::size_t i = 0; i < ahead_.size(); ++i)
    {
        frame.switches[i].forecast = forecast_of(predicted, ahead_[i], run);
    }
    if (trial_ && (run == nullptr || run->step < trial_->step))
    {
        trial_.reset();
    }
    frame.trial = in_demo ? std::nullopt : trial_;
}

} // namespace ringside
