// A run of months as a calendar: rows of days or weeks, what every stretch was spent on, failures where they
// struck.
#pragma once

#include "ui/views/reliability/goodput/desk.h"

namespace ringside
{

struct CalendarPress
{
    std::optional<double> kill; // [s] a plug is pulled there
};

// Draws what has happened until `now` [s].
CalendarPress draw_calendar(const Painter& painter, Rect area, const RunStory& story, double now);

} // namespace ringside
