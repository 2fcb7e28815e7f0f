#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/views/study/drill/session.h"

#include <algorithm>

namespace ringside
{

void press_key(Out& out, DrillKey key)
{
    out.push(StudyStep{DrillInput{key}});
}

void give_grade(Out& out, Grade grade)
{
    out.push(StudyStep{DrillInput{GradeInput{grade}}});
}

// What the view remembers is about one item; another one starts anew.
void DrillQuestion::follow(const Shown& s)
{
    const std::string place = fmt::format("{} {}", s.drill.started_ms, s.drill.at);
    if (entry_.show(s.question, place, s.item().answer))
    {
        tries_ = s.item().attempt.wrong;
        points_.reset(points_of(s.question).size());
    }
    if (s.item().attempt.wrong > tries_ && s.study.verdict != nullptr && s.asking())
    {
        entry_.was_wrong(s.question, *s.study.verdict);
    }
    tries_ = s.item().attempt.wrong;
    if (!s.asking() && s.said() && !s.item().automatic && !points_.made().empty())
    {
        tick_points(s); // so that the grade starts at what is ticked: nothing
        s.out.animating = true;
    }
}

void DrillQuestion::tick_points(const Shown& s) const
{
    s.out.push(
        StudyStep{DrillInput{RubricInput{points_.ticked(), static_cast<int>(points_.made().size()), true}}});
}

void DrillQuestion::check(const Shown& s)
{
    const std::string text = entry_.text(s.question);
    if (!text.empty())
    {
        s.out.push(AnswerQuestion{text});
        entry_.tried(s.question);
        entry_.focus();
    }
}

// Enter and Space while asking.
void DrillQuestion::submit(const Shown& s)
{
    if (AnswerEntry::is_said(s.question))
    {
        press_key(s.out, DrillKey::reveal);
        return;
    }
    check(s);
}

void DrillQuestion::go_on(const Shown& s)
{
    give_grade(s.out, offered_grade(s.drill, s.study.now.ms));
}

void DrillQuestion::draw_answer(Sheet& sheet, const Shown& s)
{
    const Painter& p = sheet.p;
    const bool said = AnswerEntry::is_said(s.question);
    const bool beside = s.question.kind == QuestionKind::numeric && sheet.width() > p.px(640);
    const float buttons = beside ? p.px(312) : 0;
    const float top = sheet.y();
    Sheet left(p, {sheet.x(), top, sheet.width() - buttons, 0});
    if (entry_.draw(left, s.question, {true, s.study.verdict, s.study.unread}, s.out.animating))
    {
        check(s);
    }
    std::vector<KeyButton> all{{said ? "Reveal###check" : "Check###check", said ? "Space" : "Enter",
                                [&] { submit(s); }, ImGuiKey_None, ButtonStyle::primary},
                               {"Skip###skip", "Tab", [&] { press_key(s.out, DrillKey::skip); }}};
    if (s.question.goal && !said)
    {
        all.push_back({"Say it instead###aloud", "Alt A", [&] { press_key(s.out, DrillKey::reveal); }});
    }
    Rect row{sheet.x(), left.y() + p.px(4), std::min(sheet.width(), p.px(540)), p.px(40)};
    if (beside)
    {
        row = {sheet.x() + sheet.width() - buttons + p.px(24), top, buttons - p.px(24), p.px(72)};
    }
    draw_buttons(p, row, all);
    sheet.take(std::max(left.y(), row.bottom()) - top + p.px(8));
    if (s.study.verdict != nullptr && s.item().attempt.wrong > 0)
    {
        draw_verdict(sheet, *s.study.verdict,
                     fmt::format("try {} of {}", s.item().attempt.wrong + 1, kMostTries));
    }
}

void DrillQuestion::draw_graded(Sheet& sheet, const Shown& s)
{
    const Attempt& attempt = s.item().attempt;
    if (!AnswerEntry::is_said(s.question))
    {
        entry_.draw(sheet, s.question, {false, s.study.verdict, ""}, s.out.animating);
    }
    if (s.study.verdict != nullptr && !s.item().answer.empty())
    {
        draw_verdict(sheet, *s.study.verdict, attempt.shown ? "the solution was shown" : "");
    }
    if (s.said() && !points_.made().empty() && points_.draw(sheet, points_of(s.question)))
    {
        tick_points(s);
    }
    draw_solution(sheet, s.question);
}

void DrillQuestion::draw_question(Sheet& sheet, const Shown& s)
{
    draw_stem(sheet, s.question, s.item().card.lead, !s.asking());
    if (!s.asking())
    {
        draw_graded(sheet, s);
        return;
    }
    draw_answer(sheet, s);
    if (draw_hints(sheet, s.question, s.item().attempt))
    {
        press_key(s.out, DrillKey::hint);
    }
}

void DrillQuestion::draw_foot(const Painter& p, Rect row, const Shown& s)
{
    const bool panel =
        row.w > 0 && !s.frame.preferences.presenter && ImGui::GetIO().DisplaySize.x >= p.px(900);
    if (!s.asking() && !panel)
    {
        draw_buttons(p, row, grade_buttons(s.drill, s.out));
        return;
    }
    auto all = actions(s.frame, s.drill, s.out);
    if (!s.asking())
    {
        all.insert(all.begin(),
                   {fmt::format("{}, continue###go on", name_of(offered_grade(s.drill, s.study.now.ms))),
                    "Enter", [&] { go_on(s); }, ImGuiKey_None, ButtonStyle::primary});
    }
    draw_buttons(p, row, all);
}

std::vector<KeyButton> DrillQuestion::actions(const Frame& frame, const DrillSession& drill, Out& out)
{
    const auto key = [&out](DrillKey which) { return [&out, which] { press_key(out, which); }; };
    const Question* q = drill.paused_ms ? nullptr : frame.study->question;
    const bool flagged = drill.flags.contains(drill.items[drill.at].card.family);
    std::vector<KeyButton> all{
        {"", "H", key(DrillKey::hint), ImGuiKey_H},
        {"", "R", key(DrillKey::new_numbers), ImGuiKey_R},
        {"", "U", key(DrillKey::undo), ImGuiKey_U},
        {"", "T", key(DrillKey::pause), ImGuiKey_T},
    };
    if (q != nullptr)
    {
        all.push_back({find_view(q->view) == nullptr ? "" : "Show me###show", letter_key("S"),
                       [&out] { out.push(ShowQuestion{}); }, ImGuiKey_S});
    }
    all.push_back({drill.stage == DrillStage::asking ? "New numbers###new" : "", letter_key("N"),
                   key(DrillKey::new_numbers), ImGuiKey_N});
    all.push_back(
        {flagged ? "Flagged###flag" : "Flag###flag", letter_key("F"), key(DrillKey::flag), ImGuiKey_F});
    if (q != nullptr)
    {
        const auto sources = [&]
        {
            popups_.open_sources();
            out.animating = true;
        };
        const auto note = [&]
        {
            popups_.open_note(*frame.study);
            out.animating = true;
        };
        all.push_back({"Sources###sources", letter_key("O"), sources, ImGuiKey_O});
        all.push_back({"", "E", note, ImGuiKey_E});
        all.push_back({"", "A", key(DrillKey::reveal), q->goal ? ImGuiKey_A : ImGuiKey_None});
    }
    return all;
}

void DrillQuestion::draw(const Frame& frame, const DrillSession& drill, const Painter& p, Rect area, Out& out)
{
    const Question* q = frame.study->question;
    const std::string kind = q == nullptr ? "" : kind_of_question(*q);
    QuestionPage page{*frame.study, {pips(drill), drill.at, kind}, drill.paused_ms.has_value()};
    page.resume = [&] { press_key(out, DrillKey::pause); };
    page.skip = [&] { press_key(out, DrillKey::skip); };
    if (q == nullptr || drill.paused_ms)
    {
        draw_page(p, area, page);
        return;
    }
    const Shown shown{frame, *frame.study, drill, *q, out};
    follow(shown);
    page.about = entry_.shown();
    page.foot = [&](Rect row) { draw_foot(p, row, shown); };
    page.question = [&](Sheet& sheet) { draw_question(sheet, shown); };
    draw_page(p, area, page);
    popups_.draw(frame, p, out);
}

void DrillQuestion::keys_asking(const Shown& s)
{
    entry_.keys(s.question);
    if (enter_pressed())
    {
        submit(s);
    }
}

void DrillQuestion::keys_grading(const Shown& s)
{
    if (const auto grade = digit_pressed(kGrades.size()))
    {
        give_grade(s.out, kGrades[*grade]);
        return;
    }
    const bool ticks = s.said() && !points_.done();
    if (s.said() && points_.keys())
    {
        tick_points(s);
        return;
    }
    if (enter_pressed(!ticks))
    {
        go_on(s);
    }
}

void DrillQuestion::keys(const Frame& frame, const DrillSession& drill, Out& out)
{
    if (ImGui::IsKeyPressed(ImGuiKey_Tab, false))
    {
        press_key(out, DrillKey::skip);
        return;
    }
    if (press_keys(actions(frame, drill, out)) || frame.study->question == nullptr)
    {
        return;
    }
    if (drill.paused_ms)
    {
        enter_pressed() ? press_key(out, DrillKey::pause) : void();
        return;
    }
    const Shown shown{frame, *frame.study, drill, *frame.study->question, out};
    drill.stage == DrillStage::asking ? keys_asking(shown) : keys_grading(shown);
}

void DrillQuestion::typing_keys(const Frame& frame, const DrillSession& drill, Out& out)
{
    const bool alt = ImGui::GetIO().KeyAlt;
    if (ImGui::IsKeyPressed(ImGuiKey_Tab, false) && !alt)
    {
        press_key(out, DrillKey::skip);
    }
    else if (alt && press_keys(actions(frame, drill, out)))
    {
        entry_.focus(); // typing goes on
    }
    else if (alt && frame.study->question != nullptr)
    {
        entry_.keys(*frame.study->question); // Alt and an arrow move an item
    }
}

} // namespace ringside
