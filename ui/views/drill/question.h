// One question of a drill, from the stem to the grade: draws it by the session's stage, takes its keys, and
// remembers what is entered and ticked. The session itself is not its own.
#pragma once

#include "ui/views/drill/entry.h"
#include "ui/views/drill/points.h"
#include "ui/views/drill/popups.h"

namespace ringside
{

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
    void press_foot(const Shown& s, std::string_view label);

    void check(const Shown& s);
    void submit(const Shown& s);
    static void go_on(const Shown& s);
    void tick_points(const Shown& s) const;
    bool letters(const Frame& frame, const DrillSession& drill, Out& out);
    bool letters_of_question(const Frame& frame, Out& out);
    void keys_asking(const Shown& s);
    void keys_grading(const Shown& s);

    AnswerEntry entry_;
    Points points_;
    QuestionPopups popups_;
    ScrolledSheet scrolled_;
    std::string item_; // whose points these are
    int tries_ = 0;    // wrong ones that the entry knows of
};

void press_key(Out& out, DrillKey key);

} // namespace ringside
