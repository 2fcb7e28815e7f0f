#include "app/window/film.h"

#include <fmt/format.h>

#include "app/files/files.h"
#include "app/sound/sound_player.h"
#include "core/base/ranges.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kMostSeconds = 600;
constexpr double kLongestUnasked = 60; // [s]
constexpr int kMostFilmFrames = 20'000;

void check_moment(Issues& issues, const char* option, double value, double least, double most)
{
    add_if(
        issues, !(value >= least && value <= most),
        {option, fmt::format("{:g} is out of range", value), fmt::format("use {:g} to {:g}", least, most)});
}

// What a session of its own would not show again.
Issues only_here(const Session& shown)
{
    const std::string& view = shown.view();
    if (find_view(view)->role == ViewRole::lab || find_view(view)->role == ViewRole::ranks)
    {
        return {{"", "A run of your own is not drawn again",
                 fmt::format("ringside animate --view {} -o {}.mp4 trains one", view, view)}};
    }
    if (shown.frame(0).lesson != nullptr || !shown.frame(0).back.empty())
    {
        return {
            {"", "Only your own scenario is saved as an animation", "leave the lesson or question first"}};
    }
    return {};
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
    if (plan.frames > kMostFilmFrames)
    {
        return Issue{"--seconds",
                     fmt::format("{} frames are more than the {} that fit", plan.frames, kMostFilmFrames),
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

void SoundTrack::add_frame(const SoundMoment& moment, double fps)
{
    const std::size_t before = samples_.size();
    samples_.resize(
        static_cast<std::size_t>(std::llround(static_cast<double>(++frames_) * kSampleRate / fps)));
    stream_.next(moment, std::span(samples_).subspan(before));
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
    if (!sample && session_.sounds())
    {
        const double length = std::max(1, plan_.frames - 1) / plan_.fps; // [s]
        SoundMoment moment = sound_on_show(session_, drawing_.shell());
        moment.t = t;
        moment.units_per_second = (plan_.to - plan_.from) / length;
        moment.volume = 1;
        track_.add_frame(moment, plan_.fps);
    }
    ++next_;
    return true;
}

WindowFilm::WindowFilm(const Session& shown, const Presets& presets, const FontFiles& fonts)
    : session_(presets, shown.now().scenario), drawing_(fonts)
{
    const Frame frame = shown.frame(0);
    if (frame.before != nullptr)
    {
        session_.start_with(frame.before->scenario);
        session_.apply(Command::compare);
        session_.start_with(shown.now().scenario);
    }
    session_.set_works(std::make_unique<WorkRunner>(WorkPace::at_once));
    session_.set_preferences(shown.preferences());
    session_.apply(OpenView{shown.view()});
    if (shown.sounds())
    {
        session_.apply(TurnTool{StageTool::sound});
    }
}

WindowFilm::~WindowFilm()
{
    drawing_.enter(); // the renderer ends in the context it began in
    film_.reset();
    screen_.reset();
}

Issues WindowFilm::open(float scale, int width, int height)
{
    drawing_.enter();
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    drawing_.prepare(session_.preferences(), scale);
    const Motion motion = drawing_.motion(session_);
    if (motion.duration <= 0)
    {
        return {{"", "This view does not move",
                 fmt::format("these do: {}", fmt::join(moving_views(session_.frame(0)), ", "))}};
    }
    session_.advance(0, motion);
    const auto plan = plan_film(motion, {}, false);
    if (!plan)
    {
        return plan.issues();
    }
    screen_ = Offscreen::beside_window(width, height);
    const auto file = free_name("ringside-" + session_.view() + ".mp4", kFramesFolder);
    auto recorder = Recorder::open({file, width, height, plan->fps});
    if (screen_ == nullptr || !recorder)
    {
        return screen_ == nullptr ? Issues{{"", "This display draws no frames outside the window", ""}}
                                  : recorder.issues();
    }
    screen_->upload_fonts();
    recorder_ = std::move(*recorder);
    film_ = std::make_unique<Film>(session_, drawing_, *screen_, *recorder_, *plan);
    return {};
}

Result<std::unique_ptr<WindowFilm>> WindowFilm::start(const Session& shown, const Presets& presets,
                                                      const FontFiles& fonts, float scale, int width,
                                                      int height)
{
    if (Issues issues = only_here(shown); !issues.empty())
    {
        return issues;
    }
    std::unique_ptr<WindowFilm> film(new WindowFilm(shown, presets, fonts));
    if (Issues issues = film->open(scale, width, height); !issues.empty())
    {
        return issues;
    }
    return film;
}

bool WindowFilm::step()
{
    if (!recorder_->ready())
    {
        return true;
    }
    drawing_.enter();
    return !recorder_->failed() && film_->step();
}

Saving WindowFilm::saving() const
{
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    const double share = film_->share();
    constexpr double kTelling = 0.02; // before that it is a guess
    return {recorder_->goes_to().filename().string(), share,
            share > kTelling ? took * (1 - share) / share : 0};
}

Notice WindowFilm::finish()
{
    const Issues issues = recorder_->finish(film_->sound());
    if (!issues.empty())
    {
        return {"Not saved", {to_line(issues.front())}};
    }
    const bool folder = recorder_->goes_to().extension() != ".mp4";
    return fmt::format("Saved {}{}", recorder_->goes_to().string(),
                       folder ? ", one picture a frame: ffmpeg would make one film of them" : "");
}

} // namespace ringside
