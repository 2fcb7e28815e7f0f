// What is on show in place of the user's own scenario, which is kept aside: a question's, a lesson's; and
// the scenes of a demonstration, which go on from it.
#include "app/session/session.h"
#include "core/base/place.h"
#include "core/evaluate/report.h"
#include "core/scenario/validate.h"

#include <utility>

namespace ringside
{

void Session::open(std::string_view place)
{
    if (const ViewInfo* info = find_view(place))
    {
        scene_.view = info->id;
        page_asked_ = page_of(place_now(place));
    }
}

void Session::show_place(std::string_view place)
{
    const ViewInfo* info = find_view(place);
    const bool first = info != nullptr && page_of(place).empty() && !info->pages.empty();
    open(first ? info->pages.front() : place);
}

void Session::put_aside()
{
    if (!aside_)
    {
        aside_ = scene_;
    }
    scene_.undo.clear();
    scene_.redo.clear();
    scene_.before.reset();
    resume_picture();
}

void Session::take_back()
{
    scene_ = *std::exchange(aside_, std::nullopt);
    asked_ = false;
}

std::string Session::place_on_show() const
{
    return view_of(place_) == scene_.view ? place_ : scene_.view;
}

const Evaluated& Session::on_show() const
{
    return frozen_ ? frozen_->now : example_ ? example_->now : scene_.now;
}

void Session::follow_opening()
{
    if (aside_ || script_ || scene_.before || has_errors(scene_.issues))
    {
        decided_for_.clear();
        offered_ = nullptr;
        example_.reset();
        return;
    }
    const std::string place = place_on_show();
    if (place == decided_for_)
    {
        return;
    }
    decided_for_ = place;
    example_.reset();
    const Opening* opening = find_opening(place);
    offered_ = opening != nullptr && opening->make(scene_.scenario, presets_) ? opening : nullptr;
    if (offered_ != nullptr && !left_examples_.contains(place))
    {
        show_example();
    }
}

void Session::show_example()
{
    std::optional<Scenario> made = offered_->make(scene_.scenario, presets_);
    Issues issues = validate(*made);
    auto report = has_errors(issues) ? Result<Report>(issues) : evaluate_valid(*made);
    if (!report)
    {
        offered_ = nullptr; // as where a layout of the user's cannot be changed so
        return;
    }
    example_ = Example{{std::move(*made), std::move(*report)}, std::move(issues)};
    if (offered_->plays && !preferences_.reduced_motion)
    {
        view_clock().play_opening();
    }
}

void Session::turn_example()
{
    if (example_)
    {
        leave_example();
        return;
    }
    if (offered_ == nullptr)
    {
        notice_ = "This page shows your scenario";
        return;
    }
    left_examples_.erase(decided_for_);
    show_example();
}

void Session::leave_example()
{
    if (!decided_for_.empty())
    {
        left_examples_.insert(decided_for_);
        decided_for_.clear(); // the scenario may have something to show now
    }
    if (example_)
    {
        example_.reset();
        view_clock().end_opening();
    }
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
    show_place(view);
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

void Session::set_course(Course course, std::set<std::string> done)
{
    leave_lesson();
    lessons_ = std::make_unique<LessonController>(presets_, std::move(course), std::move(done));
}

Issues Session::begin_lesson(const StartLesson& which)
{
    Issues issues = lessons_ ? lessons_->start(which) : Issues{{"", "There are no lessons here", ""}};
    if (issues.empty())
    {
        back_to_question();
        put_aside();
    }
    return issues;
}

void Session::start_lesson(const StartLesson& which)
{
    const Issues issues = begin_lesson(which);
    if (!issues.empty())
    {
        notice_ = to_line(issues.front());
    }
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
        scene_.undo.clear();
        scene_.redo.clear();
        show_place(setting->view);
        start_with(std::move(setting->scenario));
        start_playback(setting->playback);
    }
    else if (aside_ && !asked_)
    {
        lessons_->look(scene_.now.scenario, *scene_.now.report);
    }
}

void Session::start_playback(const LessonPlayback& playback)
{
    view_clock() = {{0, playback.play && !preferences_.reduced_motion, static_cast<float>(playback.speed)}};
    start_at_ = playback.time;
}

void Session::set_script(DemoScript script)
{
    script_ = std::move(script);
    stage_.script = &*script_;
    show_scene(0);
}

void Session::set_scripts(std::vector<DemoScript> scripts)
{
    scripts_ = std::move(scripts);
    stage_.scripts = scripts_;
}

void Session::start_script(std::size_t which)
{
    if (aside_ || which >= scripts_.size())
    {
        notice_ = aside_ ? "Leave what is on show first" : "No scenes ship with these assets";
        return;
    }
    if (script_ && script_->title == scripts_[which].title)
    {
        script_.reset();
        stage_.script = nullptr;
        resume_picture();
        stage_.on = {};
        notice_ = "Scenes ended; the scenario stays, Ctrl Z goes back";
        return;
    }
    set_script(scripts_[which]);
    notice_ = "PgDn and PgUp go through the scenes; F5 shows only the picture";
}

void Session::show_scene(std::size_t index)
{
    stage_.scene = index;
    const DemoScene& scene = script_->scenes[index];
    resume_picture();
    change(scene.scenario, false);
    show_place(scene.view);
    start_playback(scene.playback);
    stage_.on[static_cast<std::size_t>(StageTool::black)] = false;
    stage_.on[static_cast<std::size_t>(StageTool::numbers)] = scene.hide_numbers;
    stage_.on[static_cast<std::size_t>(StageTool::guesses)] = !scene.ask.empty();
    stage_.on[static_cast<std::size_t>(StageTool::curve)] = scene.draw;
    stage_.on[static_cast<std::size_t>(StageTool::sound)] = scene.sound;
}

void Session::resume_picture()
{
    frozen_.reset();
    stage_.on[static_cast<std::size_t>(StageTool::freeze)] = false;
}

void Session::turn(StageTool tool)
{
    bool& on = stage_.on[static_cast<std::size_t>(tool)];
    on = !on;
    if (tool == StageTool::freeze)
    {
        frozen_ = on ? std::optional(Frozen{on_show(), scene_.clocks}) : std::nullopt;
        notice_ = on ? "Frozen; changes show when it resumes (Ctrl F)" : "";
    }
    if (on && (tool == StageTool::guesses || tool == StageTool::curve)) // one strip, and a picture that moves
    {
        const StageTool other = tool == StageTool::curve ? StageTool::guesses : StageTool::curve;
        stage_.on[static_cast<std::size_t>(other)] = false;
    }
    if (on && tool == StageTool::curve)
    {
        resume_picture();
    }
}

void Session::step_stage(int by)
{
    if (!script_ || aside_)
    {
        notice_ =
            script_ ? "Leave what is on show first" : "No scenes are running: Ctrl K, \u201cscenes\u201d";
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

} // namespace ringside
