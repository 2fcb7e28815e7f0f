// Quantities of one equation as tiles, one of them solved for: pressing a tile solves for it. As many stand
// in a row as show their figures whole; without room for tiles each is a line.
#pragma once

#include "ui/widgets/controls.h"

namespace ringside
{

struct Solvable
{
    std::string_view name;
    std::string_view brief; // where the name has no room
    std::string figure;
    std::string tip = {};
    std::string_view sign = {}; // before it: "="
    bool wrong = false;         // it has no solution
};

// The one that was pressed. Takes the tiles' room off the area, at most `most` of its height.
std::optional<std::size_t> draw_quantities(const Painter& painter, Rect& area, std::span<const Solvable> all,
                                           std::size_t solved, float most);

} // namespace ringside
