// An animation that the window saves while people go on working: a session of its own with what was on show,
// drawn frame by frame in the window's OpenGL context.
//
// It shows scenario, comparison and look of the moment it began, with the view in its first state. A running
// lab cannot be drawn again, so there the command line trains one.
#pragma once

#include "app/window/film.h"

#include <chrono>
#include <memory>

namespace ringside
{

class WindowFilm
{
public:
    // Of the view on show, into a file of its name where the program was started. The issue says why there is
    // nothing to save. ImGui's current context is another one afterwards.
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
    // Waits for the encoder. What to tell the person.
    std::string finish();

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
