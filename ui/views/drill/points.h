// The points a good answer makes, ticked by the person who gave it. Says nothing of grades.
#pragma once

#include "core/study/question.h"
#include "ui/views/drill/sheet.h"

#include <optional>

namespace ringside
{

// What is ticked: the rubric, or the strong points of a design, or the answer as a whole.
const std::vector<std::string>& points_of(const Question& question);

class Points
{
public:
    // All off, the cursor on the first.
    void reset(std::size_t count);
    const std::vector<bool>& made() const { return made_; }
    int ticked() const;
    bool done() const { return cursor_ >= made_.size(); } // the cursor is behind the last

    // Draws a row each; a click flips it. True when one changed.
    bool draw(Sheet& sheet, const std::vector<std::string>& points, bool with_cursor = true);
    // Space ticks and goes on, arrows move. True when one changed.
    bool keys();
    void set(const std::vector<bool>& made) { made_ = made; }
    // The point that the last change was about.
    std::size_t last() const { return last_; }

private:
    std::vector<bool> made_;
    std::size_t cursor_ = 0;
    std::size_t last_ = 0;
};

} // namespace ringside
