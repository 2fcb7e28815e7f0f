#include "app/window/window_film.h"

#include <fmt/format.h>

#include "app/files/files.h"

namespace ringside
{

namespace
{

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
    session_.set_preferences(shown.preferences());
    session_.apply(OpenView{shown.view()});
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
    drawing_.prepare(session_.preferences(), scale);
    ImGui::GetIO().DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
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

std::string WindowFilm::finish()
{
    const Issues issues = recorder_->finish();
    if (!issues.empty())
    {
        return "Not saved: " + to_line(issues.front());
    }
    const bool folder = recorder_->goes_to().extension() != ".mp4";
    return fmt::format("Saved {}{}", recorder_->goes_to().string(),
                       folder ? ", one picture a frame: ffmpeg would make one film of them" : "");
}

} // namespace ringside
