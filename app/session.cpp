#include "app/session.h"

#include <fmt/format.h>

#include "core/base/overloaded.h"
#include "core/engine/weights.h"
#include "core/scenario/hugging_face.h"
#include "core/scenario/json.h"
#include "core/scenario/validate.h"
#include "ui/shell/panel.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMostUndo = 500;

// The scenario with the model of a config.json of the Hugging Face hub, the layout made to suit it.
Result<ChangeScenario> with_config(const nlohmann::json& config, const Scenario& scenario,
                                   const Presets& presets)
{
    const auto read = hugging_face_model(config);
    if (!read)
    {
        return read.issues();
    }
    const ModelPreset* preset = preset_of_shape(read->model, presets);
    const Model& model = preset != nullptr ? preset->model : read->model;
    ChangeScenario next = with_model(scenario, model);
    std::string said = fmt::format("Read from config.json: {}, {} parameters", model.name,
                                   format_count(static_cast<double>(count_parameters(model).total)));
    said += next.notice.empty() ? "" : ". " + next.notice;
    for (const Issue& note : read->notes)
    {
        said += ". " + to_line(note);
    }
    next.notice = std::move(said);
    return next;
}

} // namespace

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

Session::Session(const Presets& presets, Scenario scenario) : presets_(presets), view_(views().front()->id)
{
    start_with(std::move(scenario));
}

void Session::start_with(Scenario scenario)
{
    scenario_ = std::move(scenario);
    evaluate_now();
}

void Session::evaluate_now()
{
    issues_ = validate(scenario_);
    auto report = has_errors(issues_) ? Result<Report>(issues_) : evaluate(scenario_);
    if (!report)
    {
        issues_ = report.issues();
        return;
    }
    now_.scenario = scenario_;
    now_.report = std::move(*report);
    now_.levers = levers(now_.scenario, now_.report);
    for (std::size_t stage = 0; stage < now_.zero.size(); ++stage)
    {
        Scenario other = now_.scenario;
        other.parallel.zero = static_cast<std::int64_t>(stage);
        now_.zero[stage] = memory_report(other);
    }
}

void Session::change(Scenario next, bool dragging)
{
    if (next == scenario_)
    {
        return;
    }
    if (!dragging || !dragging_)
    {
        undo_.push_back(scenario_);
        if (undo_.size() > kMostUndo)
        {
            undo_.erase(undo_.begin());
        }
    }
    dragging_ = dragging;
    redo_.clear();
    scenario_ = std::move(next);
    evaluate_now();
}

void Session::paste()
{
    const std::string text = from_clipboard();
    const auto document = parse_json(text);
    if (document && is_hugging_face(*document))
    {
        const auto next = with_config(*document, scenario_, presets_);
        notice_ = next ? next->notice : "Not pasted: " + to_line(next.issues().front());
        change(next ? next->scenario : scenario_, false);
        return;
    }
    auto read = document ? scenario_from_json(*document, presets_) : Result<Scenario>(document.issues());
    if (!read)
    {
        notice_ = "Not pasted: " + to_line(read.issues().front());
        return;
    }
    change(std::move(*read), false);
    notice_ = "Pasted";
}

void Session::run(Command command)
{
    const auto step = [this](std::vector<Scenario>& from, std::vector<Scenario>& to)
    {
        if (!from.empty())
        {
            to.push_back(scenario_);
            scenario_ = from.back();
            from.pop_back();
            evaluate_now();
        }
    };
    switch (command)
    {
    case Command::undo:
        step(undo_, redo_);
        break;
    case Command::redo:
        step(redo_, undo_);
        break;
    case Command::reset:
        change(default_scenario(presets_), false);
        break;
    case Command::copy:
        to_clipboard(to_json(scenario_, presets_).dump());
        notice_ = "Copied as text";
        break;
    case Command::paste:
        paste();
        break;
    case Command::compare:
        before_ = before_ ? std::nullopt : std::optional(now_);
        notice_ = before_ ? "A is kept; what you change now is B" : "";
        break;
    case Command::swap:
        if (before_)
        {
            const Scenario a = before_->scenario;
            before_ = now_;
            change(a, false);
        }
        break;
    case Command::save_picture:
    case Command::save_svg:
    case Command::save_animation:
        save_asked_ = command;
        break;
    case Command::quit:
        quit_ = true;
        break;
    }
}

