// The arrow keys walk along the marks of the picture on show and of its panel. Together they are one stop of
// Tab; while it has the keyboard, whatever is drawn sees the mouse on the mark that the walk is at, and so
// shows its read-out. Left and right follow the order of drawing and reach every mark; up and down go to the
// nearest one there.
#pragma once

#include "ui/draw/marks.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <functional>

namespace ringside
{

class MarkWalk
{
public:
    // At the start of a frame.
    void begin();
    // Charts are drawn on it, where a class draws; null: on none.
    void set_board(CurveBoard* board) { marks_.board = board; }
    // Draws what has marks.
    void draw(const Painter& painter, const std::function<void(const Painter&)>& part);
    // After the picture, which is the last that has marks: moves on by the keys of this frame.
    void walk(const Painter& painter, Rect area, Out& out);
    // The picture gets the keyboard when it is next drawn, if it has marks.
    void take_keyboard() { asked_ = true; }

private:
    void keep_place();
    void move(ImGuiID id);

    Marks marks_;
    std::size_t beside_ = 0; // marks drawn before the picture
    std::size_t at_ = 0;     // index of the mark
    std::size_t before_ = 0; // marks in the last frame
    ImVec2 place_ = {0, 0};  // centre of the mark
    bool asked_ = false;
    bool walked_ = false; // in the last frame
};

} // namespace ringside
