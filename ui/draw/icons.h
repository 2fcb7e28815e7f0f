// The rail's pictures, drawn with lines and squares.
#pragma once

#include "ui/draw/painter.h"

namespace ringside
{

// The icon of a group of views; groups without one get their first letter.
void group_icon(const Painter& painter, ImVec2 centre, std::string_view group, Colour colour);
void logo(const Painter& painter, ImVec2 centre);

} // namespace ringside
