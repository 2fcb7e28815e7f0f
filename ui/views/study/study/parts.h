// The parts of the study's home: the heat map of the topics, the panel beside it, what is asked before
// something begins, and its words.
#pragma once

#include "ui/draw/painter.h"
#include "ui/shell/frame/study_frame.h"
#include "ui/shell/view.h"

namespace ringside
{

// What a mock interview of so many minutes is, by place in kMockMinutes.
std::string_view mock_words(std::size_t place);

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
        leeches,
        backups
    };
    // Opens at the next draw.
    void open(Which which) { asked_ = which; }
    // Beside the heat map, and where no session is on: how far to ready, what the next days ask for.
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out);
    // Once a frame, with the window's ids.
    void draw(const Frame& frame, const Painter& painter, Out& out);

private:
    static void draw_mock(const Painter& painter, Out& out);
    void draw_files(const StudyFrame& study, const Painter& painter, Out& out);
    static void draw_backups(const StudyFrame& study, const Painter& painter, Out& out);
    static void draw_leeches(const StudyFrame& study, const Painter& painter, Out& out);
    static void draw_plan(const StudyFrame& study, const Painter& painter, Out& out);
    void draw_interview(const StudyFrame& study, const Painter& painter, Out& out);
    void draw_skills(const StudyFrame& study, const Painter& painter, Out& out);

    std::optional<Which> asked_;
    std::string skill_; // being judged
};

// What is to be asked: the interview's date, or how well the user knows what.
std::optional<StudyPopups::Which> draw_study_panel(const Painter& painter, Rect area,
                                                   const StudyFrame& study);

// What a tile says of its topic.
enum class TileFigure
{
    right, // share of the questions seen that were right when last asked
    recall // predicted: on the interview's day where there is one, else today
};
// Nothing while nothing of the topic was seen.
std::optional<double> figure_of(const HeatTopic& topic, TileFigure figure);
// One ramp from 100% (deep) to its other end (bright), which is 60% for recall.
Colour figure_colour(const Theme& theme, double value, TileFigure figure);
// The ramp with its ends.
void draw_tiles_legend(const Painter& painter, Rect area, TileFigure figure);

struct TilesEvent
{
    std::optional<std::size_t> hovered; // index of the topic
    std::optional<std::size_t> clicked;
};
TilesEvent draw_tiles(const Painter& painter, Rect area, const StudyFrame& study, TileFigure figure);
// The three kinds of a topic, beside the mouse.
void draw_topic_tip(const Painter& painter, Rect bounds, const HeatTopic& topic);

std::string study_title(const StudyFrame& study);
Caption study_caption(const StudyFrame& study);
std::vector<std::string> study_facts(const StudyFrame& study);
// The line under "Today's mission", or about the session that is on.
std::string mission_words(const StudyFrame& study);
// "A drill is on: 3 of 12 answered."; empty when none is.
std::string session_words(const StudyFrame& study);
// The view of the session that is on, where there is one; empty otherwise.
std::string_view session_view(const StudyFrame& study);
std::string kind_words(const PlanTask& task); // "drill, 10 min"
// The first of today's tasks that asks questions and is not done; null where there is none.
const PlanTask* next_task(const StudyFrame& study);
void start_task(const PlanTask& task, Out& out);
// 0.943 -> "94%"
std::string whole_percent(double share);

} // namespace ringside
