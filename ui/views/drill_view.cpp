// What do I still know: one question after another, with tries, hints, a worked solution and a grade each.
#include <fmt/format.h>

#include "ui/views/drill/finish.h"
#include "ui/views/drill/grades.h"
#include "ui/views/drill/head.h"
#include "ui/views/drill/question.h"
#include "ui/views/drill/start.h"
#include "ui/views/drill/words.h"
#include "ui/views/study/panel.h"
#include "ui/views/study/popups.h"

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
    void keys(const Frame& frame, Out& out) override;
    void typing_keys(const Frame& frame, Out& out) override;

private:
    void draw_over(const Frame& frame, const Painter& p, Rect area, Out& out);
    void draw_idle(const Frame& frame, const Painter& p, Rect area, Out& out);
    static void keys_over(const Frame& frame, Out& out);
    static void leave(const Frame& frame, const DrillSession& drill, Out& out);

    DrillQuestion question_;
    StudyPopups home_popups_;
    ScrolledSheet scrolled_;
};

void DrillView::draw_over(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const StudyFrame& study = *frame.study;
    const bool quiz = !study.came_from.empty();
    area.cut_bottom(p.px(8));
    const Rect row = area.cut_bottom(p.px(40));
    const std::array buttons{
        KeyButton{quiz ? "One more###again" : "Go on###again", "Enter", true},
        KeyButton{quiz ? fmt::format("Back to {}###home", view_name(study.came_from)) : "Home###home",
                  "Esc"}};
    const auto pressed = draw_buttons(p, row, buttons);
    if (pressed == 0U)
    {
        out.push(quiz ? StudyAction(QuizView{study.came_from}) : StudyAction(what_next(study, *study.end)));
    }
    else if (pressed)
    {
        out.push(EndStudy{});
    }
    scrolled_.draw(p, area, "end", [&](Sheet& sheet) { draw_end_card(sheet, study, *study.end); });
}

void DrillView::draw_idle(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    scrolled_.draw(p, area, "start",
                   [&](Sheet& sheet)
                   {
                       if (!draw_no_questions(sheet, *frame.study))
                       {
                           draw_start(sheet, *frame.study, out);
                       }
                   });
}

void DrillView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr)
    {
        draw_idle(frame, p, area, out);
    }
    else if (drill->stage == DrillStage::over)
    {
        draw_over(frame, p, area, out);
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
        const StudyPanelEvent event = draw_study_panel(p, area, *frame.study);
        if (event.interview || event.skills)
        {
            home_popups_.open(event.interview ? StudyPopups::Which::interview : StudyPopups::Which::skills);
            out.animating = true;
        }
        return true;
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

void DrillView::keys_over(const Frame& frame, Out& out)
{
    const StudyFrame& study = *frame.study;
    const bool quiz = !study.came_from.empty();
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false))
    {
        out.push(quiz ? StudyAction(QuizView{study.came_from}) : StudyAction(what_next(study, *study.end)));
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) ||
             (quiz && ImGui::IsKeyPressed(ImGuiKey_Backspace, false)))
    {
        out.push(EndStudy{});
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_U, false))
    {
        press_key(out, DrillKey::undo);
    }
}

void DrillView::keys(const Frame& frame, Out& out)
{
    const DrillSession* drill = drill_of(frame);
    if (drill == nullptr)
    {
        start_keys(*frame.study, out);
        return;
    }
    if (drill->stage == DrillStage::over)
    {
        keys_over(frame, out);
        return;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_Escape, false))
    {
        leave(frame, *drill, out);
        return;
    }
    question_.keys(frame, *drill, out);
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

constexpr std::array kKeys{KeyHelp{"Enter", "Check the answer; then take the grade and go on"},
                           KeyHelp{"Tab", "Skip, without a grade"},
                           KeyHelp{"Space", "Reveal what was to be said; tick a point; go on"},
                           KeyHelp{"1 \u2026 4", "Again, Hard, Good, Easy; before that, a choice"},
                           KeyHelp{"\u2191 \u2193", "Choose; with Alt move an item of an order"},
                           KeyHelp{"H", "The next hint; the first makes Hard the best grade"},
                           KeyHelp{"S", "Show me: the view with this question\u2019s scenario"},
                           KeyHelp{"N", "New numbers (also R)"},
                           KeyHelp{"U", "Undo the last grade"},
                           KeyHelp{"F", "Flag it, or no longer"},
                           KeyHelp{"E", "Your note on it"},
                           KeyHelp{"O", "Sources"},
                           KeyHelp{"T", "Pause the clock"},
                           KeyHelp{"Alt", "With a letter, while an answer is typed"},
                           KeyHelp{"Esc", "Leave; nothing is lost"}};

} // namespace

extern const ViewInfo drill_view;
const ViewInfo drill_view{91,
                          "drill",
                          "Study",
                          "Drill",
                          "What do I still know?",
                          "Questions with new numbers each time, hints, worked solutions and a grade each",
                          {},
                          kKeys,
                          [] { return std::unique_ptr<View>(std::make_unique<DrillView>()); }};

} // namespace ringside
