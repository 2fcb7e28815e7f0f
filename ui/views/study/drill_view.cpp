// What do I still know: one question after another, with tries, hints, a worked solution and a grade each.
#include <fmt/format.h>

#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/session_view.h"

namespace ringside
{

namespace
{

class DrillView final : public SessionView<DrillSession>
{
public:
    Caption caption(const Frame& frame) const override
    {
        return drill_caption(*frame.study, session_of(frame));
    }
    std::string title(const Frame& frame) const override
    {
        return drill_title(*frame.study, session_of(frame));
    }
    std::vector<std::string> facts(const Frame& frame) const override;
    ViewKeys keys() override;

private:
    static std::vector<KeyButton> ways_on(const StudyFrame& study, Out& out);
    void draw_start(Sheet& sheet, const StudyFrame& study, Out& out) override
    {
        draw_decks(sheet, study, out);
    }
    void start_keys(const StudyFrame& study, Out& out) override { deck_keys(study, out); }
    void draw_session(const Frame& frame, const DrillSession& drill, const Painter& p, Rect area,
                      Out& out) override
    {
        question_.draw(frame, drill, p, area, out);
    }
    void draw_over(const Frame& frame, const DrillSession& drill, const Painter& p, Rect area,
                   Out& out) override;
    bool draw_session_panel(const Frame& frame, const DrillSession& drill, const Painter& p, Rect area,
                            Out& out) override;
    void session_keys(const Frame& frame, const DrillSession& drill, Out& out) override
    {
        is_over(drill) ? void(press_keys(ways_on(*frame.study, out))) : question_.keys(frame, drill, out);
    }
    void session_typing(const Frame& frame, const DrillSession& drill, Out& out) override
    {
        question_.typing_keys(frame, drill, out);
    }
    void leave(const Frame& frame, const DrillSession& drill, Out& out) override;

    DrillQuestion question_;
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
        {study.end->wrong.empty() ? "" : "Practice these###wrong", "W",
         [&study, &out] { out.push(drill_on(study, study.end->wrong)); },
         study.end->wrong.empty() ? ImGuiKey_None : ImGuiKey_W},
        {"", "Backspace", home, quiz ? ImGuiKey_Backspace : ImGuiKey_None},
        {"", "U", [&out] { press_key(out, DrillKey::undo); }, ImGuiKey_U}};
}

void DrillView::draw_over(const Frame& frame, const DrillSession&, const Painter& p, Rect area, Out& out)
{
    area.cut_bottom(p.px(8));
    draw_buttons(p, area.cut_bottom(p.px(40)), ways_on(*frame.study, out));
    ScrolledSheet sheet(p, area, "###end");
    sheet.page_keys();
    draw_end_card(*sheet, *frame.study, *frame.study->end);
}

bool DrillView::draw_session_panel(const Frame& frame, const DrillSession& drill, const Painter& p, Rect area,
                                   Out& out)
{
    if (is_over(drill))
    {
        return false;
    }
    draw_grades(p, area, *frame.study, drill, out);
    return true;
}

std::vector<std::string> DrillView::facts(const Frame& frame) const
{
    const DrillSession* drill = session_of(frame);
    if (drill == nullptr || is_over(*drill))
    {
        return {fmt::format("{} due", frame.study->due),
                fmt::format("{} questions", frame.study->families.size())};
    }
    return drill_facts(*frame.study, *drill);
}

// Home, or back to the view of a quiz; a drill that is on waits.
void DrillView::leave(const Frame& frame, const DrillSession& drill, Out& out)
{
    if (is_over(drill) || !frame.study->came_from.empty())
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

ViewKeys DrillView::keys()
{
    return {{"Enter", "Check the answer; then take the grade and continue"},
            {"Tab", "Skip, without a grade"},
            {"Space", "Reveal what was to be said; tick a point; continue"},
            {"1 \u2026 4", "Again, Hard, Good, Easy; before that, a choice"},
            {"\u2191 \u2193", "Choose; with Alt move an item of an order"},
            {"H", "The next hint; the first makes Hard the best grade"},
            {"S", "Show me: the view with this question\u2019s scenario"},
            {"N", "New numbers (also R)"},
            {"U", "Undo the last grade"},
            {"W", "At the end: practice what went wrong"},
            {"F", "Flag it, or no longer"},
            {"E", "Your note on it"},
            {"O", "Sources"},
            {"T", "Pause the clock"},
            {"Alt", "With a letter, or 1 or 2 to say what is meant, while typing"},
            {"Esc", "Leave; nothing is lost"}};
}

} // namespace

extern const ViewInfo drill_view{
    30,
    "drill",
    ViewGroup::study,
    "Drill",
    "Drill",
    "Questions with new numbers each time, hints, worked solutions and a grade each",
    {},
    make_view<DrillView>,
    {},
    ViewRole::drill};

} // namespace ringside
