// Beside a question: the person's note on it, and where it comes from.
#pragma once

#include "ui/shell/view.h"

#include <string>

namespace ringside
{

class QuestionPopups
{
public:
    void open_note(const StudyFrame& study);
    void open_sources() { sources_asked_ = true; }
    // Once a frame, with the view's ids. The note is pushed when Enter confirms it.
    void draw(const Frame& frame, const Painter& painter, Out& out);

private:
    void draw_note(const StudyFrame& study, const Painter& painter, Out& out);

    std::string note_;
    bool note_asked_ = false;
    bool sources_asked_ = false;
    bool fresh_ = false; // opened this frame: it takes the keyboard
};

} // namespace ringside
