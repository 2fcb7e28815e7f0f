// A drill before it, while it is on and after it: decks to begin with, a question with its grades, how it
// went, and what title, caption and status say of it. The session itself is not theirs.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/view.h"
#include "ui/views/study/drill/answer.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

// Draws the choices; the one that was pressed is pushed.
void draw_decks(Sheet& sheet, const StudyFrame& study, Out& out);
void deck_keys(const StudyFrame& study, Out& out);
// One topic, the least remembered questions first.
StartDrill topic_drill(std::string_view topic);
// The weakest topics, or where nothing was asked yet, new questions.
StartDrill weakest_drill(const StudyFrame& study);

// Questions that went wrong when they were last asked: all of them, or those of a session.
StartDrill wrong_drill();
StartDrill drill_on(const StudyFrame& study, std::span<const std::string> families);
int wrong_now(const StudyFrame& study);

void draw_end_card(Sheet& sheet, const StudyFrame& study, const EndCard& end);
// The deck that helps most now: what is due, else the weakest topic.
StartDrill what_next(const StudyFrame& study, const EndCard& end);
std::string title_of(const StudyFrame& study, std::string_view family);

class DrillQuestion
{
public:
    // The drill asks or grades.
    void draw(const Frame& frame, const DrillSession& drill, const Painter& painter, Rect area, Out& out);
    void keys(const Frame& frame, const DrillSession& drill, Out& out);
    // Letters with Alt, while something is typed.
    void typing_keys(const Frame& frame, const DrillSession& drill, Out& out);

private:
    // Everything the drawing of a question looks at.
    struct Shown
    {
        const Frame& frame;
        const StudyFrame& study;
        const DrillSession& drill;
        const Question& question;
        Out& out;

        const DrillItem& item() const { return drill.items[drill.at]; }
        bool asking() const { return drill.stage == DrillStage::asking; }
        bool said() const { return item().revealed; }
    };

    void follow(const Shown& s);
    void draw_question(Sheet& sheet, const Shown& s);
    void draw_answer(Sheet& sheet, const Shown& s);
    void draw_graded(Sheet& sheet, const Shown& s);
    void draw_foot(const Painter& p, Rect row, const Shown& s);
    // What its letters do, in the order of the buttons below the question.
    std::vector<KeyButton> actions(const Frame& frame, const DrillSession& drill, Out& out);

    void check(const Shown& s);
    void submit(const Shown& s);
    static void go_on(const Shown& s);
    void tick_points(const Shown& s) const;
    void keys_asking(const Shown& s);
    void keys_grading(const Shown& s);

    AnswerEntry entry_;
    Points points_;
    QuestionPopups popups_;
    int tries_ = 0; // wrong ones that the entry knows of
};

void press_key(Out& out, DrillKey key);

void give_grade(Out& out, Grade grade);

// The panel of a drill that is on.
void draw_grades(const Painter& painter, Rect area, const StudyFrame& study, const DrillSession& drill,
                 Out& out);
// Those that can be given, where there is no panel.
std::vector<KeyButton> grade_buttons(const DrillSession& drill, Out& out);
// What Enter gives: the best grade that is left, while asking if the next answer is right. That one could
// teach it is the user's to say.
Grade offered_grade(const DrillSession& drill, std::int64_t now_ms);

std::string drill_title(const StudyFrame& study, const DrillSession* drill);
Caption drill_caption(const StudyFrame& study, const DrillSession* drill);
std::vector<std::string> drill_facts(const StudyFrame& study, const DrillSession& drill);
// How an answer was read, the slip nearest to it and the tolerance.
std::string reading_words(const Question& question, const Verdict* verdict);
// What a view is called: "Memory".
std::string view_name(std::string_view id);

} // namespace ringside
