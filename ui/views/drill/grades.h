// Beside the question: what each grade would do to its card, as forgetting curves and as buttons with the
// next interval; which grades are out of reach and why; how well it is remembered now.
#pragma once

#include "ui/shell/study_frame.h"
#include "ui/widgets/painter.h"

namespace ringside
{

struct GradesEvent
{
    std::optional<Grade> given;
    bool undo = false;
};
// The panel of a drill that is on.
GradesEvent draw_grades(const Painter& painter, Rect area, const StudyFrame& study,
                        const DrillSession& drill);
// The four buttons alone in one row, where there is no panel.
std::optional<Grade> draw_grade_row(const Painter& painter, Rect area, const DrillSession& drill);
// What Enter gives: the best grade that is left, while asking if the next answer is right. That one could
// teach it is the person's to say.
Grade offered_grade(const DrillSession& drill, std::int64_t now_ms);

} // namespace ringside
