// A step's time against the tokens through a GPU: where compute grows past the shelf.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/memory/offload/shelves.h"

#include <optional>

namespace ringside
{

struct TokenWish
{
    double tokens = 0; // dragged to
    int steps = 0;     // or moved by the arrow keys
};

// The scenario's own point can be dragged; returns where to.
std::optional<TokenWish> draw_tokens(const Painter& painter, Rect area, const Shelves& shelves);

} // namespace ringside
