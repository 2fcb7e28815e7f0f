// What the drill says in title, caption and status: from the question, the answer and the clock.
#pragma once

#include "ui/shell/view.h"

namespace ringside
{

std::string drill_title(const StudyFrame& study, const DrillSession* drill);
Caption drill_caption(const StudyFrame& study, const DrillSession* drill);
std::vector<std::string> drill_facts(const StudyFrame& study, const DrillSession& drill);
// How an answer was read, the slip nearest to it and the tolerance.
std::string reading_words(const Question& question, const Verdict* verdict);
// What a view is called: "Memory".
std::string view_name(std::string_view id);

} // namespace ringside
