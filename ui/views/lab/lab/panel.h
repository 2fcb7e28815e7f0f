// The lab's panel: hyperparameters that act while it trains, the list of demonstrations, and what starts and
// stops.
#pragma once

#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/lab_frame.h"
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
    std::size_t run_ = 0; // that the hyperparameters belong to
};

} // namespace ringside
