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

LabController::LabController(Setup setup) : setup_(std::move(setup))
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

std::string LabController::apply(const LabAction& action)
{
    std::string notice = std::visit(
        Overloaded{
            [this](LabCommand a) { return command(a); }, [this](const TurnKnobs& a) { return turn(a); },
            [this](const LookAtStep& a)
            {
                const auto newest = bench_.a.shown.snapshot ? bench_.a.shown.snapshot->step : 0;
                const auto wanted = static_cast<std::int64_t>(std::max(0.0, a.step));
                frame_.look = wanted < newest ? std::optional(wanted) : std::nullopt;
                return std::string();
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

std::string LabController::command(LabCommand command)
{
    using trainer::LiveTraining;
    switch (command)
    {
    case LabCommand::run:
        return run();
    case LabCommand::pause:
        each_run([](LiveTraining& r) { r.pause(); });
        return {};
    case LabCommand::step:
        frame_.look.reset();
        if (!bench_.a.run && !demo_)
        {
            std::string fault = begin(bench_.a, true);
            if (!fault.empty())
            {
                return fault;
            }
        }
        each_run([](LiveTraining& r) { r.step_once(); });
        return {};
    case LabCommand::mark:
        each_run([](LiveTraining& r) { r.mark(); });
        return bench_.a.run ? "Marked: R comes back here" : "";
    case LabCommand::rewind:
        frame_.look.reset();
        each_run([](LiveTraining& r) { r.rewind(std::max<std::int64_t>(0, r.snapshot()->step - 1)); });
        return {};
    case LabCommand::sample:
        each_run([](LiveTraining& r) { r.sample(); });
        return {};
    case LabCommand::time:
        each_run([](LiveTraining& r) { r.time_kernels(); });
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

std::string LabController::begin(Slot& slot, bool paused, std::optional<trainer::TrainerState> from)
{
    const auto ready = prepared(slot.shown.config);
    if (!setup_.open || !ready)
    {
        frame_.fault = setup_.open ? lines(ready.issues()) : "there is no device to train on here";
        return "Not started: " + frame_.fault;
    }
    if (device_)
    {
        device_->stop_early();
    }
    std::erase_if(measured_, [](const auto& card) { return card.second.probe != nullptr; });
    choose_for(*ready);
    slot.run.reset(); // its memory first
    slot.begun = slot.shown.config;
    slot.shown.samples.clear();
    slot.settings.paused = paused;
    slot.settings.sample_every = kSampleEvery;
    if (setup_.far)
    {
        slot.run = std::make_unique<trainer::RemoteRun>(slot.shown.config, setup_.far, slot.settings, from);
    }
    else
    {
        const auto open = [open = setup_.open]() -> std::unique_ptr<trainer::Backend>
        {
            auto device = open();
            return device ? std::move(device->backend) : nullptr;
        };
        slot.run =
            std::make_unique<trainer::TrainingRun>(slot.shown.config, open, slot.settings, std::move(from));
    }
    slot.turned = false;
    frame_.fault.clear();
    return {};
}

std::string LabController::run()
{
    frame_.look.reset();
    if (demo_ && !demo_->shown.answer)
    {
        return "Say first what you expect: 1, 2 or 3";
    }
    if (!bench_.a.run)
    {
        return begin(bench_.a, false);
    }
    if (bench_.a.shown.snapshot && bench_.a.shown.snapshot->state == RunState::failed)
    {
        return demo_ ? "" : begin(bench_.a, false);
    }
    if (!demo_)
    {
        for (Slot* slot : bench_.begun())
        {
            if (std::exchange(slot->settings.last_step, 0) != 0)
            {
                slot->run->change(slot->settings);
            }
        }
    }
    each_run([](trainer::LiveTraining& r) { r.resume(); });
    return {};
}

std::string LabController::second()
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
    bench_.b.emplace(Slot());
    bench_.b->shown.name = newest->changes.empty() ? "run B" : "undisturbed";
    bench_.b->shown.config = bench_.a.begun;
    // A paused A waits for B to catch up; otherwise both go on.
    bench_.b->settings.last_step = newest->state == RunState::running ? 0 : newest->step;
    return begin(*bench_.b, newest->step == 0);
}

std::string LabController::save()
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
            file->notice = issues.empty()
                               ? fmt::format("Saved step {} to {}", checkpoint.state.step, path.string())
                               : "Not saved: " + lines(issues);
        });
    return {};
}

std::string LabController::load()
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
        notice_ = "Not loaded: " + lines(loaded.issues());
        return;
    }
    bench_.b.reset();
    bench_.a.shown.config = loaded->config;
    const std::int64_t step = loaded->state.step;
    const std::string fault = begin(bench_.a, true, std::move(loaded->state));
    notice_ = fault.empty() ? fmt::format("Loaded step {}; Space resumes", step) : fault;
}

