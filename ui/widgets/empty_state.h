// In place of a picture that has nothing to show: why, what to do about it, and the button that does it.
#pragma once

#include "ui/draw/painter.h"

namespace ringside
{

struct WorkStatus;

// In the middle of `area`, without what has no room. True when the button was pressed.
bool empty_state(const Painter& painter, Rect area, std::string_view heading, std::string_view says = {},
                 const char* label = nullptr, std::string_view key = {});

// How far work is, along the top, which it takes off the area; why it failed, in place of a picture. False:
// it failed.
bool draw_status(const Painter& painter, Rect& area, const WorkStatus& status);
// In one sentence, of work that failed.
std::string fault_sentence(const WorkStatus& status);

} // namespace ringside
