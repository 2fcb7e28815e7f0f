// What a question is shown as: pips, stem, evidence, hints, what the check said, the worked solution.
#pragma once

#include "core/study/grading/grading.h"
#include "ui/shell/study_frame.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

// One for each question, and at the right what kind this one is.
void draw_pips(const Painter& painter, Rect row, const std::vector<Pip>& pips, std::string_view right);

// What is asked, and what to assume. `lead` stands before it; may be empty. A quiet stem leaves room for the
// solution below.
void draw_stem(Sheet& sheet, const Question& question, std::string_view lead, bool quiet = false);
// Of a diagnosis, as charts and logs.
void draw_evidence(Sheet& sheet, const Evidence& evidence);
// "numeric, medium"
std::string kind_of_question(const Question& question);

// The three hints, hatched until they are opened. True when the next one was pressed.
bool draw_hints(Sheet& sheet, const Question& question, const Attempt& attempt);

// What the check said of an answer, never the key. `right` is "try 2 of 3"; may be empty.
void draw_verdict(Sheet& sheet, const Verdict& verdict, std::string_view right = {});

// What is right and why, after grading: worked solution with its steps aligned, the engine's terms, causes,
// a legal order, the model answer.
void draw_solution(Sheet& sheet, const Question& question);
// The answer that was meant, on one line: "1.12 TB"; empty where it takes more than that.
std::string short_answer(const Question& question);

// Why there is nothing to ask, where there is nothing; true when it was drawn.
bool draw_no_questions(const Painter& painter, Rect area, const StudyFrame& study);
// In place of a question that could not be made, or of any while the clock is paused. True when its button
// was pressed.
bool draw_no_question(const Painter& painter, Rect area, const StudyFrame& study, const char* label = nullptr,
                      std::string_view key = {});
bool draw_paused(const Painter& painter, Rect area);

// Tab and the arrows belong to the question, not to going from item to item. Called every frame.
void keep_keys();

// How a letter that does something is pressed: with Alt while what is typed goes into an answer.
std::string letter_key(std::string_view letter);

// "03:07"
std::string clock_words(double seconds);

} // namespace ringside
