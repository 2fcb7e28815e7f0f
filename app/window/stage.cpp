// One file, since every option of a picture is opened here, in the order in which they build on each other.
#include "app/window/stage.h"

#include "app/files/demo_script_file.h"
#include "app/files/lesson_files.h"
#include "app/files/measured_file.h"
#include "app/files/run_file.h"
#include "app/session/set_up.h"
#include "core/scenario/json/json.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/frame/team_action.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kLeastSize = 320;
constexpr int kMostSize = 7680;

// An option that would be passed over without another.
struct Needs
{
    std::string_view option;
    std::vector<std::string_view> one_of;
};

void check_company(const PictureOptions& options, Issues& issues)
{
    const std::array kNeeds{
        Needs{"--answer", {"--question"}},         Needs{"--hints", {"--question"}},
        Needs{"--seed", {"--question"}},           Needs{"--step", {"--lesson", "--script"}},
        Needs{"--reveal", {"--lesson", "--demo"}}, Needs{"--json", {"--list"}}};
    for (const auto& [option, others] : kNeeds)
    {
        if (options.typed.contains(option) &&
            std::ranges::none_of(others, [&](auto other) { return options.typed.contains(other); }))
        {
            issues.push_back({std::string(option), fmt::format("needs {}", fmt::join(others, " or ")),
                              fmt::format("give {} as well", fmt::join(others, " or "))});
        }
    }
    add_if(issues, !options.demo.empty() && options.view != id_of(ViewRole::lab),
           {"--demo", "needs the view of the lab", "give --view lab as well"});
}

void check(const PictureOptions& options, int& width, int& height, Issues& issues)
{
    check_company(options, issues);
    const auto stops = static_cast<int>(tour_stops().size());
    add_if(issues, options.tour < 0 || options.tour > stops,
           {"--tour", fmt::format("there is no stop {}", options.tour), fmt::format("use 1 to {}", stops)});
    const bool named = options.lesson.empty() && options.script.empty();
    if (named && options.view.empty())
    {
        issues.push_back({"--view", "is missing", "name a view; ringside picture --list has them"});
    }
    else if (named && find_view(options.view) == nullptr)
    {
        issues.push_back(
            unknown_word("--view", "view ", options.view, texts_of(view_places(), std::identity())));
    }
    const bool pressable =
        std::ranges::all_of(options.press, [](unsigned char c) { return std::isalnum(c) != 0; });
    add_if(issues, !pressable,
           {"--press", fmt::format("\u201c{}\u201d has keys that cannot be pressed", options.press),
            "use letters and digits, pressed one after the other"});
    char rest = 0;
    add_if(issues,
           std::sscanf(options.size.c_str(), "%dx%d%c", &width, &height, &rest) != 2 || width < kLeastSize ||
               height < kLeastSize || width > kMostSize || height > kMostSize,
           {"--size", fmt::format("\u201c{}\u201d is not a size", options.size),
            fmt::format("use WIDTHxHEIGHT, each {} to {}, like 1280x800", kLeastSize, kMostSize)});
    if (!(options.text_scale >= 0.75 && options.text_scale <= 2.5)) // nor when it is not a number
    {
        issues.push_back({"--text-scale", fmt::format("{} is outside 0.75 to 2.5", options.text_scale), ""});
    }
    if (options.time && !(std::isfinite(*options.time) && *options.time >= 0)) // nor when it is not a number
    {
        issues.push_back({"--time", fmt::format("{} is not a time of the playback", *options.time),
                          "give one in the view's units, 0 or more"});
    }
}

// What lies over a view needs one below it: a term its glossary, everything else the overview.
PictureOptions with_view(PictureOptions options)
{
    const bool over = !options.find.empty() || options.guide || options.tour > 0;
    if (options.view.empty() && options.lesson.empty() && options.script.empty())
    {
        options.view = !options.term.empty() ? "glossary" : over ? "overview" : "";
    }
    return options;
}

// Plays the lesson as far as the step that is asked for, skipping what it asks on the way.
void open_lesson(Session& session, const PictureOptions& options)
{
    session.apply(StartLesson{options.lesson});
    const Frame first = session.frame(0);
    if (first.lesson == nullptr)
    {
        end_with({{"--lesson", to_text(first.notice), ""}});
    }
    const auto steps = static_cast<int>(first.lesson->lesson().steps.size());
    if (options.step < 1 || options.step > steps)
    {
        end_with({{"--step", fmt::format("there is no step {}", options.step),
                   fmt::format("use 1 to {}", steps)}});
    }
    for (int i = 1; i < options.step; ++i)
    {
        session.apply(LessonInput{LessonMove::skip, 0});
        session.apply(LessonInput{LessonMove::next, 0});
    }
    if (options.reveal)
    {
        session.apply(LessonInput{LessonMove::skip, 0});
    }
}

