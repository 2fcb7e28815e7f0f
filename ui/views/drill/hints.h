// The three hints, hatched until they are opened, and what opening one costs.
#pragma once

#include "core/study/attempt.h"
#include "core/study/question.h"
#include "ui/views/drill/sheet.h"

namespace ringside
{

// True when the next one was pressed.
bool draw_hints(Sheet& sheet, const Question& question, const Attempt& attempt);

} // namespace ringside
