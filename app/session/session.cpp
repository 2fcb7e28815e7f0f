#include "app/session/session.h"

#include <fmt/format.h>

#include "app/files/streams.h"
#include "core/base/overloaded.h"
#include "core/planner/search/layout_work.h"
#include "core/scenario/fit.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"

#include <algorithm>

namespace ringside
{

Scenario default_scenario(const Presets& presets)
{
    if (const ScenarioPreset* preset = presets.scenario("default"))
    {
        return preset->scenario;
    }
    Scenario plain;
    plain.model = resolved(plain.model);
    return plain;
}

Session::Session(const Presets& presets, Scenario scenario) : presets_(presets)
{
    scene_.view = views().front()->id;
    start_with(std::move(scenario));
}

void Session::start_with(Scenario scenario)
{
    scene_.show(std::move(scenario));
}

void Session::say(Notice notice)
{
    constexpr std::size_t kShown = 20;
    const std::size_t left = notice.faults.size() - std::min(notice.faults.size(), kShown);
    notice.faults.resize(notice.faults.size() - left);
    for (std::string& fault : notice.faults)
    {
        fault = printable(in_short(fault));
    }
    if (left > 0)
    {
        notice.faults.push_back(fmt::format("and {} more", left));
    }
    notice_ = std::move(notice);
}

void Session::change(Scenario next, bool dragging)
{
    leave_example();
    if (next != scene_.scenario)
    {
        if (!aside_ && scene_.undo.size() < imported_at_)
        {
            imported_.reset(); // it was taken back, and cannot come again
        }
        scene_.change(std::move(next), dragging && dragging_);
        dragging_ = dragging;
    }
}

// What a repair took away comes back as soon as it is legal again: the repair of 100 GPUs ends with 256.
ChangeScenario Session::moved_to(ChangeScenario change)
{
    const auto same_work = [](const Scenario& a, const Scenario& b)
    { return a.parallel == b.parallel && a.training == b.training; };
    const Scenario asked = change.scenario;
    const bool still = repaired_ && repaired_->made == scene_.scenario && same_work(asked, scene_.scenario);
    if (still)
    {
        change.scenario.parallel = repaired_->wanted.parallel;
        change.scenario.training = repaired_->wanted.training;
    }
    const Scenario wanted = change.scenario;
    ChangeScenario next = fitted(std::move(change));
    if (still && next.scenario == wanted)
    {
        next.notice = "Back to what it was: " + changes_between(asked, wanted);
    }
    repaired_.reset();
    if (next.scenario != wanted)
    {
        repaired_ = Repair{wanted, next.scenario};
    }
    return next;
}

void Session::step_to(std::vector<Scenario>& from, std::vector<Scenario>& to)
{
    if (!from.empty())
    {
        leave_example();
        to.push_back(scene_.scenario);
        scene_.show(from.back());
        from.pop_back();
    }
}

void Session::run(Command command)
{
    switch (command)
    {
    case Command::undo:
        step_to(scene_.undo, scene_.redo);
        break;
    case Command::redo:
        step_to(scene_.redo, scene_.undo);
        break;
    case Command::reset:
        imported_.reset();
        change(default_scenario(presets_), false);
        break;
    case Command::copy:
        to_clipboard(to_json(scene_.scenario, presets_).dump());
        notice_ = "Copied as text";
        break;
    case Command::copy_link:
        to_clipboard(link_text());
        notice_ = "Copied a link to this";
        break;
    case Command::paste:
        take_text(from_clipboard(), "");
        break;
    case Command::compare:
        scene_.compare();
        notice_ = scene_.before ? "A is kept; what you change now is B" : "";
        break;
    case Command::swap:
        if (scene_.before)
        {
            const Scenario a = scene_.before->scenario;
            scene_.before = scene_.now;
            change(a, false);
        }
        break;
    case Command::save_picture:
    case Command::save_svg:
    case Command::save_animation:
        save_asked_ = command;
        break;
    case Command::full_screen:
        full_screen_ = !full_screen_;
        break;
    case Command::next_accuracy:
        next_accuracy();
        break;
    case Command::example:
        turn_example();
        break;
    case Command::quit:
        quit_ = true;
        break;
    }
}

void Session::set_study(std::unique_ptr<StudyController> controller)
{
    study_ = std::move(controller);
    if (!study_->message().empty())
    {
        fail("Study", {{"", study_->message(), ""}});
    }
}

void Session::study(const StudyAction& action)
{
    const auto* import = std::get_if<ImportStudy>(&action);
    const bool pasted = import != nullptr && import->text.empty();
    const StudyController::Answer answer =
        pasted ? study_->apply(ImportStudy{from_clipboard()}) : study_->apply(action);
    say(answer.file.empty() ? answer.notice : to_file({answer.file, answer.text}));
    if (find_view(answer.view) != nullptr)
    {
        back_to_question();
        open(answer.view);
    }
}

void Session::work_in_lab(const LabAction& action)
{
    Notice notice = lab_->apply(action);
    if (!notice.empty())
    {
        say(std::move(notice));
    }
}

void Session::work_with_team(const TeamAction& action)
{
    Notice notice = team_->apply(action);
    if (!notice.empty())
    {
        say(std::move(notice));
    }
}

void Session::apply(const Action& action)
{
    const std::string refused = lessons_ ? lessons_->refuses(action, scene_.scenario) : std::string();
    if (!refused.empty())
    {
        notice_ = refused;
        return;
    }
    perform(action);
    if (lessons_)
    {
        lessons_->tell(preferences_.unit);
        follow_lesson();
    }
}

void Session::load(std::string_view id)
{
    if (const ScenarioPreset* preset = presets_.scenario(id))
    {
        imported_.reset();
        change(preset->scenario, false);
        notice_ = preset->name;
    }
}

void Session::play(bool on)
{
    if (role() == ViewRole::lab)
    {
        work_in_lab(on ? LabCommand::run : LabCommand::pause);
        return;
    }
    view_clock().play(on);
}

void Session::seek(double t)
{
    if (role() == ViewRole::lab)
    {
        work_in_lab(LookAtStep{t});
        return;
    }
    view_clock().seek(t);
}

void Session::take(const ChangeScenario& wanted)
{
    const bool moved =
        wanted.scenario.model != scene_.scenario.model || wanted.scenario.cluster != scene_.scenario.cluster;
    ChangeScenario next = moved ? moved_to(wanted) : wanted;
    change(std::move(next.scenario), next.dragging);
    say(std::move(next.notice));
}

// The view that a question was shown beside leads back to the question.
void Session::open_place(const std::string& id)
{
    if (asked_ && (id == aside_->view || id == id_of(ViewRole::study)))
    {
        back_to_question();
    }
    open(id);
}

void Session::perform(const Action& action)
{
    if (!std::holds_alternative<ChangeScenario>(action))
    {
        dragging_ = false;
    }
    const bool quiet = std::holds_alternative<Seek>(action) || std::holds_alternative<Play>(action);
    if (!quiet)
    {
        notice_ = Notice();
    }
    std::visit(
        Overloaded{
            [this](const ChangeScenario& a) { take(a); },
            [this](const LoadScenario& a) { load(a.id); },
            [this](const OpenView& a) { open_place(a.id); },
            [this](const Play& a) { play(a.playing); },
            [this](const Seek& a) { seek(a.t); },
            [this](const SetSpeed& a) { view_clock().playback.speed = std::clamp(a.speed, 0.25F, 4.0F); },
            [this](const ChangePreferences& a) { preferences_ = a.preferences; },
            [this](const SaveText& a) { say(to_file(a)); },
            [this](const CopyText& a)
            {
                to_clipboard(a.text);
                say(a.notice);
            },
            [this](const StartLesson& a) { start_lesson(a); },
            [this](const Boxed<LessonInput>& a)
            {
                if (in_lesson())
                {
                    lessons_->input(*a);
                }
            },
            [this](LessonSwitch a)
            {
                if (in_lesson())
                {
                    lessons_->turn(a);
                }
            },
            [this](const LeaveLesson&) { leave_lesson(); },
            [this](const ShowQuestion&) { show_question(); },
            [this](const BackToQuestion&) { back_to_question(); },
            [this](const Command& a) { run(a); },
            [this](RunCommand a) { work_with_run(a); },
            [this](const Boxed<StudyAction>& a) { study(*a); },
            [this](const Boxed<LabAction>& a) { work_in_lab(*a); },
            [this](const Boxed<TeamAction>& a) { work_with_team(*a); },
            [this](const TurnTool& a) { turn(a.tool); },
            [this](const StageStep& a) { step_stage(a.by); },
            [this](const Boxed<FitMeasured>& a) { fit_measured(*a); },
            [this](const StartScript& a) { start_script(a.which); },
        },
        action);
}

void Session::advance(double seconds, const Motion& motion)
{
    works_->next_frame();
    while (const auto answer = works_->take_finished<LayoutWork>())
    {
        keep_search(*answer);
    }
    read_on();
    study_->tick();
    lab_->tick();
    team_->tick();
    if (Notice notice = lab_->take_notice(); !notice.empty())
    {
        say(std::move(notice));
    }
    if (role() == ViewRole::lab)
    {
        lab_->wake();
    }
    if (lessons_ && lessons_->frozen())
    {
        return;
    }
    ViewClock& shown = frozen_ ? frozen_->clocks[scene_.view] : view_clock();
    shown.follow(motion);
    if (start_at_)
    {
        shown.playback.t = *std::exchange(start_at_, std::nullopt);
    }
    if (frozen_)
    {
        shown.playback.t = std::min(shown.playback.t, motion.duration);
        return;
    }
    shown.advance(seconds, motion);
}

bool Session::playing() const
{
    if (role() == ViewRole::lab)
    {
        return lab_->busy();
    }
    if (role() == ViewRole::ranks)
    {
        return team_->busy() && !watching();
    }
    const auto found = scene_.clocks.find(scene_.view);
    return found != scene_.clocks.end() && found->second.playback.playing && !frozen_ &&
           !(lessons_ && lessons_->frozen());
}

bool Session::watching() const
{
    return role() == ViewRole::ranks && !team_->frame().watched.empty() && team_->busy();
}

bool Session::mock_runs() const
{
    const auto* mock = std::get_if<MockSession>(study_->frame().session);
    return mock != nullptr && mock->stage == MockStage::running;
}

bool Session::ticking() const
{
    const bool studying = role() == ViewRole::drill || role() == ViewRole::mock || role() == ViewRole::spoken;
    return lab_->busy() || team_->busy() || (studying && is_ticking(*study_->frame().session));
}

const ImportFrame* Session::import_on_show() const
{
    return aside_ || scene_.undo.size() < imported_at_ ? nullptr : imported_.get();
}

Frame Session::frame(double clock) const
{
    const auto& clocks = frozen_ ? frozen_->clocks : scene_.clocks;
    const auto found = clocks.find(scene_.view);
    const LabFrame& lab = lab_->frame();
    Playback playback = found == clocks.end() ? Playback{} : found->second.playback;
    if (role() == ViewRole::lab)
    {
        const std::int64_t newest = lab.a.snapshot ? lab.a.snapshot->step : 0;
        playback = {static_cast<double>(lab.look.value_or(newest)), lab.running, 1};
    }
    return {.scenario = scene_.scenario,
            .issues = example_ ? example_->issues : scene_.issues,
            .now = on_show(),
            .before = scene_.before ? &*scene_.before : nullptr,
            .presets = presets_,
            .preferences = preferences_,
            .view = scene_.view,
            .notice = notice_,
            .playback = playback,
            .can_undo = !scene_.undo.empty(),
            .can_redo = !scene_.redo.empty(),
            .in_browser = in_browser,
            .clock = clock,
            .works = works_.get(),
            .searches = &searches_,
            .course = lessons_ ? &lessons_->course() : nullptr,
            .lesson = lessons_ ? lessons_->frame() : nullptr,
            .study = &study_->frame(),
            .lab = &lab,
            .team = &team_->frame(),
            .stage = &stage_,
            .measured = measured_ ? &*measured_ : nullptr,
            .run = run_ ? &*run_ : nullptr,
            .opening = opening_ ? &opening_->shown() : nullptr,
            .imported = import_on_show(),
            .accuracy = accuracy_ ? &*accuracy_ : nullptr,
            .saving = saving_ ? &*saving_ : nullptr,
            .back = asked_ ? std::string_view(aside_->view) : std::string_view(),
            .example = offered_ != nullptr ? offered_->name : std::string_view(),
            .shows_example = example_.has_value()};
}

} // namespace ringside
