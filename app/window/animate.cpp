// `ringside animate`: a view's motion, or the scenes of a demonstration, as a film, drawn with no display.
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/window/script_film.h"
#include "app/window/stage.h"
#include "core/base/sound/score.h"

namespace ringside
{

namespace
{

Issue stands_still(const PictureOptions& options, const Frame& frame)
{
    const auto ids = moving_views(frame);
    return {"--view", fmt::format("\u201c{}\u201d does not move with this scenario", options.view),
            fmt::format("use one of {}, or draw it with ringside picture", fmt::join(ids, ", "))};
}

// 0, the interrupt's status, or that of what went wrong.
template <class AnyFilm>
int draw_all(AnyFilm& film, Recorder& recorder)
{
    stop_on_signals();
    ProgressBar bar;
    while (!stopped() && !recorder.failed() && film.step())
    {
        bar.show(film.share());
    }
    bar.clear();
    if (stopped())
    {
        warn("stopped; nothing was written\n");
        return stop_status(kNo);
    }
    const Issues issues = recorder.finish(film.sound());
    return issues.empty() ? kDone : print_faults(issues);
}

struct AnimateOptions : PictureOptions
{
    FilmOptions film;
    bool sound = false;
    std::string scenes; // of a demonstration that is filmed as a whole; empty: one view's motion
};

Issues faults_of_output(const std::filesystem::path& path, const AnimateOptions& o)
{
    Issues issues;
    const bool gif = path.extension() == ".gif";
    add_if(issues, !gif && path.extension() != ".mp4",
           {"-o",
            path.empty() ? std::string("no file to write")
                         : fmt::format("\u201c{}\u201d is neither GIF nor MP4", path.string()),
            "give -o FILE.gif or FILE.mp4"});
    add_if(issues, o.sound && gif, {"--sound", "a GIF has none", "give -o FILE.mp4"});
    add_if(issues, o.sound && !has_ffmpeg(),
           {"--sound", "ffmpeg is not on PATH", "on Debian: apt-get install ffmpeg"});
    return issues;
}

void add_sound(Stage& stage, const AnimateOptions& o)
{
    if (!o.sound)
    {
        return;
    }
    if (stage.drawing().shell().view(stage.session().view()).sound(stage.session().frame(0)) == nullptr)
    {
        end_with({{"--sound", fmt::format("\u201c{}\u201d has none with this scenario", o.view),
                   "pipelines, ring and lab have"}});
    }
    stage.session().apply(TurnTool{StageTool::sound});
}

void say_where(const Recorder& recorder, const std::filesystem::path& path)
{
    if (recorder.goes_to() != path)
    {
        warn("ffmpeg is not on PATH, so the frames are in {} (on Debian: apt-get install ffmpeg)\n",
             recorder.goes_to().string());
    }
}

// All scenes of a demonstration, each as long as it says.
int film_scenes(Stage& stage, const std::filesystem::path& path, double fps)
{
    const auto screen = or_end(Offscreen::create(stage.width(), stage.height()));
    const auto recorder = or_end(Recorder::open({path, stage.width(), stage.height(), fps}));
    screen->upload_fonts();
    DemoScript script = *stage.session().frame(0).stage->script;
    stage.session().set_script(std::move(script)); // from its first moment, and now it moves
    stage.session().say("");
    Issues issues;
    ScriptFilm film(stage.session(), stage.drawing(), *screen, *recorder, fps, issues);
    end_with(issues);
    const int status = draw_all(film, *recorder);
    if (status == kDone)
    {
        say_where(*recorder, path);
    }
    return status;
}

int film_motion(Stage& stage, const std::filesystem::path& path, const AnimateOptions& o)
{
    const Motion motion = stage.motion();
    if (motion.duration <= 0)
    {
        return print_faults({stands_still(o, stage.session().frame(0))});
    }
    const FilmPlan plan = or_end(plan_film(motion, o.film, path.extension() == ".gif"));
    const auto screen = or_end(Offscreen::create(stage.width(), stage.height()));
    const auto recorder = or_end(Recorder::open({path, stage.width(), stage.height(), plan.fps}));
    screen->upload_fonts();
    add_sound(stage, o);
    stage.settle();
    stage.press(o.press);
    Film frames(stage.session(), stage.drawing(), *screen, *recorder, plan);
    const int status = draw_all(frames, *recorder);
    if (status == kDone)
    {
        say_where(*recorder, path);
    }
    return status;
}

int run_animate(const AnimateOptions& typed)
{
    AnimateOptions o = typed;
    o.script = o.scenes.empty() ? o.script : o.scenes;
    o.output = o.output.empty() && !o.scenes.empty() ? o.scenes + ".mp4" : o.output;
    const std::filesystem::path path = o.output;
    Issues issues = faults_of_output(path, o);
    const FilmPlan plan = or_end(plan_film({.duration = 1}, {.fps = o.film.fps}, false));
    const auto opened = Stage::open(o, std::move(issues));
    Stage& stage = *opened;
    Preferences moving = stage.session().preferences();
    moving.reduced_motion = false;
    stage.session().set_preferences(moving);
    return o.scenes.empty() ? film_motion(stage, path, o) : film_scenes(stage, path, plan.fps);
}

void add_animate_options(CLI::App& app, AnimateOptions& o)
{
    add_what_is_drawn(app, o);
    app.add_option("--fps", o.film.fps, "frames per second, 1 to 60; default 30, or 25 for GIF");
    app.add_option("--seconds", o.film.seconds,
                   "length of the film; default: the view's own speed, at most a minute");
    app.add_option("--from", o.film.from, "start of the playback, in the view's units");
    app.add_option("--to", o.film.to, "end of the playback, in the view's units");
    app.add_flag("--sound", o.sound, "with what the view sounds like, in an MP4: pipelines, ring, lab");
    app.add_option("--film", o.scenes,
                   "all scenes of a demonstration, a file or name, each as long as it says");
    app.add_option("-o,--output", o.output, "file to write: .gif or .mp4");
}

} // namespace

const CliCommand animate_command = command<add_animate_options, run_animate>(
    "animate", "draw a view's animation into a GIF or MP4 file, with ffmpeg");

} // namespace ringside