// The scene of a demonstration that is asked for.
void open_script(Session& session, const PictureOptions& options, const Opened& opened)
{
    DemoScript script = or_end(read_demo_script(options.script, opened.assets, opened.presets));
    const auto scenes = static_cast<int>(script.scenes.size());
    if (options.step < 1 || options.step > scenes)
    {
        end_with({{"--step", fmt::format("there is no scene {}", options.step),
                   fmt::format("use 1 to {}", scenes)}});
    }
    session.set_script(std::move(script));
    for (int i = 1; i < options.step; ++i)
    {
        session.apply(StageStep{1});
    }
}

void find_the_term(const PictureOptions& options, const Session& session)
{
    const std::vector<GlossaryTerm>& terms = session.frame(0).course->course.glossary;
    if (!options.term.empty() && find_term(terms, options.term) == nullptr)
    {
        const auto near = nearest_terms(terms, options.term, 1);
        end_with({{"--term", fmt::format("there is no term \u201c{}\u201d", options.term),
                   near.empty() ? "" : "did you mean " + terms[near.front()].id + "?"}});
    }
}

// A drill of one question, and what was done with it so far.
Issues ask(const PictureOptions& options, const QuestionBank& bank, Session& session)
{
    const auto card = card_of(bank, options.question, options.seed);
    if (!card)
    {
        Issues unknown;
        add_below(unknown, card.issues(), "--question");
        return unknown;
    }
    StartDrill drill;
    drill.cards.push_back(*card);
    const Action start = to_action(StudyAction(std::move(drill)));
    session.apply(start);
    for (int i = 0; i < options.hints; ++i)
    {
        session.apply(StudyAction(StudyStep{DrillInput{DrillKey::hint}}));
    }
    if (!options.answer.empty())
    {
        session.apply(StudyAction(AnswerQuestion{options.answer}));
    }
    return {};
}

// What the study views show: a file's progress, half a day after its last review. Nothing is written.
Issues open_progress(const PictureOptions& options, const Opened& opened, Session& session)
{
    Issues issues;
    StudyController::Setup setup = study_setup(opened.assets, opened.presets, issues);
    if (!options.progress.empty())
    {
        const auto text = read_text(options.progress, {kMaxJsonBytes});
        const ProgressRead read = text ? read_progress(*text) : ProgressRead{{}, text.issues(), false, true};
        if (!read.whole)
        {
            return of_file(read.issues, options.progress);
        }
        setup.progress = read.progress;
        if (!read.progress.reviews.empty())
        {
            const std::int64_t at = read.progress.reviews.back().time_ms + kDayMs / 2;
            setup.clock = [at] { return StudyTime{at, 0}; };
        }
    }
    const auto asking = setup.asking;
    session.set_study(std::make_unique<StudyController>(std::move(setup)));
    append(issues, options.question.empty() ? Issues() : ask(options, asking->bank(), session));
    return issues;
}

constexpr double kPatience = 120; // [s]
constexpr double kPressed = 5;    // [s] for what keys have started to end

void press_keys(Drawing& drawing, Session& session, std::string_view keys)
{
    for (const char key : keys)
    {
        const int code = key >= '0' && key <= '9'   ? ImGuiKey_0 + (key - '0')
                         : key >= 'a' && key <= 'z' ? ImGuiKey_A + (key - 'a')
                                                    : ImGuiKey_A + (key - 'A');
        for (const bool down : {true, false})
        {
            ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(code), down);
            drawing.build(session, 0, 1.0 / 60);
        }
    }
    session.team().wait(kPressed);
    for (int i = 0; !keys.empty() && i < 3; ++i)
    {
        drawing.build(session, 0, 1.0 / 60);
    }
}

// A real run on the processor with a fixed seed: half-way the learning rate goes up tenfold for a while, and
// the run without that is beside it.
void train_in_lab(LabController& lab, std::int64_t steps)
{
    lab.wake();
    lab.wait(kPatience);
    lab.run_to(steps / 2, kPatience);
    lab.apply(LabCommand::mark);
    lab.apply(LabCommand::sample);
    TrainerConfig config = lab.frame().a.config;
    TrainerConfig hot = config;
    hot.recipe.learning_rate *= 10;
    lab.apply(TurnKnobs{hot});
    lab.run_to(steps * 5 / 8, kPatience);
    lab.apply(TurnKnobs{config});
    lab.run_to(steps, kPatience);
    lab.apply(LabCommand::sample);
    lab.apply(LabCommand::second);
    lab.wait(kPatience);
}

