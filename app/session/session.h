// What the window is about: scenario, report, undo, compare, playback, preferences. Actions in, frames out;
// no window here.
//
// Playing, seeking and stepping become lab actions while the lab is shown, whose time is the training step.
// The user's scenario is set aside, with undo, comparison, playback and view, while a lesson or a question
// shows its own, and only the user's is saved.
#pragma once

#include "app/session/controllers/lab_controller.h"
#include "app/session/controllers/lesson_controller.h"
#include "app/session/controllers/study_controller.h"
#include "app/session/controllers/team_controller.h"
#include "app/session/run_reading.h"
#include "app/session/scene.h"
#include "app/session/work_runner.h"
#include "core/base/text/term.h"
#include "core/launch_files/launch_files.h"
#include "core/scenario/link/link.h"
#include "core/study/lessons/demo_script.h"
#include "ui/shell/frame/import_frame.h"
#include "ui/shell/frame/layouts_frame.h"
#include "ui/shell/frame/measured_frame.h"
#include "ui/shell/frame/run_frame.h"
#include "ui/shell/frame/stage_frame.h"

#include <functional>
#include <set>
#include <utility>

namespace ringside
{

class Session
{
public:
    // The scenario must be valid; presets must outlive the session.
    Session(const Presets& presets, Scenario scenario);

    void apply(const Action& action);
    template <class T>
    void apply(const T& what)
    {
        apply(to_action(what));
    } // what a topic asks for, boxed
    // Moves the playback of the view on show by this much real time.
    void advance(double seconds, const Motion& motion);
    // The mouse button was let go: the next change is a new step of undo.
    void end_drag()
    {
        dragging_ = false;
        lab_->end_drag();
    }
    // Valid until the next apply().
    Frame frame(double clock) const;

    const Scenario& scenario() const { return scene_.scenario; }
    const Evaluated& now() const { return scene_.now; }
    // The user's, also while a lesson's or a question's is on show: as they left it, the last scenario that
    // worked, and their view.
    const Scenario& own_scenario() const { return own().scenario; }
    const Scenario& own_good_scenario() const { return own().now.scenario; }
    const Issues& issues() const { return scene_.issues; }
    const Preferences& preferences() const { return preferences_; }
    const std::string& view() const { return scene_.view; }
    // Whether pen or curve is on.
    bool draws() const { return stage_.has(StageTool::pen) || stage_.has(StageTool::curve); }
    bool playing() const;
    // What plays is heard.
    bool sounds() const { return stage_.has(StageTool::sound); }
    // There is no device for it, or no library.
    void set_no_sound(bool none) { stage_.no_sound = none; }
    // A training elsewhere is on show: it changes a few times a second, and may run on this very processor.
    bool watching() const;
    // Whether a clock is on show that asks for a frame a second.
    bool ticking() const;
    bool quit() const { return quit_; }
    bool full_screen() const { return full_screen_; }
    // What the user is told; gone with their next action, or as a fault shown until it is closed.
    void say(Notice notice);
    const Notice& notice() const { return notice_; }
    // Why something was not done, in the command line's own words.
    void fail(std::string title, const Issues& issues) { say({std::move(title), issues}); }
    // What was pasted, or a file that was dropped: a scenario, a link, a launch file, a config.json, steps.
    void take_text(const std::string& text, const std::string& name);
    // Several at once: a launch file is read with what it refers to, the others one after the other.
    void take_texts(const std::vector<LaunchText>& texts);
    // Files of a real training run, and launch files beside them; an example's says so.
    void take_run(const std::vector<RunFile>& files, bool example = false);
    // Replaces the current scenario without a step of undo: at the start.
    void start_with(Scenario scenario);
    // What is to be kept for the next start: what a link brought is a visit, until something of it is
    // changed.
    const Scenario& kept_scenario() const;
    // Whether the clock of a mock interview runs, which nobody wants to leave by mistake.
    bool mock_runs() const;
    // What is on show, to be opened again from the link.
    PlaceLink link() const;
    std::string link_text() const { return to_text(link(), presets_, link_page); }
    // Shows what the link says; a notice names what of it could not be opened.
    void open_link(std::string_view text);
    // The page that the view is turned to, which only the view knows.
    void note_place(std::string_view place, bool about_scenario);
    void set_preferences(const Preferences& preferences) { preferences_ = preferences; }

