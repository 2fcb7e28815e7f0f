// A shape for every kind of erratum; only what is plainly wrong is red as well.
#pragma once

#include "core/study/errata.h"
#include "ui/widgets/painter.h"

namespace ringside
{

// About 14 design pixels wide and high.
void draw_mark(const Painter& painter, ImVec2 centre, ErratumKind kind, Colour ink);
std::string_view words_of(ErratumKind kind); // "a value is lost"

} // namespace ringside
