#include "app/session/session.h"

#include <fmt/format.h>

#include "app/files/streams.h"
#include "core/base/counted.h"
#include "core/base/overloaded.h"
#include "core/evaluate/measured_csv.h"
#include "core/memory/memory.h"
#include "core/model/weights.h"
#include "core/scenario/hugging_face/hugging_face.h"
#include "core/scenario/json/json.h"
#include "core/scenario/validate.h"
#include "ui/shell/panel/panel.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr std::size_t kMostUndo = 500;
constexpr std::string_view kNotPasted = "Not pasted";

// The change with its layout made to suit another model or cluster; the notice says how.
ChangeScenario fitted(ChangeScenario change)
{
    Fit made = fit(change.scenario, [](const Scenario& s) { return memory_report(s).fits(); });
    change.scenario = std::move(made.scenario);
    change.notice += change.notice.empty() || made.says.empty() ? "" : ". ";
    change.notice += made.says;
    return change;
}

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
    ChangeScenario next = fitted(with_model(scenario, model));
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
    auto report = has_errors(issues_) ? Result<Report>(issues_) : evaluate_valid(scenario_);
    if (!report)
    {
        issues_ = report.issues();
        return;
    }
    now_ = Evaluated{};
    now_.scenario = scenario_;
    now_.report = std::move(*report);
}

void Session::say(std::string notice)
{
    const auto colon = notice.find(": ");
    if (notice.starts_with("Not ") && colon != std::string::npos)
    {
        fail(notice.substr(0, colon), {{"", notice.substr(colon + 2), ""}});
        return;
    }
    notice_ = std::move(notice);
}

void Session::fail(std::string_view what, const Issues& issues)
{
    constexpr std::size_t kShown = 20;
    notice_ = what;
    for (std::size_t i = 0; i < std::min(issues.size(), kShown); ++i)
    {
        notice_ += "\n" + printable(in_short(to_line(issues[i])));
    }
    if (issues.size() > kShown)
    {
        notice_ += fmt::format("\nand {} more", issues.size() - kShown);
    }
}

