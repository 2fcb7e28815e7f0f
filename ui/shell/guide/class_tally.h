// The card on which a class is asked before it sees: guesses are typed as they are called out and stand in a
// histogram; then the engine's number is shown among them. Until then the window's figures are hidden.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"

#include <string>
#include <vector>

namespace ringside
{

class ClassTally
{
public:
    // Over the picture's lower right corner, while StageTool::guesses is on.
    void draw(const Frame& frame, const Painter& painter, Out& out);
    // Whether the truth has still to come, so that the figures of the window are to be hidden.
    bool hides(const Frame& frame) const;

private:
    struct Asked
    {
        std::string asks;
        std::string unit;
        double truth = 0; // in `unit`
        bool of_lesson = false;
    };

    // The lesson's prediction, where one is open, else the metric chosen.
    Asked asked(const Frame& frame) const;
    void follow(const Frame& frame);
    bool shown(const Frame& frame) const;
    void draw_head(const Frame& frame, const Painter& painter, Rect row, const Asked& asked);
    void draw_histogram(const Painter& painter, Rect area, const Asked& asked, bool shown) const;
    // The fault of what was typed, or how the guesses stand.
    std::string foot_words(const Asked& asked, bool shown) const;
    void draw_entry(const Painter& painter, Rect row);
    void reveal(const Frame& frame, const Asked& asked, Out& out);

    std::size_t question_ = 0;
    std::vector<double> guesses_;
    std::string entry_;
    std::string fault_;
    std::string of_; // the scene or lesson step these guesses are for
    bool shown_ = false;
    bool open_ = false; // in the last frame
};

} // namespace ringside
