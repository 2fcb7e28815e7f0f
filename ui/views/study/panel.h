// Beside the heat map: how far to ready, and what the next days ask for.
#pragma once

#include "ui/shell/study_frame.h"
#include "ui/widgets/painter.h"

namespace ringside
{

struct StudyPanelEvent
{
    bool interview = false; // its date is to be set
    bool skills = false;    // the person wants to judge their own skills
};
StudyPanelEvent draw_study_panel(const Painter& painter, Rect area, const StudyFrame& study);

} // namespace ringside
