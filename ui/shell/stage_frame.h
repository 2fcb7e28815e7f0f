// What somebody who shows the window to a class has switched on: tools over the picture, and the
// demonstration that is walked through.
#pragma once

#include "core/base/place.h"
#include "core/study/demo_script.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace ringside
{

enum class StageTool
{
    spotlight, // everything is dimmed but a circle at the mouse
    pen,       // the mouse draws over the window
    numbers,   // figures of picture, caption and status are hidden
    freeze,    // the picture stays with the scenario it shows
    guesses    // the class is asked, and its guesses are typed in
};
inline constexpr std::size_t kStageTools = 5;

struct StageFrame
{
    std::array<bool, kStageTools> on{};
    const DemoScript* script = nullptr; // null: none is walked through
    std::size_t scene = 0;

    bool has(StageTool tool) const { return on[static_cast<std::size_t>(tool)]; }
    const DemoScene* at() const { return script == nullptr ? nullptr : &script->scenes[scene]; }
    // The scene, while its view is the one on show; null elsewhere.
    const DemoScene* on_show(std::string_view view) const
    {
        return script != nullptr && view_of(at()->view) == view ? at() : nullptr;
    }
};

// Turns a tool on or off.
struct TurnTool
{
    StageTool tool;
};
// The next scene of the script, or the one before.
struct StageStep
{
    int by; // 1 or -1
};

// What a class can be asked: a metric in the unit people say it in.
struct ClassQuestion
{
    std::string_view metric; // of metrics(); "step.mfu"
    std::string_view asks;   // "What share of the peak does it reach?"
    std::string_view unit;   // "%", "GB"; empty for a bare number
    double scale;            // metric times this is in `unit`
};
std::span<const ClassQuestion> class_questions();

} // namespace ringside