std::string LabController::open_page()
{
    if (!setup_.open_page || opening_.valid())
    {
        return {};
    }
    opening_ = std::async(setup_.threads ? std::launch::async : std::launch::deferred, setup_.open_page);
    return "Opening the page in your browser";
}

std::string LabController::clear()
{
    frame_.look.reset();
    if (demo_)
    {
        demo_.reset();
        bench_ = std::move(*std::exchange(aside_, std::nullopt));
        return {};
    }
    bench_.b.reset();
    bench_.a.run.reset();
    bench_.a.shown.snapshot.reset();
    bench_.a.shown.samples.clear();
    return {};
}

std::string LabController::turn(const TurnKnobs& knobs)
{
    if (demo_)
    {
        return "The demonstration sets the hyperparameters; Esc leaves it";
    }
    Slot* slot = knobs.run == 0 ? &bench_.a : bench_.b ? &*bench_.b : nullptr;
    if (slot == nullptr)
    {
        return {};
    }
    const auto ready = prepared(knobs.config);
    frame_.fault = ready ? std::string() : lines(ready.issues());
    if (!ready)
    {
        return "Not changed: " + frame_.fault;
    }
    const auto now = prepared(slot->shown.config);
    const bool computed = !card() || trainer::lacking(*ready, card()->abilities, card()->shown.name).empty();
    const bool takes = now && computed && (same_state(*now, *ready) || same_weights(*now, *ready));
    trial_.reset();
    slot->shown.config = knobs.config;
    slot->turned = true;
    if (slot->run && !takes)
    {
        const bool goes_on = slot->run->snapshot()->state == RunState::running;
        const std::string fault = begin(*slot, !goes_on);
        return fault.empty() ? "Started again: a run cannot change that while it trains" : fault;
    }
    if (!knobs.dragging)
    {
        end_drag();
    }
    return {};
}

// What a card cannot compute is computed here.
void LabController::choose_for(const TrainerConfig& config)
{
    on_cpu_ = false;
    if (card())
    {
        const Issues lacks = trainer::lacking(config, card()->abilities, card()->shown.name);
        on_cpu_ = !lacks.empty();
        notice_ = on_cpu_ ? "On the CPU: " + lacks.front().message : notice_;
    }
    tell_choice();
}

void LabController::tell_choice() const
{
    if (setup_.choose)
    {
        setup_.choose(card() ? chosen_ : 0, card() && rates() && rates()->subgroups);
    }
}

std::string LabController::choose(const ChooseDevice& choice)
{
    if (choice.device == chosen_ || choice.device > cards_.size())
    {
        return {};
    }
    chosen_ = choice.device;
    on_cpu_ = false;
    const std::string software =
        card() && card()->software
            ? "A software adapter: the CPU imitates a GPU, slower than it trains by itself"
            : "";
    if (demo_ || !bench_.a.run)
    {
        return software;
    }
    bench_.b.reset();
    const bool goes_on = bench_.a.run->snapshot()->state == RunState::running;
    const std::string fault = begin(bench_.a, !goes_on);
    return !fault.empty() ? fault : software.empty() ? "Started again on the other device" : software;
}

void LabController::end_drag()
{
    for (Slot* slot : bench_.begun())
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
    if (opening_.valid() && opening_.wait_for(std::chrono::seconds(0)) != std::future_status::timeout)
    {
        if (const auto thrown = caught([this] { notice_ = opening_.get(); }))
        {
            notice_ = "Not opened: " + fault_line(thrown);
        }
    }
    go_on_with_demo();
    show();
}

bool LabController::busy() const
{
    const bool next =
        demo_ && demo_->shown.answer && !demo_->shown.finding && demo_run_over(demo_->begun - 1);
    return frame_.running || frame_.measuring || frame_.measuring_machine || loading_.valid() ||
           opening_.valid() || next;
}

std::string LabController::take_notice()
{
    return std::exchange(notice_, {});
}

bool LabController::run_to(std::int64_t step, double patience)
{
    Slot& a = bench_.a;
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
    if (device_)
    {
        device_->wait();
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(patience);
    do
    {
        tick();
        each_run([](const trainer::LiveTraining& r) { r.wait_until_idle(0.02); });
    } while (busy() && std::chrono::steady_clock::now() < end);
    tick();
    return !busy();
}

} // namespace ringside
