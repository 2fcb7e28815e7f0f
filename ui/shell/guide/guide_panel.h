// The view's page of the user guide, beside the picture or, where there is no room beside it, in its place;
// with the lessons about the view. F1 opens and closes it.
//
// F1 is the guide's in every view, so the lab's demonstrations begin at F2.
#pragma once

#include "ui/shell/view.h"

namespace ringside
{

class Sheet;

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
    void draw_page(const Frame& frame, Sheet& sheet, const ViewInfo& info, Out& out);

    bool on_ = false;
};

} // namespace ringside
