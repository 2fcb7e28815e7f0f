// A lesson as data (schema ringside.lesson/1): short steps over a scenario, with predictions and tasks.
// Reading and its faults; what the engine says of a lesson is in lesson_plan.h, playing it in lesson_state.h.
#pragma once

#include "core/base/json/json_value.h"
#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

// Where the playback of the step's view starts.
struct LessonPlayback
{
    std::optional<double> time; // in the view's units; where the view rests without it
    bool play = false;
    double speed = 1; // 0.25 to 4
};

template <class S>
class JsonTable;
// The field "playback" of a step or scene.
const JsonTable<LessonPlayback>& playback_table();

struct LessonChoice
{
    std::string text;
    std::string when; // condition over metrics; true for exactly one choice
};

// What the user says before seeing it. The truth is an expression over metrics, never a typed number.
struct Prediction
{
    std::string question;
    std::string truth; // expression, in `unit`; empty when there are choices
    std::string unit;  // "%", "GB", "GPUs"; empty for a bare number
    double from = 0;   // ends and step of the slider
    double to = 1;
    double step = 1;
    std::vector<LessonChoice> choices;
    JsonValue then; // path -> value, applied when the truth is shown
    std::string reveal;

    bool is_choice() const { return !choices.empty(); }
};

// A scenario to put right. The step's own scenario is the start, for which `condition` is false.
struct LessonTask
{
    std::string goal;
    std::string condition; // expression over metrics, checked on the user's scenario
    std::string hint;
    JsonValue solution; // one that is known to work
    std::string done;   // what to say when it is met
};

struct LessonStep
{
    std::string heading;
    std::string text;     // Markdown, at most kMostWords words
    std::string scenario; // id of a preset to start from; empty: goes on
    JsonValue set;        // path -> value, kept in the steps that follow
    std::string view;     // or one of its pages, "optimizer/clip"; empty: that of the step before
    LessonPlayback playback;
    std::string highlight;         // a part the view names
    std::vector<std::string> hide; // parts covered until the prediction is locked in; without one, all along
    std::vector<std::string> free; // paths of the fields the user may change
    bool locked = false;           // they are shown and do not move
    bool hidden = false;           // they are not shown
    std::optional<Prediction> predict;
    std::optional<LessonTask> task;
};

struct Lesson
{
    std::string id;    // "bubble"
    std::string topic; // "pipeline": the folder it is in
    int number = 0;    // place in the course, from 1
    std::string title;
    std::string about;
    double minutes = 5;
    std::vector<std::string> concepts;      // "pipeline-bubble"
    std::vector<std::string> prerequisites; // ids of lessons before this one
    std::vector<LessonStep> steps;
};

// What fits the panel and the reader.
inline constexpr std::size_t kMostWords = 60;         // of a step's text, a reveal
inline constexpr std::size_t kMostQuestionWords = 24; // of a question, a goal, a hint
inline constexpr std::size_t kMostHeadingWords = 9;
inline constexpr std::size_t kMostChoiceWords = 9;
inline constexpr std::size_t kMostChoices = 4;

// Reads one lesson; every fault by its path, all at once. `file` is where it was read,
// "pipeline/bubble.json": its folder is the topic and its name the id.
Result<Lesson> lesson_from_json(const nlohmann::json& json, const std::filesystem::path& file);

} // namespace ringside
