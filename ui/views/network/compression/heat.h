// One step of one rank as a sum of pictures: gradient + carried over = sent + left out.
#pragma once

#include "core/network/compression/run.h"
#include "ui/draw/painter.h"

namespace ringside
{

// What stands under each picture, and whether what is left out is lost.
struct HeatStyle
{
    std::string gradient;
    std::string carried;
    std::string sent;
    std::string left;
    bool lost = false;
};

// Height the four pictures want at this width.
float heat_height(const Painter& painter, float width);
void draw_heat(const Painter& painter, Rect area, const CompressionMoment& moment, const HeatStyle& style);
// Minus, zero, plus; its width.
float draw_heat_key(const Painter& painter, float right, float middle);

} // namespace ringside
