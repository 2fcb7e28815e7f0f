// The lower part of the panel in the view of feeding: pages, settings, and numbers with their working.
#pragma once

#include "ui/draw/painter.h"
#include "ui/views/training/data/state.h"

namespace ringside
{

void draw_data_panel(const Painter& painter, Rect area, DataState& state, const FeedDesk& desk,
                     const Frame& frame, Out& out);
// "122 MB/s"
std::string storage_rate_words(double bytes_per_s);

} // namespace ringside
