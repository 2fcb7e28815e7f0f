// What a lesson lays over a picture: a ring round the part it speaks of, and a cover over the parts that
// would tell what is to be predicted.
#pragma once

#include "ui/draw/painter.h"

namespace ringside
{

// Takes what was drawn inside the parts named off the list again, from index `first` on, and covers their
// place. So nothing covered is drawn at all.
void cover_parts(const Painter& painter, const std::vector<NamedPart>& parts,
                 const std::vector<std::string>& names, int first);

// Bounds of all parts of this name; without a width where there is none.
Rect bounds_of(const std::vector<NamedPart>& parts, std::string_view name);
// Dims all of `area` but the part, and rings it. `strength` from 0 to 1 eases it in. Nothing without such a
// part.
void ring_part(const Painter& painter, Rect area, const std::vector<NamedPart>& parts, std::string_view name,
               float strength);

// While it lives, the mouse is elsewhere; nowhere unless a place is given, so that what is drawn meanwhile
// shows no tips and takes no clicks.
class MouseAway
{
public:
    explicit MouseAway(bool away, ImVec2 to = {-FLT_MAX, -FLT_MAX}) : at_(ImGui::GetIO().MousePos)
    {
        if (away)
        {
            ImGui::GetIO().MousePos = to;
        }
    }
    ~MouseAway() { ImGui::GetIO().MousePos = at_; }
    MouseAway(const MouseAway&) = delete;
    MouseAway& operator=(const MouseAway&) = delete;

private:
    ImVec2 at_;
};

} // namespace ringside
