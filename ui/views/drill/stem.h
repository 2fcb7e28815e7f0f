// What is asked: stem, what to assume, and the evidence of a diagnosis as charts and logs.
#pragma once

#include "core/study/question.h"
#include "ui/views/drill/sheet.h"

namespace ringside
{

// `lead` stands before the question; may be empty. A quiet stem leaves room for the solution below.
void draw_stem(Sheet& sheet, const Question& question, std::string_view lead, bool quiet = false);
void draw_evidence(Sheet& sheet, const Evidence& evidence);
// "numeric, medium"
std::string kind_of_question(const Question& question);

} // namespace ringside
