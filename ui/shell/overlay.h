// A window over everything: the search, the keys.
#pragma once

#include "ui/draw/painter.h"

namespace ringside
{

// Scopes inside it (a font, an id) end before it does, as ImGui insists.
class OverlayScope
{
public:
    OverlayScope(const Painter& painter, const char* id, ImVec2 size);
    ~OverlayScope();
    OverlayScope(const OverlayScope&) = delete;
    OverlayScope& operator=(const OverlayScope&) = delete;
};

// How everything that lies over the window looks: padding, border, colour; ended by pop_overlay_style().
void push_overlay_style(const Painter& painter);
void pop_overlay_style();

} // namespace ringside
