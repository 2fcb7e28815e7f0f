// What do I still know: one question after another, with tries, hints, a worked solution and a grade each.
#include <fmt/format.h>

#include "ui/shell/study_frame.h"
#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/parts.h"

#include <array>

namespace ringside
{

namespace
{

const DrillSession* drill_of(const Frame& frame)
{
    return std::get_if<DrillSession>(frame.study->session);
}

class DrillView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override
    {
        return drill_caption(*frame.study, drill_of(frame));
    }
    bool about_scenario() const override { return false; }
    std::string title(const Frame& frame) const override
    {
        return drill_title(*frame.study, drill_of(frame));
    }
    std::vector<std::string> facts(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
    void on_keys(const Frame& frame, Out& out) override;
    void typing_keys(const Frame& frame, Out& out) override;

private:
    static std::vector<KeyButton> ways_on(const StudyFrame& study, Out& out);
    static void draw_over(const StudyFrame& study, const Painter& p, Rect area, Out& out);
    static void draw_idle(const StudyFrame& study, const Painter& p, Rect area, Out& out);
    static void leave(const Frame& frame, const DrillSession& drill, Out& out);

    DrillQuestion question_;
    StudyPopups home_popups_;
};

// What a drill that is over offers.
std::vector<KeyButton> DrillView::ways_on(const StudyFrame& study, Out& out)
{
    const bool quiz = !study.came_from.empty();
    const auto again = [&study, &out, quiz]
    { out.push(quiz ? StudyAction(QuizView{study.came_from}) : StudyAction(what_next(study, *study.end))); };
    const auto home = [&out] { out.push(EndStudy{}); };
    return {
        {quiz ? "One more###again" : "Go on###again", "Enter", again, ImGuiKey_Enter, ButtonStyle::primary},
        {quiz ? fmt::format("Back to {}###home", view_name(study.came_from)) : "Home###home", "Esc", home,
         ImGuiKey_Escape},
        {study.end->wrong.empty() ? "" : "Practise these###wrong", "W",
         [&study, &out] { out.push(drill_on(study, study.end->wrong)); },
         study.end->wrong.empty() ? ImGuiKey_None : ImGuiKey_W},
        {"", "Backspace", home, quiz ? ImGuiKey_Backspace : ImGuiKey_None},
        {"", "U", [&out] { press_key(out, DrillKey::undo); }, ImGuiKey_U}};
}

void DrillView::draw_over(const StudyFrame& study, const Painter& p, Rect area, Out& out)
{
    area.cut_bottom(p.px(8));
    draw_buttons(p, area.cut_bottom(p.px(40)), ways_on(study, out));
    ScrolledSheet sheet(p, area, "###end");
    sheet.page_keys();
    draw_end_card(*sheet, study, *study.end);
}

void DrillView::draw_idle(const StudyFrame& study, const Painter& p, Rect area, Out& out)
{
    if (!draw_no_questions(p, area, study))
    {
        ScrolledSheet sheet(p, area, "###start");
        sheet.page_keys();
        draw_start(*sheet, study, out);
    }
}

void DrillView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr)
    {
        draw_idle(*frame.study, p, area, out);
    }
    else if (drill->stage == DrillStage::over)
    {
        draw_over(*frame.study, p, area, out);
    }
    else
    {
        question_.draw(frame, *drill, p, area, out);
    }
    home_popups_.draw(frame, p, out);
}

bool DrillView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr || drill->stage == DrillStage::over)
    {
        return home_popups_.draw_panel(frame, p, area, out);
    }
    const GradesEvent event = draw_grades(p, area, *frame.study, *drill);
    if (event.given)
    {
        out.push(StudyStep{DrillInput{GradeInput{*event.given}}});
    }
    if (event.undo)
    {
        press_key(out, DrillKey::undo);
    }
    return true;
}

std::vector<std::string> DrillView::facts(const Frame& frame) const
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr || drill->stage == DrillStage::over)
    {
        return {fmt::format("{} due", frame.study->due),
                fmt::format("{} questions", frame.study->families.size())};
    }
    return drill_facts(*frame.study, *drill);
}

// Home, or back to the view of a quiz; the drill waits.
void DrillView::leave(const Frame& frame, const DrillSession& drill, Out& out)
{
    if (!frame.study->came_from.empty())
    {
        out.push(EndStudy{});
        return;
    }
    if (!drill.paused_ms)
    {
        press_key(out, DrillKey::pause);
    }
    out.push(OpenView{"study"});
}

void DrillView::on_keys(const Frame& frame, Out& out)
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr)
    {
        start_keys(*frame.study, out);
        return;
    }
    if (drill->stage == DrillStage::over)
    {
        press_keys(ways_on(*frame.study, out));
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        leave(frame, *drill, out);
    }
    else
    {
        question_.keys(frame, *drill, out);
    }
}

void DrillView::typing_keys(const Frame& frame, Out& out)
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr || drill->stage == DrillStage::over)
    {
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        leave(frame, *drill, out);
    }
    else
    {
        question_.typing_keys(frame, *drill, out);
    }
}

ViewKeys DrillView::keys()
{
    return {{"Enter", "Check the answer; then take the grade and go on"},
            {"Tab", "Skip, without a grade"},
            {"Space", "Reveal what was to be said; tick a point; go on"},
            {"1 \u2026 4", "Again, Hard, Good, Easy; before that, a choice"},
            {"\u2191 \u2193", "Choose; with Alt move an item of an order"},
            {"H", "The next hint; the first makes Hard the best grade"},
            {"S", "Show me: the view with this question\u2019s scenario"},
            {"N", "New numbers (also R)"},
            {"U", "Undo the last grade"},
            {"W", "At the end: practise what went wrong"},
            {"F", "Flag it, or no longer"},
            {"E", "Your note on it"},
            {"O", "Sources"},
            {"T", "Pause the clock"},
            {"Alt", "With a letter, or 1 or 2 to say what is meant, while typing"},
            {"Esc", "Leave; nothing is lost"}};
}

} // namespace

extern const ViewInfo drill_view;
const ViewInfo drill_view{
    44,      "drill",
    "Study", "Drill",
    "Drill", "Questions with new numbers each time, hints, worked solutions and a grade each",
    {},      [] { return std::unique_ptr<View>(std::make_unique<DrillView>()); },
    {},      ViewRole::drill};

} // namespace ringside