    std::string link_page{kLinkScheme}; // address that links open at
    bool in_browser = false;            // which has keys of its own
    std::function<void(const std::string&)> to_clipboard = [](const std::string&) {};
    // Saves a file for the user and returns what to tell them.
    std::function<Notice(const SaveText&)> to_file = [](const SaveText&) { return Notice(); };
    // Searches for layouts that ended, also those of earlier sessions.
    void set_searches(std::vector<KeptSearch> searches) { searches_ = std::move(searches); }
    const std::vector<KeptSearch>& searches() const { return searches_; }
    // How views' work is done: a slice each frame until another way is set.
    void set_works(std::unique_ptr<WorkRunner> works) { works_ = std::move(works); }
    const WorkRunner& works() const { return *works_; }
    // The lessons there are, and which were finished before.
    void set_course(Course course, std::set<std::string> done);
    // Null where there are no lessons.
    const LessonController* lessons() const { return lessons_.get(); }
    const std::string& own_view() const { return own().view; }
    // Scenes to walk through; the first one opens at once.
    void set_script(DemoScript script);
    // What may be started from the window.
    void set_scripts(std::vector<DemoScript> scripts);
    // The page or thing that the view on show is to be turned to, once; empty: it stays as it is.
    std::string take_page() { return std::exchange(page_asked_, std::string()); }
    // Measured steps, at least one; the accelerator's constants are fitted to them.
    void set_measured(MeasuredSet set);
    // What of the view was asked to be saved, once: a picture of the next frame, its SVG, its animation.
    std::optional<Command> take_save() { return std::exchange(save_asked_, std::nullopt); }
    // How far an animation is; nothing when none is being saved.
    void set_saving(std::optional<Saving> saving) { saving_ = std::move(saving); }
    // The controller of the study mode; an empty one before.
    void set_study(std::unique_ptr<StudyController> controller);
    // The controller of the live lab; one without a device before.
    void set_lab(std::unique_ptr<LabController> controller) { lab_ = std::move(controller); }
    LabController& lab() { return *lab_; }
    // The controller of the ranks that train together; its threads begin with its first step.
    void set_team(std::unique_ptr<TeamController> controller) { team_ = std::move(controller); }
    TeamController& team() { return *team_; }
    std::function<std::string()> from_clipboard = [] { return std::string(); };
    // Measured steps that come with the program.
    std::function<Result<MeasuredSet>()> shipped_runs = [] {
        return Issues{{"assets/measured", "no measured steps are here", "start with the program's assets"}};
    };
    // A run that comes with the program; empty where none does.
    std::function<std::vector<RunFile>()> example_run = [] { return std::vector<RunFile>(); };
    // Keeps a software of one's own for the next start.
    std::function<Issues(const SoftwarePreset&)> keep_software = [](const SoftwarePreset&) {
        return Issues{{"software", "cannot be kept here", "use the program"}};
    };
    std::function<Result<std::vector<MeasuredSet>>()> measured_sources = [] {
        return Issues{{"assets/measured", "no measured steps are here", "start with the program's assets"}};
    };

private:
    void change(Scenario next, bool dragging);
    // To another model or cluster, with a layout that suits it.
    ChangeScenario moved_to(ChangeScenario change);
    const SessionScene& own() const { return aside_ ? *aside_ : scene_; } // the user's
    void keep_search(const LayoutAnswer& answer);
    void run(Command command);
    void step_to(std::vector<Scenario>& from, std::vector<Scenario>& to); // an undo or a redo
    void study(const StudyAction& action);
    void show_question();
    void back_to_question();
    // Opens a view, or one of its pages; an unknown one changes nothing.
    void load(std::string_view id); // a preset
    void open(std::string_view place);
    void play(bool on);
    void seek(double t);
    // Opens what is to be seen by name: its first page where none is named.
    void show_place(std::string_view place);
    void put_aside();
    void take_back();
    // The page on show opens with its example where the user's scenario has nothing to show there; decided
    // once for a page, and never beside a lesson, a question, scenes, a comparison or a fault.
    void follow_opening();
    void show_example();
    void turn_example();
    // The user changed the scenario: from now on the page shows that.
    void leave_example();
    std::string place_on_show() const; // a page, or a view without pages
    const Evaluated& on_show() const;
    void take_launch(const std::vector<LaunchText>& files);
    void take_hands(const nlohmann::json& document, const std::string& name);
    const ImportFrame* import_on_show() const;
    void measure(std::string_view text);
    void keep_measured(const MeasuredSet& set, const std::string& name);
    void work_with_run(RunCommand command);
    void keep_run_as_software();
    void read_on();
    void show_run(const Result<RunReading>& read, const std::vector<RunFile>& files, bool example);
    void fit_measured(const FitMeasured& action);
    void next_accuracy();
    void work_in_lab(const LabAction& action);
    void work_with_team(const TeamAction& action);
    ViewRole role() const { return find_view(scene_.view)->role; } // of the view on show
    // In place of the user's scenario, which stays as it is.
    struct Example
    {
        Evaluated now;
        Issues issues;
    };
    struct Visit
    {
        Scenario shown; // by the link
        Scenario own;   // before it
    };
    ViewClock& view_clock() { return scene_.clocks[scene_.view]; } // of the view on show
    void perform(const Action& action);
    void take(const ChangeScenario& wanted);
    void open_place(const std::string& id);
    bool in_lesson() const { return aside_.has_value() && !asked_; }
    void start_lesson(const StartLesson& which);
    Issues begin_lesson(const StartLesson& which);
    Issues ask(const std::string& question, std::uint64_t seed);
    void leave_lesson();
    // Shows what the lesson's step says.
    void follow_lesson();
    void turn(StageTool tool);
    void resume_picture(); // the picture goes on
    void step_stage(int by);
    void start_script(std::size_t which);
    void show_scene(std::size_t index);
    // Starts the view on show where a lesson's step or a scene says.
    void start_playback(const LessonPlayback& playback);

