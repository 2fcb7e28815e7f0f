#include "app/window/animate.h"

#include <fmt/format.h>

#include "app/progress_bar.h"
#include "app/window/stage.h"

#include <csignal>
#include <cstdio>

namespace ringside
{

namespace
{

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a signal's
volatile std::sig_atomic_t interrupted = 0;

// What a shell expects of a program that SIGINT ended.
constexpr int kInterrupted = 130;

Issue stands_still(const PictureOptions& options, const Frame& frame)
{
    const auto ids = moving_views(frame);
    return {"--view", fmt::format("\u201c{}\u201d does not move with this scenario", options.view),
            fmt::format("use one of {}, or draw it with ringside picture", fmt::join(ids, ", "))};
}

// 0, the interrupt's status, or that of what went wrong.
int draw_all(Film& film, Recorder& recorder)
{
    std::signal(SIGINT, [](int) { interrupted = 1; });
    std::signal(SIGTERM, [](int) { interrupted = 1; });
    ProgressBar bar;
    while (interrupted == 0 && !recorder.failed() && film.step())
    {
        bar.show(film.share());
    }
    bar.clear();
    if (interrupted != 0)
    {
        fmt::print(stderr, "stopped; nothing was written\n");
        return kInterrupted;
    }
    const Issues issues = recorder.finish();
    return issues.empty() ? kDone : print_faults(issues);
}

} // namespace

int run_animate(const CommonOptions& common, const PictureOptions& options, const FilmOptions& film)
{
    Issues issues;
    const std::filesystem::path path = options.output;
    if (path.extension() != ".gif" && path.extension() != ".mp4")
    {
        issues.push_back({"-o",
                          path.empty() ? std::string("no file to write")
                                       : fmt::format("\u201c{}\u201d is neither GIF nor MP4", options.output),
                          "give -o FILE.gif or FILE.mp4"});
    }
    auto opened = Stage::open(common, options, std::move(issues));
    if (!opened)
    {
        return print_faults(opened.issues());
    }
    Stage& stage = **opened;
    Preferences moving = stage.session().preferences();
    moving.reduced_motion = false;
    stage.session().set_preferences(moving);
    const Motion motion = stage.motion();
    if (motion.duration <= 0)
    {
        return print_faults({stands_still(options, stage.session().frame(0))});
    }
    const auto plan = plan_film(motion, film, path.extension() == ".gif");
    if (!plan)
    {
        return print_faults(plan.issues());
    }
    auto screen = Offscreen::create(stage.width(), stage.height());
    if (!screen)
    {
        return print_faults(screen.issues());
    }
    auto recorder = Recorder::open({path, stage.width(), stage.height(), plan->fps});
    if (!recorder)
    {
        return print_faults(recorder.issues());
    }
    (*screen)->upload_fonts();
    stage.settle();
    stage.press(options.press);
    Film frames(stage.session(), stage.drawing(), **screen, **recorder, *plan);
    const int status = draw_all(frames, **recorder);
    if (status == kDone && (*recorder)->goes_to() != path)
    {
        fmt::print(stderr,
                   "ffmpeg is not on PATH, so the {} frames are in {} (on Debian: apt-get install ffmpeg)\n",
                   plan->frames, (*recorder)->goes_to().string());
    }
    return status;
}

} // namespace ringside
