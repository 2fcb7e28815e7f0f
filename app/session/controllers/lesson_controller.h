// The lesson that runs: what the window is to show at each of its steps, and what a user may do meanwhile.
// The session owns the controller and shows what it says; the user's own scenario is the session's to keep.
//
// Actions are filtered in one place, refuses(): a step lets go of the fields it names and of what must
// follow from them; of nothing while a truth is hidden.
#pragma once

#include "ui/shell/frame/lesson_frame.h"

namespace ringside
{

// What the window takes on when a step begins or a truth is shown.
struct LessonSetting
{
    Scenario scenario;
    std::string view;
    LessonPlayback playback;
};

class LessonController
{
public:
    LessonController(const Presets& presets, Course course, std::set<std::string> done);
    LessonController(const LessonController&) = delete; // frames refer to what it holds
    LessonController& operator=(const LessonController&) = delete;
    ~LessonController() = default;

    // Faults when there is no such lesson, or it cannot be worked out; then nothing changes. A track that has
    // the lesson says what comes after it; else the course does.
    Issues start(const StartLesson& which);
    void leave() { running_.reset(); }
    bool running() const { return running_.has_value(); }
    bool frozen() const { return running_ && running_->frame.frozen; }

    void input(const LessonInput& input);
    void turn(LessonSwitch which);
    // The user's scenario as it is now; a task may be met by it.
    void look(const Scenario& scenario, const Report& report);
    // Texts say their bytes in this unit from now on.
    void tell(ByteUnit unit);

    // What the window should show now; once, and not while it is frozen.
    std::optional<LessonSetting> take_setting();
    // Why an action has to wait; empty when it may happen.
    std::string refuses(const Action& action, const Scenario& now) const;

    // The frame of the lesson that runs; null when none does. Valid until the next call that is not const.
    const LessonFrame* frame() const { return running_ ? &running_->frame : nullptr; }
    const CourseFrame& course() const { return course_frame_; }
    const std::set<std::string>& done() const { return done_; }

private:
    struct Running
    {
        explicit Running(LessonPlan a_plan) : plan(std::move(a_plan)), state(begin(plan.lesson)) {}
        Running(const Running&) = delete; // the frame refers to its neighbours
        Running& operator=(const Running&) = delete;
        ~Running() = default;

        LessonPlan plan;
        LessonState state;
        StepWords words;
        LessonScene live;                     // the user's scenario in a task
        std::map<std::size_t, Scenario> kept; // of tasks that were left
        std::optional<LessonSetting> setting; // not taken yet
        LessonFrame frame{plan, state, words};
    };

    void place(const std::string& id, const CourseTrack* track);
    bool is_met() const;
    void set(bool with_playback);
    void enter_step();
    void refresh();

    const Presets& presets_;
    Course course_;
    std::set<std::string> done_;
    CourseFrame course_frame_{course_, done_};
    ByteUnit unit_ = ByteUnit::decimal;
    std::optional<Running> running_;
};

} // namespace ringside
