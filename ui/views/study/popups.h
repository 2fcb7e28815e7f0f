// What the study view asks before it acts: which mock, which date, which file, which task, which score.
#pragma once

#include "ui/shell/view.h"

#include <map>

namespace ringside
{

class StudyPopups
{
public:
    enum class Which
    {
        mock,
        interview,
        files,
        plan,
        skills,
        leeches
    };
    // Opens at the next draw.
    void open(Which which) { asked_ = which; }
    // Once a frame, with the window's ids.
    void draw(const Frame& frame, const Painter& painter, Out& out);

private:
    void draw_mock(const Painter& painter, Out& out);
    void draw_interview(const Frame& frame, const Painter& painter, Out& out);
    void draw_files(const Frame& frame, const Painter& painter, Out& out);
    void draw_skills(const Frame& frame, const Painter& painter, Out& out);
    void draw_leeches(const Frame& frame, const Painter& painter, Out& out);
    void draw_plan(const Frame& frame, const Painter& painter, Out& out);

    std::optional<Which> asked_;
    std::string skill_; // being judged
};

} // namespace ringside
