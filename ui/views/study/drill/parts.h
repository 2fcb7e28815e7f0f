// What a question is shown as: its place in the session, stem, evidence, hints, what the check said, the
// worked solution.
#pragma once

#include "core/study/grading/grading.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

// The questions of a session in a row, numbered where there is room.
struct QuestionPlaces
{
    std::vector<Pip> pips;
    std::size_t at;                                   // the one on show
    std::string_view right = {};                      // where there is room: what kind it is
    std::function<void(std::size_t)> go_to = nullptr; // null: one cannot
};

// A question of a session: its place above, what can be done below, and what stands in its place while the
// clock is paused or where it could not be made. Tab and the arrows belong to it.
struct QuestionPage
{
    const StudyFrame& study;
    QuestionPlaces places;
    bool paused = false;
    std::string about = {};                         // another one begins at its top
    std::function<void()> resume = nullptr;         // after a pause
    std::function<void()> skip = nullptr;           // null: one cannot
    std::function<void(Rect)> foot = nullptr;       // where there is room
    std::function<void(Sheet&)> question = nullptr; // not asked for while there is none
};
void draw_page(const Painter& painter, Rect area, const QuestionPage& page);
// Enter, also that of the keypad, or Space.
bool enter_pressed(bool or_space = true);

// What is asked, and what to assume. `lead` stands before it; may be empty. A quiet stem leaves room for the
// solution below.
void draw_stem(Sheet& sheet, const Question& question, std::string_view lead, bool quiet = false);
// Draws the evidence of a diagnosis, as charts and logs.
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
// In place of a question that could not be made. True when its button was pressed.
bool draw_no_question(const Painter& painter, Rect area, const StudyFrame& study,
                      const char* label = nullptr);

// Tab and the arrows belong to the question, not to going from item to item. Called every frame.
void keep_keys();

// "03:07"
std::string clock_words(double seconds);

} // namespace ringside
