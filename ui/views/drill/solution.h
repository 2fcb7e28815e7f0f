// What is right and why, after grading: worked solution with its steps aligned, the engine's terms, causes,
// a legal order, the model answer.
#pragma once

#include "core/study/question.h"
#include "ui/views/drill/sheet.h"

namespace ringside
{

void draw_solution(Sheet& sheet, const Question& question);
// The answer that was meant, on one line: "1.12 TB"; empty where it takes more than that.
std::string short_answer(const Question& question);

} // namespace ringside
