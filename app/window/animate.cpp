// `ringside animate`: a view's motion as a film, drawn with no display.
#include "app/commands/console/options.h"
#include "app/commands/console/progress_bar.h"
#include "app/window/film.h"
#include "app/window/stage.h"

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
int draw_all(Film& film, Recorder& recorder)
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
    const Issues issues = recorder.finish();
    return issues.empty() ? kDone : print_faults(issues);
}

struct AnimateOptions : PictureOptions
{
    FilmOptions film;
};

int run_animate(const AnimateOptions& o)
{
    Issues issues;
    const std::filesystem::path path = o.output;
    add_if(issues, path.extension() != ".gif" && path.extension() != ".mp4",
           {"-o",
            path.empty() ? std::string("no file to write")
                         : fmt::format("\u201c{}\u201d is neither GIF nor MP4", o.output),
            "give -o FILE.gif or FILE.mp4"});
    const auto opened = Stage::open(o, std::move(issues));
    Stage& stage = *opened;
    Preferences moving = stage.session().preferences();
    moving.reduced_motion = false;
    stage.session().set_preferences(moving);
    const Motion motion = stage.motion();
    if (motion.duration <= 0)
    {
        return print_faults({stands_still(o, stage.session().frame(0))});
    }
    const FilmPlan plan = or_end(plan_film(motion, o.film, path.extension() == ".gif"));
    const auto screen = or_end(Offscreen::create(stage.width(), stage.height()));
    const auto recorder = or_end(Recorder::open({path, stage.width(), stage.height(), plan.fps}));
    screen->upload_fonts();
    stage.settle();
    stage.press(o.press);
    Film frames(stage.session(), stage.drawing(), *screen, *recorder, plan);
    const int status = draw_all(frames, *recorder);
    if (status == kDone && recorder->goes_to() != path)
    {
        warn("ffmpeg is not on PATH, so the {} frames are in {} (on Debian: apt-get install ffmpeg)\n",
             plan.frames, recorder->goes_to().string());
    }
    return status;
}

void add_animate_options(CLI::App& app, AnimateOptions& o)
{
    add_what_is_drawn(app, o);
    app.add_option("--fps", o.film.fps, "frames per second, 1 to 60; default 30, or 25 for GIF");
    app.add_option("--seconds", o.film.seconds,
                   "length of the film; default: the view's own speed, at most a minute");
    app.add_option("--from", o.film.from, "start of the playback, in the view's units");
    app.add_option("--to", o.film.to, "end of the playback, in the view's units");
    app.add_option("-o,--output", o.output, "file to write: .gif or .mp4");
}

} // namespace

const CliCommand animate_command = command<add_animate_options, run_animate>(
    "animate", "draw a view's animation into a GIF or MP4 file, with ffmpeg");

} // namespace ringside
