// The view's page of the user guide, beside the picture or, where there is no room beside it, in its place;
// with the lessons about the view. F1 opens and closes it.
#pragma once

#include "ui/shell/view.h"

namespace ringside
{

class GuidePanel
{
public:
    bool on() const { return on_; }
    void toggle() { on_ = !on_; }
    void close() { on_ = false; }
    // What it takes of a window's width, both [design px]; 0: nothing, as it is closed or stands in the
    // picture's place.
    float beside(const Frame& frame, float wide) const;
    // `area` is its place: from the rail on, above the status.
    void draw(const Frame& frame, const Painter& painter, Rect area, const ViewInfo& info, Out& out);

private:
    void draw_page(const Frame& frame, const Painter& painter, Rect area, const ViewInfo& info, Out& out);

    bool on_ = false;
    std::string of_; // the view whose page was drawn last: another one begins at its top
};

} // namespace ringside
