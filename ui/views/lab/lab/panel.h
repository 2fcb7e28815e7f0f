// The lab's panel: hyperparameters that act while it trains, switches with what each will do, the list of
// demonstrations, and what starts and stops.
#pragma once

#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/lab_frame.h"
#include "ui/widgets/panel_column.h"

namespace ringside
{

enum class LabPage : std::uint8_t
{
    knobs,
    switches,
    demos
};

class LabPanel
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out);
    void show(LabPage page) { page_ = page; }
    LabPage page() const { return page_; }

private:
    void draw_knobs(PanelColumn& column, const LabFrame& lab, Out& out);

    LabPage page_ = LabPage::knobs;
    std::size_t run_ = 0; // that the hyperparameters belong to
};

} // namespace ringside
