// Three tanks and the pipes between them: what of one GPU lies where, and what flows at a moment of the step.
#pragma once

#include "core/performance/offload.h"
#include "ui/shell/tween.h"

namespace ringside
{

struct TankLevels
{
    std::array<std::array<Tween, kComponents>, kTanks> parts;
};

struct TankStyle
{
    double clock = 0;   // [s] of the step
    bool keys = true;   // empty tanks say what fills them
    TankLevels& levels; // as drawn before, to ease from
};

void draw_tanks(const Frame& frame, const Painter& painter, Rect area, const OffloadReport& placed,
                const TankStyle& style, Out& out);

} // namespace ringside
