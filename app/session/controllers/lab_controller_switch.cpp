#include "app/session/controllers/lab_controller.h"

namespace ringside
{

bool LabController::is_on(std::size_t which) const
{
    const auto found = pressed_.find(which);
    return found != pressed_.end() && found->second.to == lab_switches()[which].says(bench_.a.shown.config);
}

// What the switch's key makes of run A's configuration.
TrainerConfig LabController::switched(std::size_t which) const
{
    const LabSwitch& s = lab_switches()[which];
    TrainerConfig next = bench_.a.shown.config;
    if (is_on(which))
    {
        s.put_back(pressed_.at(which).before, next);
    }
    else
    {
        s.turn(next);
    }
    return next;
}

std::string LabController::press(const PressSwitch& pressed)
{
    const std::size_t which = pressed.which;
    if (demo_ || which >= lab_switches().size())
    {
        return demo_ ? "The demonstration sets the hyperparameters; Esc leaves it" : "";
    }
    if (!frame_.switches[which].refusal.empty())
    {
        return frame_.switches[which].refusal;
    }
    const LabSwitch& s = lab_switches()[which];
    const TrainerConfig now = bench_.a.shown.config;
    const TrainerConfig next = switched(which);
    const bool back = is_on(which);
    const TrainingSnapshot* run = bench_.a.run ? bench_.a.shown.snapshot.get() : nullptr;
    std::optional<LabTrial> trial;
    if (run != nullptr && run->step > 0)
    {
        trial = {which,
                 s.says(now),
                 s.says(next),
                 run->step,
                 figures_of(*run, last_change(*run)),
                 frame_.switches[which].forecast};
        if (s.marks && !back)
        {
            bench_.a.run->mark();
        }
    }
    std::string notice = turn(TurnKnobs{next});
    if (bench_.a.shown.config == next)
    {
        pressed_.erase(which);
        if (!back && !s.goes_on)
        {
            pressed_[which] = {now, s.says(next)};
        }
        trial_ = std::move(trial);
    }
    return notice;
}

void LabController::look_at_switches()
{
    const LabRun& a = bench_.a.shown;
    const auto all = lab_switches();
    const auto device_for = [this](Precision precision)
    { return rates() ? std::optional(trainer::gpu_of(*rates(), precision)) : std::nullopt; };
    if (ahead_of_.of != a.predicted.of || ahead_of_.step_seconds != a.predicted.step_seconds ||
        !(ahead_of_.memory == a.predicted.memory))
    {
        ahead_of_ = a.predicted;
        ahead_.clear();
        frame_.switches.assign(all.size(), {});
        for (std::size_t i = 0; i < all.size(); ++i)
        {
            LabSwitchFrame& shown = frame_.switches[i];
            shown = {is_on(i), all[i].says(a.config), {}, {}};
            shown.refusal = shown.on ? "" : all[i].refuses(a.config);
            const TrainerConfig next = shown.refusal.empty() ? switched(i) : a.config;
            const auto ready = prepared(next);
            if (shown.refusal.empty() && !ready)
            {
                shown.refusal = trainer::lines(ready.issues());
            }
            if (shown.refusal.empty() && card())
            {
                const Issues lacks = trainer::lacking(*ready, card()->abilities, card()->shown.name);
                shown.refusal = lacks.empty() ? "" : lacks.front().message;
            }
            ahead_.push_back(prediction_of(next, device_for(next.training.precision), bench_.a.workspace));
        }
        frame_.batches = std::make_shared<const BatchForecast>(
            batch_forecast(a.config, device_for(a.config.training.precision)));
    }
    const TrainingSnapshot* run = a.snapshot.get();
    for (std::size_t i = 0; i < all.size(); ++i)
    {
        frame_.switches[i].forecast = forecast_of(a.predicted, ahead_[i], run);
    }
    if (trial_ && (run == nullptr || run->step < trial_->step))
    {
        trial_.reset();
    }
    frame_.trial = demo_ ? std::nullopt : trial_;
}

} // namespace ringside
