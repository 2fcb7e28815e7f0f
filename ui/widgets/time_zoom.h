// Which stretch of a timeline is in sight: the wheel zooms about the cursor, dragging moves, W S A D F do
// both.
#pragma once

#include "ui/widgets/lanes.h"

namespace ringside
{

class TimeZoom
{
public:
    // What is in sight of a timeline of length `all`.
    TimeWindow window(double all) const;
    void reset() { zoomed_.reset(); }
    // The mouse over `field`, the lanes without their names.
    void mouse(Rect field, double all);
    // W and S zoom about `about`, A and D move, F shows all again.
    void keys(double about, double all);

private:
    void zoom(double about, double factor, double all);
    void move(double by, double all);

    std::optional<TimeWindow> zoomed_;
};

} // namespace ringside
