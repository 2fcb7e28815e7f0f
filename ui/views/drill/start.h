// Before a drill: which deck to ask, by what is due, by kind, by topic.
#pragma once

#include "ui/shell/view.h"
#include "ui/views/drill/sheet.h"

namespace ringside
{

// Draws the choices; the one that was pressed is pushed.
void draw_start(Sheet& sheet, const StudyFrame& study, Out& out);
void start_keys(const StudyFrame& study, Out& out);
// "Nothing to ask" where there are no questions; true when it was drawn.
bool draw_no_questions(Sheet& sheet, const StudyFrame& study);

} // namespace ringside
