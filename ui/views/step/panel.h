// The options of a step in the panel: those the strategy on show has.
#pragma once

#include "core/engine/step_life.h"
#include "ui/widgets/controls.h"

namespace ringside
{

class StepPanel
{
public:
    // True when something was changed in `options`.
    bool draw(const Painter& painter, Rect area, StepOptions& options, const StepLife& life);

private:
    // Values a slider stops at.
    struct Choice
    {
        const char* label;
        std::string shown;
        std::span<const double> values;
        const char* tip;
    };
    // The value it is moved to; `value` where it is left alone.
    double slide(const Painter& painter, Rect& area, const Choice& choice, double value);

    TypedEntry entry_;
};

} // namespace ringside
