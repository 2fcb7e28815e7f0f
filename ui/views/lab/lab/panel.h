// The lab's panel: knobs that act while it trains, the list of demonstrations, and what starts and stops.
#pragma once

#include "ui/shell/frame.h"
#include "ui/shell/lab_frame.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

class LabPanel
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void show_demos(bool shown) { demos_ = shown; }

private:
    void draw_knobs(PanelColumn& column, const LabFrame& lab, Out& out);

    bool demos_ = false;
    std::size_t run_ = 0; // that the knobs belong to
};

// Start or pause, and the small ones beside: every command with its key.
void draw_lab_buttons(const Painter& painter, Rect area, const LabFrame& lab, Out& out);

} // namespace ringside
