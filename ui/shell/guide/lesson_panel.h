// What stands round the picture while a lesson runs: its text and buttons in the panel, the prediction below
// the picture, and its keys. Where there is no panel (presenter, narrow windows), one column or band has it
// all.
#pragma once

#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/guide/guess.h"
#include "ui/shell/panel/panel.h"
#include "ui/widgets/markdown.h"

namespace ringside
{

class Sheet;

class LessonPanel
{
public:
    // The panel at the right: step, text, what to do, buttons. `controls` draws the step's free fields.
    void draw(const Frame& frame, const Painter& window, Rect area, Panel& controls, Out& out);
    // Below the picture, where there is a panel: the prediction.
    void draw_question(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // Words, prediction and controls in one place, where there is no panel.
    void draw_compact(const Frame& frame, const Painter& window, Rect area, Panel& controls, Out& out);
    // True when a key was the lesson's, so that the view does not take it too.
    bool keys(const Frame& frame, Out& out);
    // Keys while a text is typed, or Alt is held: letters are keys with Alt alone.
    void typing_keys(const Frame& frame, Out& out);
    // Whether what is typed is the prediction.
    bool is_typed_in() const { return guess_.is_typed_in(); }

    // Height of the prediction below a picture of this height, both [design px]; 0: there is none.
    static float band_height(const LessonFrame& lesson, float picture);

private:
    struct Column
    {
        const Frame& frame;
        Sheet& sheet;
        Out& out;

        const LessonFrame& lesson() const { return *frame.lesson; }
    };

    void follow(const LessonFrame& lesson);
    // Enter in its field goes on. Returns the height used.
    float draw_guess(const Frame& frame, const Painter& painter, Rect area, Out& out);
    bool page_keys(const Frame& frame, Out& out);
    static bool letter_keys(const Frame& frame, Out& out);
    static void own_arrows();
    static void draw_heading(Column& column);
    static void draw_step(Column& column, Panel& controls);
    static void draw_words(Column& column);
    static void draw_text(Column& column, std::string_view text, const MarkdownTypes& types = {});
    static void draw_prediction_box(Column& column);
    static void draw_reveal(Column& column, bool boxed);
    static void draw_task(Column& column);
    static void draw_controls(Column& column, Panel& controls);
    static void draw_end(Column& column);
    static void draw_box(Column& column, std::string_view heading, std::string_view text, bool lit,
                         bool done = false);
    static void draw_buttons(const Frame& frame, const Painter& painter, Rect area, Out& out);
    static void draw_compact_buttons(const Frame& frame, const Painter& painter, Rect& area, Out& out);

    Guess guess_;
    float guess_height_ = 200; // [px] in the last frame without a panel
    std::size_t step_ = 0;     // that guess_ belongs to
    std::string of_;           // lesson that guess_ belongs to
};

// The next thing the lesson waits for: lock in, the next step, the next lesson.
void push_forward(const Frame& frame, bool reveals, Out& out);

} // namespace ringside
