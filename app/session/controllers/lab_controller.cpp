#include "app/session/controllers/lab_controller.h"

#include <fmt/format.h>

#include "app/files/asset_file.h"
#include "app/files/checkpoint_file.h"
#include "core/base/caught.h"
#include "core/base/overloaded.h"
#include "core/base/text/text.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::int64_t kSampleEvery = 200; // steps

} // namespace

using trainer::lines;

LabController::LabController(Setup setup) : setup_(std::move(setup)), devices_(setup_)
{
    bench_.a.shown.name = "this run";
    bench_.a.shown.config = setup_.config;
    LabData& data = bench_.a.shown.config.data;
    if (setup_.text.text)
    {
        data = setup_.text;
    }
    else if (data.task == LabTask::text && !data.text)
    {
        data.task = LabTask::copy;
    }
    std::error_code none;
    if (!setup_.machines.empty())
    {
        Issues faults; // said where the file is put aside
        const auto kept = read_own(setup_.machines, "the measured machines", machines_from_json, faults);
        frame_.machines = kept.value_or(std::vector<Machine>());
    }
    frame_.offers_page = setup_.open_page != nullptr;
    frame_.saved = !setup_.checkpoint.empty() && std::filesystem::exists(setup_.checkpoint, none);
    show();
}

Notice LabController::apply(const LabAction& action)
{
    Notice notice = std::visit(
        Overloaded{
            [this](LabCommand a) { return command(a); }, [this](const TurnKnobs& a) { return turn(a); },
            [this](const LookAtStep& a)
            {
                const auto newest = bench_.a.shown.snapshot ? bench_.a.shown.snapshot->step : 0;
                const auto wanted = static_cast<std::int64_t>(std::max(0.0, a.step));
                frame_.look = wanted < newest ? std::optional(wanted) : std::nullopt;
                return Notice();
            },
            [this](const AskDemo& a) { return ask(a); }, [this](const AnswerDemo& a) { return answer(a); },
            [this](const ChooseDevice& a) { return choose(a); },
            [this](const PressSwitch& a) { return press(a); },
            [this](const AddMachines& a)
            {
                return change_machines(
                    [&](std::vector<Machine>& all)
                    {
                        for (Machine machine : a.machines)
                        {
                            machine.own = false;
                            add(all, std::move(machine));
                        }
                    });
            },
            [this](const RemoveMachine& a)
            {
                return change_machines(
                    [&](std::vector<Machine>& all)
                    {
                        if (a.machine < all.size())
                        {
                            all.erase(all.begin() + static_cast<std::ptrdiff_t>(a.machine));
                        }
                    });
            }},
        action);
    tick();
    return notice;
}

Notice LabController::command(LabCommand command)
{
    using trainer::LiveTraining;
    switch (command)
    {
    case LabCommand::run:
        return run();
    case LabCommand::pause:
        bench_.each_run([](LiveTraining& r) { r.pause(); });
        return {};
    case LabCommand::step:
        frame_.look.reset();
        if (!bench_.a.run && !demo_)
        {
            Notice fault = begin(bench_.a, true);
            if (!fault.empty())
            {
                return fault;
            }
        }
        bench_.each_run([](LiveTraining& r) { r.step_once(); });
        return {};
    case LabCommand::mark:
        bench_.each_run([](LiveTraining& r) { r.mark(); });
        return bench_.a.run ? "Marked: R comes back here" : "";
    case LabCommand::rewind:
        frame_.look.reset();
        bench_.each_run([](LiveTraining& r) { r.rewind(std::max<std::int64_t>(0, r.snapshot()->step - 1)); });
        return {};
    case LabCommand::sample:
        bench_.each_run([](LiveTraining& r) { r.sample(); });
        return {};
    case LabCommand::time:
        bench_.each_run([](LiveTraining& r) { r.time_kernels(); });
        return {};
    case LabCommand::machine:
        return measure_machine();
    case LabCommand::second:
        return second();
    case LabCommand::save:
        return save();
    case LabCommand::load:
        return load();
    case LabCommand::page:
        return open_page();
    case LabCommand::clear:
        return clear();
    }
    return {};
}

Notice LabController::begin(LabSlot& slot, bool paused, std::optional<trainer::TrainerState> from)
{
    const auto ready = prepared(slot.shown.config);
    if (!devices_.can_train() || !ready)
    {
        frame_.fault = devices_.can_train() ? lines(ready.issues()) : "there is no device to train on here";
        return {"Not started", {frame_.fault}};
    }
    if (const std::string lacks = devices_.make_ready_for(*ready); !lacks.empty())
    {
        notice_ = "On the CPU: " + lacks;
    }
    slot.run.reset(); // its memory first
    slot.begun = slot.shown.config;
    slot.shown.samples.clear();
    slot.settings.paused = paused;
    slot.settings.sample_every = kSampleEvery;
    slot.run = devices_.start(slot.shown.config, slot.settings, std::move(from));
    slot.turned = false;
    frame_.fault.clear();
    return {};
}

Notice LabController::run()
{
    frame_.look.reset();
    if (demo_ && !demo_->answered())
    {
        return "Say first what you expect: 1, 2 or 3";
    }
    if (!bench_.a.run)
    {
        return begin(bench_.a, false);
    }
    if (bench_.a.shown.snapshot && bench_.a.shown.snapshot->state == RunState::failed)
    {
        return demo_ ? Notice() : begin(bench_.a, false);
    }
    if (!demo_)
    {
        for (LabSlot* slot : bench_.begun())
        {
            if (std::exchange(slot->settings.last_step, 0) != 0)
            {
                slot->run->change(slot->settings);
            }
        }
    }
    bench_.each_run([](trainer::LiveTraining& r) { r.resume(); });
    return {};
}

