// What a presenter has switched on: tools over the picture, and the
// demonstration that is walked through.
//
// Figures are hidden where they are written, in Painter, so no view knows of it and none forgets one; digits
// that belong to names stay (core/base/text/hide_numbers.h), and so do those of controls, questions and keys.
// A frozen picture is an old `Evaluated` in the Frame: what changes meanwhile is computed and waits. A
// demonstration goes on from the user's own scenario, with undo.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace ringside
{

struct DemoScene;
struct DemoScript;
struct DrawnHands;

enum class StageTool
{
    spotlight, // everything is dimmed but a circle at the mouse
    pen,       // the mouse draws over the window
    numbers,   // figures of picture, caption and status are hidden
    freeze,    // the picture stays with the scenario it shows
    guesses,   // the class is asked, and its guesses are typed in
    black,     // nothing is shown
    curve,     // the class draws its guess on empty axes
    sound      // what plays is heard
};
inline constexpr std::size_t kStageTools = 8;

struct StageFrame
{
    std::array<bool, kStageTools> on{};
    const DemoScript* script = nullptr; // null: none is walked through
    std::size_t scene = 0;
    std::span<const DemoScript> scripts{};   // that ship
    std::shared_ptr<const DrawnHands> hands; // that were pasted last; null: none
    std::int64_t pasted = 0;                 // how often hands were
    bool no_sound = false;                   // this machine has none, so it is only written

    bool has(StageTool tool) const { return on[static_cast<std::size_t>(tool)]; }
    const DemoScene* at() const; // null: none is walked through
    // The scene, while its view is the one on show; null elsewhere.
    const DemoScene* on_show(std::string_view view) const;
};

// What a class can be asked: a metric in the unit people say it in.
struct ClassQuestion
{
    std::string_view metric; // of metrics(); "step.mfu"
    std::string_view asks;   // "What fraction of the peak does it reach?"
    std::string_view unit;   // "%", "GB"; empty for a bare number
    double scale;            // metric times this is in `unit`
};
std::span<const ClassQuestion> class_questions();
// The metric of the first question in this view, which shows it; empty: it shows none of them.
std::string_view class_metric(std::string_view view);

} // namespace ringside
