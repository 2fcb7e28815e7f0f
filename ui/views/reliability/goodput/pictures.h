// The pictures of goodput: months of a run as a calendar, what an interval between checkpoints costs, and the
// parts of the wall clock.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/reliability/goodput/desk.h"

#include <optional>

namespace ringside
{

struct CalendarPress
{
    std::optional<double> kill; // [s] a failure is injected there
};

// Draws what has happened until `now` [s].
CalendarPress draw_calendar(const Painter& painter, Rect area, const RunStory& story, double now);

// The interval that is asked for [s]; 0: the best there is.
std::optional<double> draw_interval_curve(const Painter& painter, Rect area, const RunDesk& desk);

float parts_height(const Painter& painter);
void draw_parts(const Painter& painter, Rect area, const RunDesk& desk, double now);

} // namespace ringside