void Session::set_study(std::unique_ptr<StudyDesk> desk)
{
    study_ = std::move(desk);
    if (!study_->message().empty())
    {
        notice_ = study_->message();
    }
}

void Session::study(const StudyAction& action)
{
    const auto* import = std::get_if<ImportStudy>(&action);
    const bool pasted = import != nullptr && import->text.empty();
    const StudyDesk::Answer answer =
        pasted ? study_->apply(ImportStudy{from_clipboard()}) : study_->apply(action);
    notice_ = answer.file.empty() ? answer.notice : to_file({answer.file, answer.text});
    if (find_view(answer.view) != nullptr)
    {
        back_to_question();
        view_ = answer.view;
    }
}

void Session::work_in_lab(const LabAction& action)
{
    std::string notice = lab_->apply(action);
    if (!notice.empty())
    {
        notice_ = std::move(notice);
    }
}

void Session::work_with_team(const TeamAction& action)
{
    std::string notice = team_->apply(action);
    if (!notice.empty())
    {
        notice_ = std::move(notice);
    }
}

void Session::put_aside()
{
    if (!aside_)
    {
        aside_ = Aside{scenario_,        now_.scenario,      view_,  std::move(undo_),
                       std::move(redo_), std::move(before_), clocks_};
    }
    undo_.clear();
    redo_.clear();
    before_.reset();
}

void Session::take_back()
{
    Aside own = *std::exchange(aside_, std::nullopt);
    asked_ = false;
    view_ = std::move(own.view);
    before_ = std::move(own.before);
    clocks_ = std::move(own.clocks);
    start_with(std::move(own.good)); // so that a faulty one has a report below it
    if (scenario_ != own.scenario)
    {
        start_with(std::move(own.scenario));
    }
    undo_ = std::move(own.undo);
    redo_ = std::move(own.redo);
}

void Session::show_question()
{
    const Question* question = study_->frame().question;
    if (aside_ || question == nullptr || find_view(question->view) == nullptr)
    {
        notice_ = aside_ ? "Leave what is on show first" : "This question has no view of its own";
        return;
    }
    const std::string view = question->view;
    const auto shown = question->scenario;
    study_->apply(StudyStep{DrillInput{DrillKey::look}});
    put_aside();
    asked_ = true;
    view_ = view;
    if (shown)
    {
        start_with(shown->scenario);
    }
}

void Session::back_to_question()
{
    if (asked_)
    {
        take_back();
    }
}

