// What the study view says: its question, sentences and facts, from the numbers of the day.
#pragma once

#include "ui/shell/view.h"

namespace ringside
{

std::string study_title(const StudyFrame& study);
Caption study_caption(const StudyFrame& study);
std::vector<std::string> study_facts(const StudyFrame& study);
// The line under "Today's mission", or about the session that is on.
std::string mission_words(const StudyFrame& study);
// "A drill is on: 3 of 12 answered."; empty when none is.
std::string session_words(const StudyFrame& study);
// The view of the session that is on, where there is one; empty otherwise.
std::string_view session_view(const StudyFrame& study);
std::string kind_words(const PlanTask& task); // "drill, 10 min"
// 0.943 -> "94%"
std::string whole_percent(double share);

} // namespace ringside
