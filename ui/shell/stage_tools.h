// What a presenter lays over the window: a spotlight at the mouse, a pen whose strokes
// stay with the view they were drawn on, and black. Which of them is on stands in StageFrame.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <map>
#include <string>
#include <vector>

namespace ringside
{

class StageTools
{
public:
    // Over everything else of the window. While the pen is on the mouse is its own.
    void draw(const Frame& frame, const Painter& painter, Out& out);
    // The pen's keys; true where it has taken them.
    bool keys(const Frame& frame, Out& out);

private:
    struct Stroke
    {
        std::size_t ink = 0;
        std::vector<ImVec2> points; // shares of the window, so that they stay where they are when it grows
    };

    void draw_strokes(const Painter& painter, ImDrawList& list, const std::vector<Stroke>& strokes) const;
    void draw_pen(const Painter& painter, std::vector<Stroke>& strokes);
    void draw_spotlight(const Painter& painter);
    static void draw_black(Out& out);

    std::map<std::string, std::vector<Stroke>, std::less<>> strokes_; // by view
    std::size_t ink_ = 0;
    bool drawing_ = false;
    float radius_ = 130; // of the spotlight [design px]
};

} // namespace ringside