// A switch, pressed half-way; one that needs fp16 after a while in fp16. Every size of the batch.
void press_in_lab(LabController& lab, std::size_t which, std::int64_t steps)
{
    constexpr std::int64_t kEnough = 40; // steps
    const std::int64_t half = std::max(steps, kEnough) / 2;
    std::int64_t step = 0;
    const auto press = [&](std::size_t next)
    {
        step += half;
        lab.run_to(step, kPatience);
        lab.apply(PressSwitch{next});
    };
    lab.wake();
    lab.wait(kPatience);
    if (!lab.frame().switches[which].refusal.empty())
    {
        const auto of = std::ranges::find(lab_switches(), kHalfSwitch, &LabSwitch::id);
        press(static_cast<std::size_t>(of - lab_switches().begin()));
    }
    const bool all = lab_switches()[which].goes_on;
    for (int i = 0; i < (all ? 7 : 1); ++i)
    {
        press(which);
    }
    lab.run_to(step + half, kPatience);
}

Issues open_lab(const PictureOptions& options, const Opened& opened, Session& session)
{
    LabController::Setup setup = lab_setup(opened.assets, opened.presets, "cpu", false);
    setup.probe_seconds = 0.2;
    setup.checkpoint.clear();
    session.set_lab(std::make_unique<LabController>(std::move(setup)));
    LabController& lab = session.lab();
    const auto switches = lab_switches();
    const auto pressed = std::ranges::find(switches, options.demo, &LabSwitch::id);
    if (pressed != switches.end())
    {
        press_in_lab(lab, static_cast<std::size_t>(pressed - switches.begin()), options.steps);
    }
    else if (!options.demo.empty())
    {
        const auto demos = lab_demos();
        const auto found = std::ranges::find(demos, options.demo, &LabDemo::id);
        if (found == demos.end())
        {
            return {{"--demo", fmt::format("there is no demonstration \u201c{}\u201d", options.demo),
                     fmt::format("use one of {}, or of the switches {}",
                                 fmt::join(texts_of(demos, &LabDemo::id), ", "),
                                 fmt::join(texts_of(switches, &LabSwitch::id), ", "))}};
        }
        lab.wake();
        lab.wait(kPatience);
        lab.apply(AskDemo{static_cast<std::size_t>(found - demos.begin())});
        if (options.reveal)
        {
            lab.apply(AnswerDemo{0});
            lab.wait(kPatience);
        }
    }
    else if (options.steps > 0)
    {
        train_in_lab(lab, options.steps);
    }
    else
    {
        lab.wake();
        lab.wait(kPatience);
    }
    return {};
}

// Real steps of three strategies on the same weights.
void train_with_team(TeamController& team, std::int64_t steps)
{
    constexpr std::array<std::size_t, 3> kInTurn{0, 2, 6}; // data parallel, ZeRO-2, a pipeline
    for (std::size_t i = 0; i < kInTurn.size(); ++i)
    {
        const auto until =
            steps * static_cast<std::int64_t>(i + 1) / static_cast<std::int64_t>(kInTurn.size());
        TeamRequest request = team.frame().request;
        request.strategy = kInTurn.at(i);
        team.apply(RequestTeam{request});
        if (until > 0)
        {
            team.run_to(until, kPatience);
        }
    }
}

// Half of the steps with the one kind of checkpoints, half with the other.
void save_with_team(TeamController& team, std::int64_t steps)
{
    TeamRequest request = team.frame().request;
    for (const auto& [mode, until] :
         {std::pair{SaveMode::synchronous, steps / 2}, std::pair{SaveMode::asynchronous, steps}})
    {
        request.saving.mode = mode;
        team.apply(RequestTeam{request});
        if (until > 0)
        {
            team.run_to(until, kPatience);
        }
    }
}

// The ranks that the view shows, trained or watched.
void open_team(const PictureOptions& options, Session& session)
{
    if (!options.watch.empty())
    {
        TeamController::Setup setup;
        setup.watch = options.watch;
        session.set_team(std::make_unique<TeamController>(std::move(setup)));
        session.team().wait(kPatience);
        if (!session.team().frame().started())
        {
            end_with({{"--watch", session.team().frame().fault, ""}});
        }
    }
    else if (options.view == "ranks/bytes")
    {
        TeamController::Setup setup;
        setup.compared_steps = std::max<std::int64_t>(2, options.steps);
        session.set_team(std::make_unique<TeamController>(setup));
        session.team().apply(TeamCommand::compare);
        session.team().wait(kPatience);
    }
    else if (options.view == "ranks/saves")
    {
        save_with_team(session.team(), options.steps);
    }
    else if (options.view == "ranks")
    {
        train_with_team(session.team(), options.steps);
    }
}