    const Presets& presets_;
    SessionScene scene_;
    std::optional<SessionScene> aside_; // the user's, while a lesson or a question shows its own
    // The last change of model or cluster whose layout had to be another.
    struct Repair
    {
        Scenario wanted;
        Scenario made;
    };
    std::optional<Repair> repaired_;
    std::unique_ptr<WorkRunner> works_ = std::make_unique<WorkRunner>();
    std::vector<KeptSearch> searches_;
    std::unique_ptr<StudyController> study_ = std::make_unique<StudyController>(StudyController::Setup());
    std::unique_ptr<LabController> lab_ = std::make_unique<LabController>(LabController::Setup());
    std::unique_ptr<TeamController> team_ = std::make_unique<TeamController>(TeamController::Setup());
    Preferences preferences_;
    std::string page_asked_;
    std::string place_;                // as the view last said
    bool place_about_scenario_ = true; // and whether the scenario has a part in it
    std::string decided_for_;          // the place that the next three are about
    const Opening* offered_ = nullptr; // what it opens with, where the scenario has nothing to show there
    std::optional<Example> example_;   // while it is on show
    std::set<std::string> left_examples_;
    Notice notice_;
    std::shared_ptr<const ImportFrame> imported_; // the launch file that the user's scenario was read from
    std::size_t imported_at_ = 0;                 // steps of undo with it; with fewer it is taken back
    std::int64_t imports_ = 0;
    std::unique_ptr<LessonController> lessons_;
    std::optional<Visit> visit_;
    StageFrame stage_;
    std::optional<DemoScript> script_;
    std::vector<DemoScript> scripts_;
    std::optional<MeasuredFrame> measured_;
    bool shipped_asked_ = false; // measured steps that come with the program, once the view has opened
    std::optional<RunFrame> run_;
    std::unique_ptr<RunBeingOpened> opening_;
    std::shared_ptr<const RunFrame> kept_run_; // to be compared with
    std::int64_t runs_ = 0;                    // that were opened
    std::optional<AccuracyFrame> accuracy_;
    // What pictures show while StageTool::freeze is on.
    struct Frozen
    {
        Evaluated now;
        std::map<std::string, ViewClock> clocks;
    };
    std::optional<Frozen> frozen_;
    bool asked_ = false;             // it is a question's
    std::optional<double> start_at_; // the lesson's moment of the view it has opened
    bool dragging_ = false;
    std::optional<Command> save_asked_;
    std::optional<Saving> saving_;
    bool full_screen_ = false;
    bool quit_ = false;
};

// The scenario the program starts with when there is no other: assets/scenarios/default.json, or a built-in
// one.
Scenario default_scenario(const Presets& presets);

} // namespace ringside
