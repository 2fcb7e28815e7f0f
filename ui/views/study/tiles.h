// The heat map of the 24 topics: a tile each, coloured by predicted recall, bright where it is forgotten
// first.
#pragma once

#include "ui/shell/study_frame.h"
#include "ui/widgets/painter.h"

namespace ringside
{

// The colour of a recall: one ramp from 100% (deep) to 60% and below (bright), the same on all days.
Colour recall_colour(const Theme& theme, double recall);
// "Predicted recall" and the ramp with its ends.
void draw_recall_legend(const Painter& painter, Rect area);

struct TilesEvent
{
    std::optional<std::size_t> hovered; // index of the topic
    std::optional<std::size_t> clicked;
};
// `on_the_day`: coloured by the recall on the interview's day.
TilesEvent draw_tiles(const Painter& painter, Rect area, const StudyFrame& study, bool on_the_day);
// The three kinds of a topic, beside the mouse.
void draw_topic_tip(const Painter& painter, Rect bounds, const HeatTopic& topic);

} // namespace ringside