Notice LabController::second()
{
    if (demo_)
    {
        return "The demonstration has its own runs; Esc leaves it";
    }
    if (bench_.b)
    {
        bench_.b.reset();
        return "Run B is removed";
    }
    if (!bench_.a.run)
    {
        return "Start run A first";
    }
    const auto newest = bench_.a.run->snapshot();
    bench_.b.emplace(LabSlot());
    bench_.b->shown.name = newest->changes.empty() ? "run B" : "undisturbed";
    bench_.b->shown.config = bench_.a.begun;
    // A paused A waits for B to catch up; otherwise both go on.
    bench_.b->settings.last_step = newest->state == RunState::running ? 0 : newest->step;
    return begin(*bench_.b, newest->step == 0);
}

Notice LabController::clear()
{
    frame_.look.reset();
    if (demo_)
    {
        bench_ = demo_->take_own();
        demo_.reset();
        return {};
    }
    bench_.b.reset();
    bench_.a.run.reset();
    bench_.a.shown.snapshot.reset();
    bench_.a.shown.samples.clear();
    return {};
}

Notice LabController::turn(const TurnKnobs& knobs)
{
    if (demo_)
    {
        return "The demonstration sets the hyperparameters; Esc leaves it";
    }
    LabSlot* slot = knobs.run == 0 ? &bench_.a : bench_.b ? &*bench_.b : nullptr;
    if (slot == nullptr)
    {
        return {};
    }
    const auto ready = prepared(knobs.config);
    frame_.fault = ready ? std::string() : lines(ready.issues());
    if (!ready)
    {
        return {"Not changed", {frame_.fault}};
    }
    const auto now = prepared(slot->shown.config);
    const bool takes =
        now && devices_.lacking(*ready).empty() && (same_state(*now, *ready) || same_weights(*now, *ready));
    switches_.end_trial();
    slot->shown.config = knobs.config;
    slot->turned = true;
    if (slot->run && !takes)
    {
        const bool goes_on = slot->run->snapshot()->state == RunState::running;
        const Notice fault = begin(*slot, !goes_on);
        return fault.empty() ? Notice("Started again: a run cannot change that while it trains") : fault;
    }
    if (!knobs.dragging)
    {
        end_drag();
    }
    return {};
}

Notice LabController::choose(const ChooseDevice& choice)
{
    if (!devices_.choose(choice.device))
    {
        return {};
    }
    const std::string software =
        devices_.card() != nullptr && devices_.card()->software
            ? "A software adapter: the CPU imitates a GPU, slower than it trains by itself"
            : "";
    if (demo_ || !bench_.a.run)
    {
        return software;
    }
    bench_.b.reset();
    const bool goes_on = bench_.a.run->snapshot()->state == RunState::running;
    const Notice fault = begin(bench_.a, !goes_on);
    if (!fault.empty())
    {
        return fault;
    }
    return software.empty() ? "Started again on the other device" : software;
}

Notice LabController::press(const PressSwitch& pressed)
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
    const TrainerConfig next = switches_.pressed(which, now);
    const bool back = switches_.is_on(which, now);
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
    Notice notice = turn(TurnKnobs{next});
    if (bench_.a.shown.config == next)
    {
        switches_.note(which, now, next, std::move(trial));
    }
    return notice;
}

Notice LabController::ask(const AskDemo& asked)
{
    if (asked.demo >= lab_demos().size())
    {
        return {};
    }
    if (!setup_.text.text)
    {
        return "The demonstrations need the text that ships; start with --assets DIR";
    }
    bench_.each_run([](trainer::LiveTraining& r) { r.pause(); });
    LabBench own = demo_ ? demo_->take_own() : std::move(bench_);
    frame_.look.reset();
    bench_ = {};
    demo_.emplace(asked.demo, setup_.text, std::move(own));
    bench_.a.shown.config = demo_->first().config;
    bench_.a.shown.name = demo_->first().name;
    return {};
}

Notice LabController::answer(const AnswerDemo& answer)
{
    if (!demo_ || !demo_->answer(answer.answer))
    {
        return {};
    }
    return begin(demo_->next(bench_), false);
}

void LabController::end_drag()
{
    for (LabSlot* slot : bench_.begun())
    {
        if (std::exchange(slot->turned, false))
        {
            slot->run->change(slot->shown.config);
        }
    }
}

void LabController::tick()
{
    take_loaded();
    take_machine();
    take_opened();
    if (demo_ && demo_->go_on(bench_))
    {
        begin(demo_->next(bench_), false);
    }
    show();
}

bool LabController::busy() const
{
    return frame_.running || frame_.measuring || frame_.measuring_machine || loading_.valid() ||
           opening_.valid() || (demo_ && demo_->is_waiting(bench_));
}

Notice LabController::take_notice()
{
    return std::exchange(notice_, {});
}

bool LabController::run_to(std::int64_t step, double patience)
{
    LabSlot& a = bench_.a;
    a.settings.last_step = step;
    if (!a.run)
    {
        begin(a, false);
    }
    else
    {
        a.run->change(a.settings);
        a.run->resume();
    }
    return a.run && wait(patience);
}

bool LabController::wait(double patience)
{
    devices_.wait();
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    do
    {
        tick();
        bench_.each_run([](const trainer::LiveTraining& r) { r.wait_until_idle(0.02); });
    } while (busy() && std::chrono::steady_clock::now() < end);
    tick();
    return !busy();
}

} // namespace ringside
