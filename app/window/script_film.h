// A demonstration played on its own clock and drawn frame by frame: every scene for as long as it says, with
// the keys that it presses.
#pragma once

#include "app/window/film.h"

#include <string>
#include <vector>

namespace ringside
{

// A key and how often, by ImGui's names: "UpArrow*3 Enter Ctrl+B".
struct FilmKey
{
    ImGuiKey key = ImGuiKey_None;
    bool ctrl = false;
};
// What is no key is named.
Result<std::vector<FilmKey>> read_film_keys(std::string_view words);

class ScriptFilm
{
public:
    // The session walks through a script already. Faults of its keys go to `issues`.
    ScriptFilm(Session& session, Drawing& drawing, Offscreen& screen, Recorder& recorder, double fps,
               Issues& issues);

    // Draws the next frame and hands it over; false when all are.
    bool step();
    double share() const { return at_ / seconds_; }
    // Empty where no scene has any.
    const std::vector<float>& sound() const { return track_.samples(); }

private:
    struct Press
    {
        double at; // [s] since the film began
        FilmKey key;
    };
    void press(FilmKey key);

    Session& session_;
    Drawing& drawing_;
    Offscreen& screen_;
    Recorder& recorder_;
    double fps_;
    std::vector<double> ends_;   // [s] of the scenes
    std::vector<Press> presses_; // in order
    double seconds_ = 0;
    bool sounds_ = false;
    SoundTrack track_;
    std::int64_t frame_ = 0;
    double at_ = 0; // [s]
    std::size_t scene_ = 0;
    std::size_t pressed_ = 0;
};

} // namespace ringside