void Session::apply(const Action& action)
{
    const std::string refused = lessons_ ? lessons_->refuses(action, scenario_) : std::string();
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

void Session::perform(const Action& action)
{
    if (!std::holds_alternative<ChangeScenario>(action))
    {
        dragging_ = false;
    }
    const bool quiet = std::holds_alternative<Seek>(action) || std::holds_alternative<Play>(action) ||
                       std::holds_alternative<SearchLayouts>(action);
    if (!quiet)
    {
        notice_.clear();
    }
    std::visit(
        Overloaded{
            [this](const ChangeScenario& a)
            {
                change(a.scenario, a.dragging);
                notice_ = a.notice;
            },
            [this](const LoadScenario& a)
            {
                if (const ScenarioPreset* preset = presets_.scenario(a.id))
                {
                    change(preset->scenario, false);
                    notice_ = preset->name;
                }
            },
            [this](const OpenView& a)
            {
                if (asked_ && (a.id == aside_->view || a.id == "study"))
                {
                    back_to_question();
                }
                view_ = find_view(a.id) != nullptr ? a.id : view_;
            },
            [this](const Play& a)
            {
                if (in_lab())
                {
                    work_in_lab(a.playing ? LabCommand::run : LabCommand::pause);
                    return;
                }
                playback().playing = a.playing;
                clocks_[view_].rounds = 0;
            },
            [this](const Seek& a)
            {
                if (in_lab())
                {
                    work_in_lab(LookAtStep{a.t});
                    return;
                }
                playback().t = std::max(0.0, a.t);
            },
            [this](const SetSpeed& a) { playback().speed = std::clamp(a.speed, 0.25F, 4.0F); },
            [this](const ChangePreferences& a) { preferences_ = a.preferences; },
            [this](const SaveText& a) { notice_ = to_file(a); },
            [this](const CopyText& a)
            {
                to_clipboard(a.text);
                notice_ = a.notice;
            },
            [this](const SearchLayouts& a)
            {
                searcher_->want(now_.scenario, a.limits);
                layouts_ = searcher_->look();
            },
            [this](const StartLesson& a) { start_lesson(a); },
            [this](const LessonInput& a)
            {
                if (aside_ && !asked_)
                {
                    lessons_->input(a);
                }
            },
            [this](LessonSwitch a)
            {
                if (aside_ && !asked_)
                {
                    lessons_->turn(a);
                }
            },
            [this](const LeaveLesson&) { leave_lesson(); },
            [this](const ShowQuestion&) { show_question(); },
            [this](const BackToQuestion&) { back_to_question(); },
            [this](const Command& a) { run(a); },
            [this](const StudyAction& a) { study(a); },
            [this](const LabAction& a) { work_in_lab(a); },
            [this](const TeamAction& a) { work_with_team(a); },
            [this](const TurnTool& a) { turn(a.tool); },
            [this](const StageStep& a) { step_stage(a.by); },
        },
        action);
}

void Session::set_course(Course course, std::set<std::string> done)
{
    leave_lesson();
    lessons_ = std::make_unique<LessonDesk>(presets_, std::move(course), std::move(done));
}

void Session::start_lesson(const StartLesson& which)
{
    const Issues issues =
        lessons_ ? lessons_->start(which.id, which.track) : Issues{{"", "There are no lessons here", ""}};
    if (!issues.empty())
    {
        notice_ = to_line(issues.front());
        return;
    }
    back_to_question();
    put_aside();
}

void Session::leave_lesson()
{
    if (!aside_ || asked_)
    {
        return;
    }
    lessons_->leave();
    start_at_.reset();
    take_back();
}

void Session::follow_lesson()
{
    if (auto setting = lessons_->take_setting())
    {
        undo_.clear();
        redo_.clear();
        view_ = setting->view;
        start_with(std::move(setting->scenario));
        start_playback(setting->playback);
    }
    else if (aside_ && !asked_)
    {
        lessons_->look(now_.scenario, now_.report);
    }
}

void Session::start_playback(const LessonPlayback& playback)
{
    Clock& clock = clocks_[view_];
    clock.rounds = 0;
    clock.rest = -1;
    clock.playback = {0, playback.play && !preferences_.reduced_motion, static_cast<float>(playback.speed)};
    start_at_ = playback.time;
}

void Session::set_script(DemoScript script)
{
    script_ = std::move(script);
    stage_.script = &*script_;
    show_scene(0);
}

void Session::show_scene(std::size_t index)
{
    stage_.scene = index;
    const DemoScene& scene = script_->scenes[index];
    if (stage_.has(StageTool::freeze))
    {
        turn(StageTool::freeze);
    }
    change(scene.scenario, false);
    view_ = scene.view;
    start_playback(scene.playback);
    stage_.on[static_cast<std::size_t>(StageTool::numbers)] = scene.hide_numbers;
    stage_.on[static_cast<std::size_t>(StageTool::guesses)] = !scene.ask.empty();
}

void Session::turn(StageTool tool)
{
    bool& on = stage_.on[static_cast<std::size_t>(tool)];
    on = !on;
    if (tool == StageTool::freeze)
    {
        frozen_ = on ? std::optional(now_) : std::nullopt;
        notice_ = on ? "The picture is frozen; what you change shows when it goes on (Ctrl F)" : "";
    }
}

void Session::step_stage(int by)
{
    if (!script_ || aside_)
    {
        notice_ = script_ ? "Leave what is on show first" : "There are no scenes: ringside --script FILE";
        return;
    }
    const auto last = static_cast<std::ptrdiff_t>(script_->scenes.size()) - 1;
    const auto to = static_cast<std::ptrdiff_t>(stage_.scene) + by;
    if (to < 0 || to > last)
    {
        notice_ = to < 0 ? "This is the first scene" : "This was the last scene";
        return;
    }
    show_scene(static_cast<std::size_t>(to));
}

void Session::advance(double seconds, const Motion& motion)
{
    layouts_ = searcher_->look();
    study_->tick();
    lab_->tick();
    team_->tick();
    if (std::string notice = lab_->take_notice(); !notice.empty())
    {
        notice_ = std::move(notice);
    }
    if (in_lab())
    {
        lab_->wake();
    }
    if (lessons_ && lessons_->frozen())
    {
        return;
    }
    Clock& clock = clocks_[view_];
    Playback& p = clock.playback;
    if (motion.rest != clock.rest)
    {
        // First shown, or the scenario changed where this view rests.
        p.t = p.playing ? p.t : motion.rest;
        clock.rest = motion.rest;
    }
    if (start_at_)
    {
        p.t = *std::exchange(start_at_, std::nullopt);
    }
    if (!p.playing || motion.duration <= 0)
    {
        p.t = std::min(p.t, motion.duration);
        return;
    }
    if (p.t >= motion.duration)
    {
        p.t = 0; // play pressed at the end
    }
    p.t += seconds * motion.per_second * static_cast<double>(p.speed);
    if (p.t >= motion.duration)
    {
        ++clock.rounds;
        p.playing = clock.rounds < motion.rounds;
        p.t = p.playing ? 0 : motion.duration;
    }
}

bool Session::playing() const
{
    if (in_lab())
    {
        return lab_->busy();
    }
    if (view_ == "ranks")
    {
        return team_->busy();
    }
    const auto found = clocks_.find(view_);
    return found != clocks_.end() && found->second.playback.playing && !(lessons_ && lessons_->frozen());
}

bool Session::ticking() const
{
    return lab_->busy() || team_->busy() ||
           ((view_ == "drill" || view_ == "mock" || view_ == "spoken") &&
            is_ticking(*study_->frame().session));
}

Frame Session::frame(double clock) const
{
    const auto found = clocks_.find(view_);
    const LabFrame& lab = lab_->frame();
    Playback playback = found == clocks_.end() ? Playback{} : found->second.playback;
    if (in_lab())
    {
        const std::int64_t newest = lab.a.snapshot ? lab.a.snapshot->step : 0;
        playback = {static_cast<double>(lab.look.value_or(newest)), lab.running, 1};
    }
    return {scenario_,
            issues_,
            frozen_ ? *frozen_ : now_,
            before_ ? &*before_ : nullptr,
            presets_,
            preferences_,
            view_,
            notice_,
            playback,
            !undo_.empty(),
            !redo_.empty(),
            clock,
            layouts_,
            lessons_ ? &lessons_->course() : nullptr,
            lessons_ ? lessons_->frame() : nullptr,
            &study_->frame(),
            &lab,
            &team_->frame(),
            &stage_,
            saving_ ? &*saving_ : nullptr,
            asked_ ? std::string_view(aside_->view) : std::string_view()};
}

} // namespace ringside
