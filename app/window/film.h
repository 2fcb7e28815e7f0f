// A view's motion drawn frame by frame into a recorder. `ringside animate` draws all of it at once, the
// window a frame whenever it has drawn one of its own.
//
// Equal steps from the first moment to the last, at the view's own speed unless asked otherwise, one minute
// at most. Easing goes by the film's clock.
#pragma once

#include "app/session/drawing.h"
#include "app/window/recorder.h"
#include "core/base/sound/stream.h"

#include <chrono>
#include <memory>
#include <optional>

namespace ringside
{

// What is not given is as the view has it.
struct FilmOptions
{
    std::optional<double> fps;
    std::optional<double> seconds; // of the film
    std::optional<double> from;    // moments of the playback, in the view's units
    std::optional<double> to;
};

struct FilmPlan
{
    double from = 0;
    double to = 0;
    int frames = 1;
    double fps = 30;

    // The first frame shows `from`, the last one `to`.
    double at(int frame) const;
};

// At the view's own speed, but no longer than a minute, where nothing else is asked for. GIFs count in
// hundredths of a second.
Result<FilmPlan> plan_film(const Motion& motion, const FilmOptions& options, bool gif);
// Ids of the views that move, with this scenario.
std::vector<std::string> moving_views(const Frame& frame);

// The sound of a film: as many samples for each frame as it is long.
class SoundTrack
{
public:
    void add_frame(const SoundMoment& moment, double fps);
    const std::vector<float>& samples() const { return samples_; }

private:
    SoundStream stream_;
    std::vector<float> samples_;
    std::int64_t frames_ = 0;
};

class Film
{
public:
    // Their ImGui context must be the current one whenever step() is called.
    Film(Session& session, Drawing& drawing, Offscreen& screen, Recorder& recorder, FilmPlan plan);

    // Draws the next frame and hands it over; false when all are.
    bool step();
    double share() const { return static_cast<double>(next_) / static_cast<double>(all()); }
    // The sound of what was drawn so far; empty where the session has sound off.
    const std::vector<float>& sound() const { return track_.samples(); }

private:
    int all() const { return recorder_.samples() + plan_.frames; }

    Session& session_;
    Drawing& drawing_;
    Offscreen& screen_;
    Recorder& recorder_;
    FilmPlan plan_;
    SoundTrack track_;
    int next_ = 0;
    double clock_ = 0; // [s]
};

// An animation that the window saves while people go on working: a session of its own with what was on show,
// drawn frame by frame in the window's OpenGL context.
//
// It shows scenario, comparison and look of the moment it began, with the view in its first state. A running
// lab cannot be drawn again, so there the command line trains one.
class WindowFilm
{
public:
    // Films the view on show, into a file of its name where the program was started. The issue says why there
    // is nothing to save. ImGui's current context is another one afterwards.
    static Result<std::unique_ptr<WindowFilm>> start(const Session& shown, const Presets& presets,
                                                     const FontFiles& fonts, float scale, int width,
                                                     int height);
    WindowFilm(const WindowFilm&) = delete;
    WindowFilm& operator=(const WindowFilm&) = delete;
    // Unless finished, nothing is left behind. ImGui's current context is another one afterwards.
    ~WindowFilm();

    // Draws a frame where the encoder has room for one; false when there are no more. ImGui's current context
    // is another one afterwards.
    bool step();
    Saving saving() const;
    // Waits for the encoder. What to tell the user.
    Notice finish();

private:
    WindowFilm(const Session& shown, const Presets& presets, const FontFiles& fonts);
    Issues open(float scale, int width, int height);

    Session session_;
    Drawing drawing_;
    std::unique_ptr<Offscreen> screen_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<Film> film_;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

} // namespace ringside