void open_measured(const PictureOptions& options, const Presets& presets, Session& session)
{
    if (!options.measured.empty())
    {
        auto set = or_end(read_measured(options.measured, session.scenario(), presets), options.measured);
        end_with(set.rows.empty()
                     ? Issues{{"--measured", "no row says how long a step took", "give measured steps"}}
                     : Issues());
        session.set_measured(std::move(set));
    }
}

} // namespace

Stage::Stage(Opened assets)
    : opened_(std::move(assets)), session_(opened_.presets, default_scenario(opened_.presets)),
      drawing_(find_fonts(opened_.assets))
{
}

void Stage::open_scenarios(const PictureOptions& options, Issues& issues)
{
    const auto open = [&](const std::string& file)
    {
        auto scenario =
            file.empty() ? Result<Scenario>(session_.scenario()) : read_scenario(file, opened_.presets);
        if (!scenario)
        {
            append(issues, scenario.issues());
            return;
        }
        session_.start_with(std::move(*scenario));
    };
    if (!options.compare.empty())
    {
        open(options.compare);
        session_.apply(Command::compare);
    }
    open(options.scenario);
}

void Stage::open_view(const PictureOptions& options)
{
    Issues issues;
    open_team(options, session_);
    session_.set_works(std::make_unique<WorkRunner>(WorkPace::at_once));
    session_.set_course(open_course(opened_.assets, issues), {});
    set_up_measured(session_, opened_.assets, opened_.presets);
    Preferences preferences;
    preferences.light = options.light;
    preferences.high_contrast = options.high_contrast;
    preferences.text_scale = static_cast<float>(options.text_scale);
    preferences.presenter = options.presenter;
    preferences.reduced_motion = true; // nothing on its way from an earlier state
    session_.set_preferences(preferences);
    find_the_term(options, session_);
    if (!options.script.empty())
    {
        open_script(session_, options, opened_);
    }
    else if (options.lesson.empty())
    {
        session_.apply(OpenView{options.view});
    }
    else
    {
        open_lesson(session_, options);
    }
    open_measured(options, opened_.presets, session_);
    if (!options.run.empty())
    {
        session_.take_run(or_end(run_files(options.run)));
    }
    session_.say("");
    ImGui::GetIO().DisplaySize = {static_cast<float>(width_), static_cast<float>(height_)};
    drawing_.prepare(preferences, 1);
    session_.advance(0, motion()); // to where the view rests
    if (!options.term.empty())
    {
        drawing_.shell().show("glossary", options.term);
    }
}

std::unique_ptr<Stage> Stage::open(const PictureOptions& typed, Issues issues)
{
    const PictureOptions options = with_view(typed);
    int width = 0;
    int height = 0;
    check(options, width, height, issues);
    auto stage = std::make_unique<Stage>(open_presets(options));
    stage->width_ = width;
    stage->height_ = height;
    stage->open_scenarios(options, issues);
    append(issues, open_progress(options, stage->opened_, stage->session_));
    if (options.view == id_of(ViewRole::lab) && !has_errors(issues))
    {
        append(issues, open_lab(options, stage->opened_, stage->session_));
    }
    end_with(has_errors(issues) ? issues : Issues());
    stage->open_view(options);
    return stage;
}

void Stage::settle()
{
    // The first frames of a window settle its sizes; a view that is still computing asks for more.
    constexpr int kSettling = 3;
    constexpr int kMostFrames = 5000;
    bool more = true;
    for (int i = 0; i < kSettling || (more && i < kMostFrames); ++i)
    {
        more = drawing_.build(session_, i, 1.0 / 60);
    }
}

void Stage::lay_over(const PictureOptions& options)
{
    if (!options.find.empty())
    {
        drawing_.shell().palette().open();
        drawing_.shell().palette().type(options.find);
    }
    if (options.guide)
    {
        drawing_.shell().guide().toggle();
    }
    if (options.tour > 0)
    {
        drawing_.shell().tour().start(static_cast<std::size_t>(options.tour) - 1);
    }
    for (int i = 0; i < 4; ++i)
    {
        drawing_.build(session_, 0, 1.0 / 60);
    }
}

void Stage::press(std::string_view keys)
{
    press_keys(drawing_, session_, keys);
}

} // namespace ringside
