#include "app/session/controllers/lesson_controller.h"

#include <fmt/format.h>

#include "core/base/ranges.h"
#include "ui/shell/view.h"

#include <algorithm>

namespace ringside
{

LessonController::LessonController(const Presets& presets, Course course, std::set<std::string> done)
    : presets_(presets), course_(std::move(course)), done_(std::move(done))
{
}

Issues LessonController::start(const StartLesson& which)
{
    const std::string& id = which.id;
    const Lesson* lesson = course_.lesson(id);
    if (lesson == nullptr)
    {
        auto known = list_of<std::string>(course_.lessons, &Lesson::id);
        const std::string near = nearest_word(id, known);
        return {{"", fmt::format("there is no lesson \u201c{}\u201d", id),
                 near.empty() ? "the list of lessons names them" : "did you mean " + near + "?"}};
    }
    const auto steps = static_cast<std::int64_t>(lesson->steps.size());
    if (which.step < 1 || which.step > steps)
    {
        return {{"", fmt::format("lesson {} has no step {}", id, which.step), range_hint(1, steps)}};
    }
    auto plan = plan_lesson(*lesson, presets_, view_places());
    if (!plan)
    {
        return plan.issues();
    }
    running_.emplace(std::move(*plan));
    place(lesson->id, find_track(course_.tracks, which.track));
    enter_step();
    refresh();
    for (std::int64_t i = 1; i < which.step; ++i)
    {
        input({LessonMove::skip, 0});
        input({LessonMove::next, 0});
    }
    return {};
}

void LessonController::place(const std::string& id, const CourseTrack* track)
{
    auto order = list_of<std::string>(course_.lessons, &Lesson::id);
    if (track != nullptr && std::ranges::count(track->lessons(), id) > 0)
    {
        order = track->lessons();
        running_->frame.track = track;
    }
    LessonFrame& frame = running_->frame;
    frame.place = static_cast<std::size_t>(std::ranges::find(order, id) - order.begin());
    frame.count = order.size();
    frame.next = frame.place + 1 < order.size() ? order[frame.place + 1] : std::string();
}

bool LessonController::is_met() const
{
    const Running& r = *running_;
    return !r.live.values.empty() && task_met(r.plan, r.state.step, r.live.values);
}

// What the step shows as things stand: the truth, the user's own attempt, or the solution they asked for.
void LessonController::set(bool with_playback)
{
    Running& r = *running_;
    const LessonStep& step = r.plan.lesson.steps[r.state.step];
    const StepPlan& planned = r.plan.steps[r.state.step];
    const StepRecord& record = r.state.record();
    LessonSetting setting{record.locked_in ? planned.after.scenario : planned.shown.scenario, planned.view,
                          with_playback ? step.playback : LessonPlayback{}};
    if (step.task)
    {
        const auto kept = r.kept.find(r.state.step);
        const auto solved = with_sets(planned.shown.scenario, step.task->solution.get(), presets_, "");
        setting.scenario = record.skipped && solved ? *solved
                           : kept != r.kept.end()   ? kept->second
                                                    : planned.shown.scenario;
    }
    r.setting = std::move(setting);
}

void LessonController::enter_step()
{
    Running& r = *running_;
    const LessonStep& step = r.plan.lesson.steps[r.state.step];
    r.frame.locked = step.locked;
    r.frame.hidden = step.hidden;
    r.live = r.plan.steps[r.state.step].shown;
    set(true);
}

void LessonController::input(const LessonInput& input)
{
    Running& r = *running_;
    const LessonState before = r.state;
    r.state = apply(r.plan.lesson, std::move(r.state), input, is_met());
    const bool moved = before.step != r.state.step;
    const StepRecord& record = r.state.record();
    const bool again = input.move == LessonMove::retry && r.plan.lesson.steps[r.state.step].task;
    if (again)
    {
        r.kept.erase(r.state.step);
        r.live = r.plan.steps[r.state.step].shown;
    }
    if (moved)
    {
        enter_step();
    }
    else if (again || record.locked_in != before.record().locked_in ||
             record.skipped != before.record().skipped)
    {
        set(record.locked_in);
    }
    if (r.state.finished)
    {
        done_.insert(r.plan.lesson.id);
    }
    refresh();
}

void LessonController::turn(LessonSwitch which)
{
    LessonFrame& f = running_->frame;
    if (which == LessonSwitch::freeze)
    {
        f.frozen = !f.frozen;
    }
    else if (f.hidden)
    {
        f.hidden = f.locked = false;
    }
    else
    {
        f.hidden = f.locked;
        f.locked = true;
    }
}

void LessonController::look(const Scenario& scenario, const Report& report)
{
    Running& r = *running_;
    if (!r.plan.lesson.steps[r.state.step].task || r.setting || r.live.scenario == scenario)
    {
        return;
    }
    r.live = {scenario, LessonValues(scenario, report)};
    r.kept.insert_or_assign(r.state.step, scenario);
    r.state = apply(r.plan.lesson, std::move(r.state), {LessonMove::look, 0}, is_met());
    refresh();
}

void LessonController::tell(ByteUnit unit)
{
    if (unit != unit_)
    {
        unit_ = unit;
        refresh();
    }
}

void LessonController::refresh()
{
    if (!running_)
    {
        return;
    }
    Running& r = *running_;
    r.words = words_of(r.plan, r.state.step, r.state.record().guess, r.live, unit_);
}

std::optional<LessonSetting> LessonController::take_setting()
{
    if (!running_ || running_->frame.frozen)
    {
        return std::nullopt;
    }
    return std::exchange(running_->setting, std::nullopt);
}

std::string LessonController::refuses(const Action& action, const Scenario& now) const
{
    if (!running_)
    {
        return {};
    }
    const Running& r = *running_;
    const bool pending = is_pending(r.plan.lesson, r.state);
    const auto* command = std::get_if<Command>(&action);
    const auto* change = std::get_if<ChangeScenario>(&action);
    const bool another = std::holds_alternative<LoadScenario>(action) ||
                         (command != nullptr && (*command == Command::paste || *command == Command::reset ||
                                                 *command == Command::swap));
    const bool changes = another || change != nullptr ||
                         (command != nullptr && (*command == Command::undo || *command == Command::redo));
    const bool opens = std::holds_alternative<OpenView>(action);
    const bool moves = std::holds_alternative<Play>(action) || std::holds_alternative<Seek>(action);
    if (r.frame.frozen && (changes || opens || moves))
    {
        return "The picture is frozen; F resumes it";
    }
    if (pending && (changes || opens))
    {
        return "Predict first: what you change and where you look comes after";
    }
    if (another)
    {
        return "A lesson brings its own scenarios; Esc leaves it";
    }
    if (changes && r.frame.locked)
    {
        return "The controls are locked; L unlocks them";
    }
    const LessonStep& step = r.plan.lesson.steps[r.state.step];
    if (change != nullptr && change->scenario != now &&
        (r.state.finished || !may_change(now, change->scenario, step.free, presets_)))
    {
        return "This step keeps that as it is";
    }
    return {};
}

} // namespace ringside