void Session::change(Scenario next, bool dragging)
{
    leave_example();
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

// What a repair took away comes back as soon as it is legal again: the repair of 100 GPUs ends with 256.
ChangeScenario Session::moved_to(ChangeScenario change)
{
    const auto same_work = [](const Scenario& a, const Scenario& b)
    { return a.parallel == b.parallel && a.training == b.training; };
    const Scenario asked = change.scenario;
    const bool still = repaired_ && repaired_->made == scenario_ && same_work(asked, scenario_);
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

void Session::paste()
{
    const std::string text = from_clipboard();
    if (is_link(text))
    {
        open_link(text);
        visit_.reset(); // it was asked for here
        return;
    }
    if (is_measured_csv(text))
    {
        measure(text);
        return;
    }
    const auto document = parse_json(text);
    if (document && is_machines(*document))
    {
        const auto machines = machines_from_json(*document);
        if (!machines)
        {
            fail(kNotPasted, machines.issues());
            return;
        }
        work_in_lab(AddMachines{*machines});
        show_place("roofline/machines");
        say(counted(std::ssize(*machines), "machine") + " added");
        return;
    }
    if (document && is_hugging_face(*document))
    {
        const auto next = with_config(*document, scenario_, presets_);
        if (!next)
        {
            fail(kNotPasted, next.issues());
            return;
        }
        change(next->scenario, false);
        say(next->notice);
        return;
    }
    auto read = document ? scenario_from_json(*document, presets_) : Result<Scenario>(document.issues());
    if (!read)
    {
        fail(kNotPasted, read.issues());
        return;
    }
    change(std::move(*read), false);
    say("Pasted");
}

void Session::measure(std::string_view text)
{
    auto set = measured_from_csv(text, now_.scenario, presets_);
    if (!set)
    {
        fail(kNotPasted, set.issues());
        return;
    }
    set_measured(std::move(*set));
    open(id_of(ViewRole::measured));
    notice_ = fmt::format("Pasted {} measured step{}", measured_->set.rows.size(),
                          measured_->set.rows.size() == 1 ? "" : "s");
}

void Session::set_measured(MeasuredSet set)
{
    measured_ = MeasuredFrame{std::move(set), {}};
    fit_measured({constants_for(measured_->set)});
}

void Session::next_accuracy()
{
    if (!accuracy_)
    {
        auto sets = measured_sources();
        accuracy_ = sets ? AccuracyFrame{std::move(*sets), {}, {}} : AccuracyFrame{{}, {}, sets.issues()};
    }
    if (!accuracy_->done())
    {
        accuracy_->sources.push_back(source_accuracy(accuracy_->sets, accuracy_->sources.size()));
    }
}

void Session::fit_measured(const FitMeasured& action)
{
    if (action.shipped)
    {
        auto set = shipped_runs();
        set ? set_measured(std::move(*set)) : say(to_line(set.issues().front()));
        if (set)
        {
            measured_->shipped = true;
        }
        return;
    }
    if (!measured_)
    {
        return;
    }
    auto fit = fit_calibration({measured_->set}, action.constants, false);
    if (fit)
    {
        measured_->fit = std::move(*fit);
    }
    else
    {
        fail("Not fitted", fit.issues());
    }
}

void Session::run(Command command)
{
    const auto step = [this](std::vector<Scenario>& from, std::vector<Scenario>& to)
    {
        if (!from.empty())
        {
            leave_example();
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
    case Command::copy_link:
        to_clipboard(link_text());
        notice_ = "Copied a link to this";
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
    std::string notice = lab_->apply(action);
    if (!notice.empty())
    {
        say(std::move(notice));
    }
}

void Session::work_with_team(const TeamAction& action)
{
    std::string notice = team_->apply(action);
    if (!notice.empty())
    {
        say(std::move(notice));
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

void Session::load(std::string_view id)
{
    if (const ScenarioPreset* preset = presets_.scenario(id))
    {
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
    playback().playing = on;
    clocks_[view_].rounds = 0;
    clocks_[view_].opening = false;
}

void Session::seek(double t)
{
    if (role() == ViewRole::lab)
    {
        work_in_lab(LookAtStep{t});
        return;
    }
    Clock& clock = clocks_[view_];
    clock.playback.t = std::max(0.0, t);
    clock.playback.playing = clock.playback.playing && !clock.opening;
    clock.opening = false;
}

void Session::perform(const Action& action)
{
    if (!std::holds_alternative<ChangeScenario>(action))
    {
        dragging_ = false;
    }
    const bool quiet = std::holds_alternative<Seek>(action) || std::holds_alternative<Play>(action) ||
                       std::holds_alternative<Boxed<SearchLayouts>>(action);
    if (!quiet)
    {
        notice_.clear();
    }
    std::visit(
        Overloaded{
            [this](const ChangeScenario& a)
            {
                const bool moved =
                    a.scenario.model != scenario_.model || a.scenario.cluster != scenario_.cluster;
                ChangeScenario next = moved ? moved_to(a) : a;
                change(std::move(next.scenario), next.dragging);
                say(std::move(next.notice));
            },
            [this](const LoadScenario& a) { load(a.id); },
            [this](const OpenView& a)
            {
                if (asked_ && (a.id == aside_->view || a.id == id_of(ViewRole::study)))
                {
                    back_to_question();
                }
                open(a.id);
            },
            [this](const Play& a) { play(a.playing); },
            [this](const Seek& a) { seek(a.t); },
            [this](const SetSpeed& a) { playback().speed = std::clamp(a.speed, 0.25F, 4.0F); },
            [this](const ChangePreferences& a) { preferences_ = a.preferences; },
            [this](const SaveText& a) { say(to_file(a)); },
            [this](const CopyText& a)
            {
                to_clipboard(a.text);
                say(a.notice);
            },
            [this](const Boxed<SearchLayouts>& a)
            {
                const Scenario& scenario = a->as_it_stands ? scenario_ : now_.scenario;
                // A search that ends at its first look is kept as well.
                const bool same = layouts_ != nullptr && layouts_->answers(scenario, a->limits);
                searcher_->want(scenario, a->limits);
                layouts_ = searcher_->look();
                search_is_kept_ = search_is_kept_ && same;
            },
            [this](const StartLesson& a) { start_lesson(a); },
            [this](const Boxed<LessonInput>& a)
            {
                if (aside_ && !asked_)
                {
                    lessons_->input(*a);
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
    layouts_ = searcher_->look();
    keep_search();
    study_->tick();
    lab_->tick();
    team_->tick();
    if (std::string notice = lab_->take_notice(); !notice.empty())
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
    Clock& clock = frozen_ ? frozen_->clocks[view_] : clocks_[view_];
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
    if (frozen_ || !p.playing || motion.duration <= 0)
    {
        p.t = std::min(p.t, motion.duration);
        return;
    }
    if (p.t >= motion.duration)
    {
        p.t = 0; // play pressed at the end
    }
    p.t += seconds * motion.per_second * static_cast<double>(p.speed);
    if (clock.opening && p.t >= motion.rest)
    {
        p.t = motion.rest;
        p.playing = clock.opening = false;
    }
    if (p.t >= motion.duration && p.playing)
    {
        ++clock.rounds;
        p.playing = clock.rounds < motion.rounds;
        p.t = p.playing ? 0 : motion.duration;
    }
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
    const auto found = clocks_.find(view_);
    return found != clocks_.end() && found->second.playback.playing && !frozen_ &&
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

Frame Session::frame(double clock) const
{
    const std::map<std::string, Clock>& clocks = frozen_ ? frozen_->clocks : clocks_;
    const auto found = clocks.find(view_);
    const LabFrame& lab = lab_->frame();
    Playback playback = found == clocks.end() ? Playback{} : found->second.playback;
    if (role() == ViewRole::lab)
    {
        const std::int64_t newest = lab.a.snapshot ? lab.a.snapshot->step : 0;
        playback = {static_cast<double>(lab.look.value_or(newest)), lab.running, 1};
    }
    return {scenario_,
            example_ ? example_->issues : issues_,
            on_show(),
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
            &searches_,
            lessons_ ? &lessons_->course() : nullptr,
            lessons_ ? lessons_->frame() : nullptr,
            &study_->frame(),
            &lab,
            &team_->frame(),
            &stage_,
            measured_ ? &*measured_ : nullptr,
            accuracy_ ? &*accuracy_ : nullptr,
            saving_ ? &*saving_ : nullptr,
            asked_ ? std::string_view(aside_->view) : std::string_view(),
            offered_ != nullptr ? offered_->name : std::string_view(),
            example_.has_value()};
}

} // namespace ringside
