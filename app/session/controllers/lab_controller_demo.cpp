#include "app/session/controllers/lab_controller.h"

namespace ringside
{

std::string LabController::ask(const AskDemo& asked)
{
    if (asked.demo >= lab_demos().size())
    {
        return {};
    }
    if (!setup_.text.text)
    {
        return "The demonstrations need the text that ships; start with --assets DIR";
    }
    each_run([](trainer::LiveTraining& r) { r.pause(); });
    if (!demo_)
    {
        aside_ = std::move(bench_);
    }
    frame_.look.reset();
    bench_ = {};
    demo_ = Demo(); // clang 14 does not see that emplace() could
    demo_->shown.demo = asked.demo;
    TrainerConfig base = default_trainer_config();
    base.data = setup_.text;
    demo_->runs = lab_demos()[asked.demo].runs(base);
    bench_.a.shown.config = demo_->runs.front().config;
    bench_.a.shown.name = demo_->runs.front().name;
    return {};
}

std::string LabController::answer(const AnswerDemo& answer)
{
    if (!demo_ || demo_->shown.answer || answer.answer >= lab_demos()[demo_->shown.demo].answers.size())
    {
        return {};
    }
    demo_->shown.answer = answer.answer;
    begin_next_of_demo();
    return frame_.fault.empty() ? "" : "Not started: " + frame_.fault;
}

void LabController::begin_next_of_demo()
{
    const LabRunPlan& plan = demo_->runs[demo_->begun];
    Slot& slot = demo_->begun == 0 ? bench_.a : bench_.b.emplace(Slot());
    ++demo_->begun;
    slot.shown.name = plan.name;
    slot.shown.config = plan.config;
    slot.settings.last_step = plan.steps;
    slot.settings.plan = plan.plan;
    begin(slot, false);
}

bool LabController::demo_run_over(std::size_t place) const
{
    const Slot& slot = place == 0 ? bench_.a : *bench_.b;
    if (!slot.run || slot.running())
    {
        return !slot.run;
    }
    const auto seen = slot.run->snapshot();
    return seen->step >= demo_->runs[place].steps || seen->state == RunState::failed;
}

void LabController::go_on_with_demo()
{
    if (!demo_ || !demo_->shown.answer || demo_->shown.finding)
    {
        return;
    }
    std::vector<TrainingSnapshot> runs;
    each_run([&](const trainer::LiveTraining& run) { runs.push_back(*run.snapshot()); });
    double done = 0;
    double all = 0;
    for (std::size_t i = 0; i < demo_->runs.size(); ++i)
    {
        all += static_cast<double>(demo_->runs[i].steps);
        done += i < runs.size() ? static_cast<double>(runs[i].step) : 0;
    }
    demo_->shown.progress = done / all;
    if (!demo_run_over(demo_->begun - 1))
    {
        return;
    }
    if (demo_->begun < demo_->runs.size())
    {
        begin_next_of_demo();
        return;
    }
    demo_->shown.progress = 1;
    demo_->shown.finding = lab_demos()[demo_->shown.demo].find(runs);
}

} // namespace ringside
