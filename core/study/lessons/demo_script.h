// A demonstration as data (schema ringside.demo/1): named scenes that a presenter walks through in front of a
// class, each a scenario in a view. Unlike a lesson it asks nothing of the user at the keyboard.
#pragma once

#include "core/scenario/presets.h"
#include "core/study/lessons/lesson.h"

#include <span>

namespace ringside
{

// Title and text with their numbers filled in from the scenario: no count of it is typed.
// Keys that are pressed in a film, evenly from one moment of the scene to another.
struct ScenePress
{
    std::string keys; // as `picture --press` takes them
    double from = 0;  // [s]
    double to = 0;    // [s]
};

struct DemoScene
{
    std::string title;
    std::string text; // what the class may read; may be empty
    Scenario scenario;
    std::string view; // or one of its pages: "optimizer/clip"
    LessonPlayback playback;
    bool hide_numbers = false;     // until they are shown
    std::string ask;               // a metric the class is asked to guess; empty: none
    bool draw = false;             // the class draws the view's curve before it sees it
    bool sound = false;            // what plays is heard
    double seconds = 15;           // in a film
    std::vector<ScenePress> press; // in a film
};

struct DemoScript
{
    std::string title;
    std::vector<DemoScene> scenes; // at least one
};

inline constexpr std::size_t kMostScenes = 200;

// Every fault by its path. A scene goes on from the scenario and view of the one before; the first one from
// the default scenario. `views` are the ids there are, `asked` the metrics a class may be asked for.
Result<DemoScript> demo_script_from_json(const nlohmann::json& json, const Presets& presets,
                                         std::span<const std::string_view> views,
                                         std::span<const std::string_view> asked);

} // namespace ringside
