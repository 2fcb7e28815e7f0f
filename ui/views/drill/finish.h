// The end of a drill: how it went, what is remembered longer now, what to go on with.
#pragma once

#include "ui/shell/study_frame.h"
#include "ui/views/drill/sheet.h"

namespace ringside
{

void draw_end_card(Sheet& sheet, const StudyFrame& study, const EndCard& end);
// The deck that helps most now: what is due, else the weakest topic.
StartDrill what_next(const StudyFrame& study, const EndCard& end);
std::string title_of(const StudyFrame& study, std::string_view family);

} // namespace ringside
