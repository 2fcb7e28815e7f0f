// What a view is given each frame, and what it may ask for. A view reads the Frame and pushes Actions; the
// app applies them.
#pragma once

#include "core/base/result.h"
#include "core/scenario/scenario.h"
#include "ui/draw/look.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ringside
{

class Works;
enum class StageTool;
struct CourseFrame;
struct FitMeasured;
struct ImportFrame;
struct LabAction;
struct LabFrame;
struct KeptSearch;
struct LessonFrame;
struct LessonInput;
struct Lever;
struct AccuracyFrame;
struct MeasuredFrame;
struct MemoryReport;
struct Notice;
struct Presets;
struct Report;
struct RunFrame;
struct RunOpening;
struct StageFrame;
struct StudyAction;
struct StudyFrame;
struct TeamAction;
struct TeamFrame;

// A scenario that could be computed, and everything computed from it. Made only when the scenario changes;
// what only some views show is computed when one asks for it, and kept for all copies.
class Evaluated
{
public:
    Evaluated(); // with an empty report
    Evaluated(Scenario a_scenario, Report a_report);

    Scenario scenario;
    std::shared_ptr<const Report> report; // never null

    // What would free memory, cheapest first.
    const std::vector<Lever>& levers() const;
    // Memory under ZeRO 0 to 3, all else equal.
    const std::array<MemoryReport, 4>& zero() const;

private:
    struct Asked;
    std::shared_ptr<Asked> asked_;
};

struct Playback
{
    double t = 0; // in the view's own units
    bool playing = false;
    float speed = 1;
};

// An animation on its way into a file.
struct Saving
{
    std::string name;        // "ringside-ring.mp4"
    double share = 0;        // that is drawn, 0 to 1
    double seconds_left = 0; // as it goes now; 0: not known yet
};

struct Frame
{
    const Scenario& scenario; // as the user left it, perhaps with faults
    const Issues& issues;     // of that scenario
    const Evaluated& now;     // the last one that could be computed
    const Evaluated* before;  // A of an A/B compare; null when off
    const Presets& presets;
    const Preferences& preferences;
    const std::string& view; // id of the view on show
    const Notice& notice;    // of the last action; empty: none
    Playback playback;
    bool can_undo = false;
    bool can_redo = false;
    bool in_browser = false;                           // which has keys of its own
    double clock = 0;                                  // [s] for easing only
    Works* works = nullptr;                            // for work_on(); null only in a Frame made by hand
    const std::vector<KeptSearch>* searches = nullptr; // the newest first; null only in a Frame made by hand
    const CourseFrame* course = nullptr;               // the lessons there are; null where there are none
    const LessonFrame* lesson = nullptr;               // the one that runs; null when none does
    const StudyFrame* study = nullptr;       // of the session's model; null only in a Frame made by hand
    const LabFrame* lab = nullptr;           // of the session's lab; null only in a Frame made by hand
    const TeamFrame* team = nullptr;         // of the session's ranks; null only in a Frame made by hand
    const StageFrame* stage = nullptr;       // what is on for a class; null only in a Frame made by hand
    const MeasuredFrame* measured = nullptr; // steps that were pasted; null before any
    const RunFrame* run = nullptr;           // a real run that was opened; null before any
    const RunOpening* opening = nullptr;     // one whose files are being read; null: none
    const ImportFrame* imported = nullptr;   // the launch file that the scenario was read from; null: none
    const AccuracyFrame* accuracy = nullptr; // of public steps; null before anybody asked
    const Saving* saving = nullptr;          // null: no animation is being saved
    std::string_view back = {}; // id of the view with the question that this one is shown for; empty: none
    // What the page opens with (Opening::name) where the user's own scenario has nothing to show; empty: it
    // has something. While it is on show, now and issues are the example's and scenario stays the user's.
    std::string_view example = {};
    bool shows_example = false;

    bool valid() const { return !has_errors(issues); }
    // The user's own scenario, the last that could be computed: what an edit starts from.
    const Scenario& own() const { return shows_example ? scenario : now.scenario; }
};

struct ChangeScenario
{
    Scenario scenario;
    bool dragging = false;   // one drag is one step of undo
    std::string notice = {}; // what else had to change, for the user
};
struct LoadScenario
{
    std::string id; // of a scenario preset
};
struct OpenView
{
    std::string id;
};
struct Play
{
    bool playing;
};
struct Seek
{
    double t;
};
struct SetSpeed
{
    float speed;
};
struct ChangePreferences
{
    Preferences preferences;
};
// A file for the user, beside those it may not overwrite; the notice says where it went.
struct SaveText
{
    std::string name; // "ringside-pipelines.svg"
    std::string text;
};
// A text onto the clipboard.
struct CopyText
{
    std::string text;
    std::string notice; // for the user: "Copied launch.sh"
};
// Begins a lesson; the user's own scenario and view are kept until it is left.
struct StartLesson
{
    std::string id;
    std::string track = {}; // that says which lesson comes after; empty: the course's order
    std::int64_t step = 1;  // those before are skipped
};
struct LeaveLesson
{
};
// For a presenter of the lesson.
enum class LessonSwitch
{
    freeze,  // the picture stays until it is switched back
    controls // the step's controls: free, locked, hidden, free again
};
// Opens the view of the question on show with the question's scenario; the user's own is kept aside until
// they come back.
struct ShowQuestion
{
};
struct BackToQuestion
{
};
// Turns a tool on or off.
struct TurnTool
{
    StageTool tool;
};
// The next scene of the script, or the one before.
struct StageStep
{
    int by; // 1 or -1
};
// The first scene of one of the scripts; of the one that is walked through: ends it.
struct StartScript
{
    std::size_t which; // of StageFrame::scripts
};
enum class Command
{
    undo,
    redo,
    reset,
    copy,
    copy_link, // to what is on show
    paste,     // a link, a scenario, a config.json, measured steps
    compare,
    swap,
    save_picture,
    save_svg,
    save_animation, // or stops saving it
    full_screen,    // or leaves it
    next_accuracy,  // one more source of measured steps
    example,        // the page's example, or the user's own scenario again
    quit
};

// With a real run (run_frame.h).
enum class RunCommand
{
    example,  // opens the one that comes with the program
    keep,     // what is opened next is compared with it
    forget,   // the kept one
    software, // its step becomes a software of one's own
    close,
    stop // reading what is being opened
};

// What a topic asks for is boxed, so that only the views that ask pull its headers in: to_action() of
// study_frame.h, lab_action.h, team_action.h, lesson_frame.h and measured_frame.h.
// Copied, moved and destroyed in frame.cpp: every view makes some, and each would build all of the variant
// anew.
template <class T>
using Boxed = std::shared_ptr<const T>;
struct Action
    : std::variant<ChangeScenario, LoadScenario, OpenView, Play, Seek, SetSpeed, ChangePreferences, SaveText,
                   StartLesson, LessonSwitch, LeaveLesson, ShowQuestion, BackToQuestion, Command, RunCommand,
                   TurnTool, StageStep, StartScript, CopyText, Boxed<LessonInput>, Boxed<StudyAction>,
                   Boxed<LabAction>, Boxed<TeamAction>, Boxed<FitMeasured>>
{
    using variant::variant;
    Action(const Action&);
    Action(Action&&) noexcept;
    Action& operator=(const Action&);
    Action& operator=(Action&&) noexcept;
    ~Action();
};
inline Action to_action(Action action)
{
    return action;
}

struct Out
{
    std::vector<Action> actions;
    bool animating = false; // draw the next frame too, without waiting for an event

    template <class T>
    void push(T&& what)
    {
        add(to_action(std::forward<T>(what)));
    }

private:
    void add(Action action);
};

} // namespace ringside
