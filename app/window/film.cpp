#include "app/window/film.h"

#include <fmt/format.h>

#include "core/base/ranges.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kMostSeconds = 600;
constexpr double kLongestUnasked = 60; // [s]
constexpr int kMostFrames = 20'000;

void check_moment(Issues& issues, const char* option, double value, double least, double most)
{
    add_if(
        issues, !(value >= least && value <= most),
        {option, fmt::format("{:g} is out of range", value), fmt::format("use {:g} to {:g}", least, most)});
}

} // namespace

double FilmPlan::at(int frame) const
{
    return frames > 1 ? from + (to - from) * static_cast<double>(frame) / (frames - 1) : to;
}

Result<FilmPlan> plan_film(const Motion& motion, const FilmOptions& o, bool gif)
{
    constexpr double kFilm = 30;
    constexpr double kGif = 25;
    Issues issues;
    FilmPlan plan;
    plan.fps = o.fps.value_or(gif ? kGif : kFilm);
    plan.from = o.from.value_or(0);
    plan.to = o.to.value_or(motion.duration);
    check_moment(issues, "--fps", plan.fps, 1, 60);
    check_moment(issues, "--from", plan.from, 0, motion.duration);
    check_moment(issues, "--to", plan.to, 0, motion.duration);
    add_if(issues, issues.empty() && !(plan.from < plan.to),
           {"--to", fmt::format("{:g} does not come after {:g}", plan.to, plan.from),
            "give a later moment than --from"});
    const double own = motion.per_second > 0 ? (plan.to - plan.from) / motion.per_second : kLongestUnasked;
    const double seconds = o.seconds.value_or(std::clamp(own, 0.1, kLongestUnasked));
    check_moment(issues, "--seconds", seconds, 0.1, kMostSeconds);
    if (!issues.empty())
    {
        return issues;
    }
    if (gif)
    {
        plan.fps = 100 / std::max(2.0, std::round(100 / plan.fps)); // what the format can say
    }
    plan.frames = std::max(2, static_cast<int>(std::round(seconds * plan.fps)));
    if (plan.frames > kMostFrames)
    {
        return Issue{"--seconds",
                     fmt::format("{} frames are more than the {} that fit", plan.frames, kMostFrames),
                     "use fewer seconds or frames per second"};
    }
    return plan;
}

std::vector<std::string> moving_views(const Frame& frame)
{
    return list_where<std::string>(
        views(), [&](const ViewInfo* info) { return info->make()->motion(frame).duration > 0; },
        [&](const ViewInfo* info) { return std::string(info->id); });
}

Film::Film(Session& session, Drawing& drawing, Offscreen& screen, Recorder& recorder, FilmPlan plan)
    : session_(session), drawing_(drawing), screen_(screen), recorder_(recorder), plan_(plan)
{
}

bool Film::step()
{
    if (next_ >= all())
    {
        return false;
    }
    const int samples = recorder_.samples();
    const bool sample = next_ < samples;
    const double t =
        sample ? plan_.from + (plan_.to - plan_.from) * (next_ + 0.5) / samples : plan_.at(next_ - samples);
    session_.apply(Seek{t});
    // Nothing is on its way from an earlier moment where the clock has jumped.
    constexpr int kSettling = 60;
    const int most = sample || next_ == samples ? kSettling : 1;
    bool more = true;
    for (int i = 0; i < most && more; ++i)
    {
        clock_ += 1 / plan_.fps;
        more = drawing_.build(session_, clock_, 1 / plan_.fps);
    }
    screen_.draw();
    recorder_.add(screen_.read());
    ++next_;
    return true;
}

} // namespace ringside
