// The scorecard of a mock interview on the screen: a row a question, and how it went by kind.
#pragma once

#include "ui/shell/study_frame.h"
#include "ui/views/drill/sheet.h"

namespace ringside
{

// Returns the question whose row was pressed.
std::optional<std::size_t> draw_scorecard(Sheet& sheet, const StudyFrame& study, const MockSession& mock);
int passed_in(const MockSession& mock);

} // namespace ringside
