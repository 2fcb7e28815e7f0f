#include "app/session/controllers/lab_demonstration.h"

#include "core/lab/demos.h"

namespace ringside
{

LabDemonstration::LabDemonstration(std::size_t demo, const LabData& text, LabBench own) : own_(std::move(own))
{
    shown_.demo = demo;
    TrainerConfig base = default_trainer_config();
    base.data = text;
    plans_ = lab_demos()[demo].runs(base);
}

bool LabDemonstration::answer(std::size_t which)
{
    if (answered() || which >= lab_demos()[shown_.demo].answers.size())
    {
        return false;
    }
    shown_.answer = which;
    return true;
}

LabSlot& LabDemonstration::next(LabBench& bench)
{
    const LabRunPlan& plan = plans_[begun_];
    LabSlot& slot = begun_ == 0 ? bench.a : bench.b.emplace(LabSlot());
    ++begun_;
    slot.shown.name = plan.name;
    slot.shown.config = plan.config;
    slot.settings.last_step = plan.steps;
    slot.settings.plan = plan.plan;
    return slot;
}

bool LabDemonstration::is_over(const LabBench& bench) const
{
    const LabSlot& slot = begun_ == 1 ? bench.a : *bench.b;
    if (!slot.run || slot.running())
    {
        return !slot.run;
    }
    const auto seen = slot.run->snapshot();
    return seen->step >= plans_[begun_ - 1].steps || seen->state == RunState::failed;
}

bool LabDemonstration::go_on(LabBench& bench)
{
    if (!runs())
    {
        return false;
    }
    std::vector<TrainingSnapshot> seen;
    bench.each_run([&](const trainer::LiveTraining& run) { seen.push_back(*run.snapshot()); });
    double done = 0;
    double all = 0;
    for (std::size_t i = 0; i < plans_.size(); ++i)
    {
        all += static_cast<double>(plans_[i].steps);
        done += i < seen.size() ? static_cast<double>(seen[i].step) : 0;
    }
    shown_.progress = done / all;
    if (!is_over(bench) || begun_ < plans_.size())
    {
        return is_over(bench);
    }
    shown_.progress = 1;
    shown_.finding = lab_demos()[shown_.demo].find(seen);
    return false;
}

} // namespace ringside
