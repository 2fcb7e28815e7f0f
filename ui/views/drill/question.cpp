#include "ui/views/drill/question.h"

#include <fmt/format.h>

#include "ui/views/drill/grades.h"
#include "ui/views/drill/head.h"
#include "ui/views/drill/hints.h"
#include "ui/views/drill/solution.h"
#include "ui/views/drill/stem.h"

#include <algorithm>
#include <array>

namespace ringside
{

void press_key(Out& out, DrillKey key)
{
    out.push(StudyStep{DrillInput{key}});
}

namespace
{

void draw_paused(Sheet& sheet, Out& out)
{
    sheet.gap(100);
    sheet.words(Type::title, Type::title, sheet.p.theme.text, "Paused");
    sheet.gap(6);
    sheet.words(Type::small, Type::small_strong, sheet.p.theme.muted,
                "The clock stands still and the question is covered.");
    sheet.gap(16);
    const std::array buttons{KeyButton{"Go on###pause", "T", true}};
    if (draw_buttons(sheet.p, sheet.row(40), buttons))
    {
        press_key(out, DrillKey::pause);
    }
}

void draw_fault(Sheet& sheet, const StudyFrame& study, Out& out)
{
    sheet.gap(80);
    sheet.words(Type::title, Type::title, sheet.p.theme.text, "This question could not be made");
    sheet.gap(8);
    sheet.words(Type::small, Type::small_strong, sheet.p.theme.muted, study.fault);
    sheet.gap(16);
    const std::array buttons{KeyButton{"Skip###skip", "Tab", true}};
    if (draw_buttons(sheet.p, sheet.row(40), buttons))
    {
        press_key(out, DrillKey::skip);
    }
}

} // namespace

// What the view remembers is about one item; another one starts anew.
void DrillQuestion::follow(const Shown& s)
{
    const std::string place = fmt::format("{} {}", s.drill.started_ms, s.drill.at);
    entry_.show(s.question, place, s.item().answer);
    const std::string item = fmt::format("{} {} {}", place, s.question.id, s.question.seed);
    if (item != item_)
    {
        item_ = item;
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
    s.out.push(StudyStep{DrillInput{GradeInput{offered_grade(s.drill, s.study.now.ms)}}});
}

void DrillQuestion::draw_answer(Sheet& sheet, const Shown& s)
{
    const Painter& p = sheet.p;
    const bool said = AnswerEntry::is_said(s.question);
    const bool beside = s.question.kind == QuestionKind::numeric && sheet.width() > p.px(640);
    const float buttons = beside ? p.px(312) : 0;
    const float top = sheet.y();
    Sheet left(p, {sheet.x(), top, sheet.width() - buttons, 0});
    if (entry_.draw(left, s.question, {true, s.study.verdict, s.study.unread}))
    {
        check(s);
    }
    std::vector<KeyButton> all{{said ? "Reveal###check" : "Check###check", said ? "Space" : "Enter", true},
                               {"Skip###skip", "Tab"}};
    if (s.question.goal && !said)
    {
        all.push_back({"Say it instead###aloud", "Alt A"});
    }
    Rect row{sheet.x(), left.y() + p.px(4), std::min(sheet.width(), p.px(540)), p.px(40)};
    if (beside)
    {
        row = {sheet.x() + sheet.width() - buttons + p.px(24), top, buttons - p.px(24), p.px(72)};
    }
    const auto pressed = draw_buttons(p, row, all);
    if (pressed == 0U)
    {
        submit(s);
    }
    else if (pressed)
    {
        press_key(s.out, *pressed == 1 ? DrillKey::skip : DrillKey::reveal);
    }
    sheet.take(std::max(left.y(), row.bottom()) - top + p.px(8));
    if (s.study.verdict != nullptr && s.item().attempt.wrong > 0)
    {
        const std::string tries = fmt::format("try {} of {}", s.item().attempt.wrong + 1, kMostTries);
        draw_verdict(sheet, {*s.study.verdict, tries});
    }
}

void DrillQuestion::draw_graded(Sheet& sheet, const Shown& s)
{
    const Attempt& attempt = s.item().attempt;
    if (!AnswerEntry::is_said(s.question))
    {
        entry_.draw(sheet, s.question, {false, s.study.verdict, ""});
    }
    if (s.study.verdict != nullptr && !s.item().answer.empty())
    {
        draw_verdict(sheet, {*s.study.verdict, attempt.shown ? "the solution was shown" : ""});
    }
    if (s.said() && !points_.made().empty())
    {
        sheet.heading("Which points did you make?", "Space: made, \u2193: not");
        if (points_.draw(sheet, points_of(s.question)))
        {
            tick_points(s);
        }
        sheet.gap(8);
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
        if (const auto grade = draw_grade_row(p, row, s.drill))
        {
            s.out.push(StudyStep{DrillInput{GradeInput{*grade}}});
        }
        return;
    }
    const bool flagged = s.drill.flags.contains(s.item().card.family);
    std::vector<KeyButton> all;
    if (!s.asking())
    {
        const std::string grade(name_of(offered_grade(s.drill, s.study.now.ms)));
        all.push_back({fmt::format("{}, go on###go on", grade), "Enter", true});
    }
    if (find_view(s.question.view) != nullptr)
    {
        all.push_back({"Show me###show", "S"});
    }
    if (s.asking())
    {
        all.push_back({"New numbers###new", "N"});
    }
    all.push_back({flagged ? "Flagged###flag" : "Flag###flag", "F"});
    all.push_back({"Sources###sources", "O"});
    if (const auto pressed = draw_buttons(p, row, all))
    {
        press_foot(s, all[*pressed].label);
    }
}

void DrillQuestion::press_foot(const Shown& s, std::string_view label)
{
    if (label.ends_with("###go on"))
    {
        go_on(s);
    }
    else if (label.ends_with("###show"))
    {
        s.out.push(ShowQuestion{});
    }
    else if (label.ends_with("###new") || label.ends_with("###flag"))
    {
        press_key(s.out, label.ends_with("###new") ? DrillKey::new_numbers : DrillKey::flag);
    }
    else
    {
        popups_.open_sources();
        s.out.animating = true;
    }
}

void DrillQuestion::draw(const Frame& frame, const DrillSession& drill, const Painter& p, Rect area, Out& out)
{
    keep_keys();
    const StudyFrame& study = *frame.study;
    const Question* q = study.question;
    const Rect pips_row = area.cut_top(p.px(24));
    draw_pips(p, pips_row, pips(drill), q == nullptr ? "" : kind_of_question(*q));
    area.cut_top(p.px(4));
    if (q == nullptr || drill.paused_ms)
    {
        scrolled_.draw(p, area, item_,
                       [&](Sheet& sheet)
                       { q == nullptr ? draw_fault(sheet, study, out) : draw_paused(sheet, out); });
        return;
    }
    const Shown shown{frame, study, drill, *q, out};
    follow(shown);
    if (area.h > p.px(120))
    {
        area.cut_bottom(p.px(8));
        draw_foot(p, area.cut_bottom(p.px(40)), shown);
        area.cut_bottom(p.px(8));
    }
    scrolled_.draw(p, area, item_, [&](Sheet& sheet) { draw_question(sheet, shown); });
    popups_.draw(frame, p, out);
}

// Keys that are letters: plain, or with Alt while something is typed. True when one was pressed.
bool DrillQuestion::letters(const Frame& frame, const DrillSession& drill, Out& out)
{
    constexpr std::array<std::pair<ImGuiKey, DrillKey>, 6> kAll{{{ImGuiKey_H, DrillKey::hint},
                                                                 {ImGuiKey_N, DrillKey::new_numbers},
                                                                 {ImGuiKey_R, DrillKey::new_numbers},
                                                                 {ImGuiKey_F, DrillKey::flag},
                                                                 {ImGuiKey_U, DrillKey::undo},
                                                                 {ImGuiKey_T, DrillKey::pause}}};
    for (const auto& [code, key] : kAll)
    {
        if (ImGui::IsKeyPressed(code, false))
        {
            press_key(out, key);
            return true;
        }
    }
    return !drill.paused_ms && frame.study->question != nullptr && letters_of_question(frame, out);
}

bool DrillQuestion::letters_of_question(const Frame& frame, Out& out)
{
    if (frame.study->question->goal && ImGui::IsKeyPressed(ImGuiKey_A, false))
    {
        press_key(out, DrillKey::reveal);
        return true;
    }
    if (ImGui::IsKeyPressed(ImGuiKey_S, false))
    {
        out.push(ShowQuestion{});
        return true;
    }
    const bool note = ImGui::IsKeyPressed(ImGuiKey_E, false);
    const bool sources = ImGui::IsKeyPressed(ImGuiKey_O, false);
    if (note)
    {
        popups_.open_note(*frame.study);
    }
    if (sources)
    {
        popups_.open_sources();
    }
    out.animating = out.animating || note || sources;
    return note || sources;
}

void DrillQuestion::keys_asking(const Shown& s)
{
    entry_.keys(s.question);
    if (ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false) ||
        ImGui::IsKeyPressed(ImGuiKey_Space, false))
    {
        submit(s);
    }
}

void DrillQuestion::keys_grading(const Shown& s)
{
    for (int i = 0; i < 4; ++i)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + i), false) ||
            ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_Keypad1 + i), false))
        {
            s.out.push(StudyStep{DrillInput{GradeInput{kGrades[static_cast<std::size_t>(i)]}}});
            return;
        }
    }
    const bool ticks = s.said() && !points_.done();
    if (s.said() && points_.keys())
    {
        tick_points(s);
        return;
    }
    const bool space = !ticks && ImGui::IsKeyPressed(ImGuiKey_Space, false);
    if (space || ImGui::IsKeyPressed(ImGuiKey_Enter, false) ||
        ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false))
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
    if (letters(frame, drill, out) || frame.study->question == nullptr)
    {
        return;
    }
    if (drill.paused_ms)
    {
        if (ImGui::IsKeyPressed(ImGuiKey_Space, false) || ImGui::IsKeyPressed(ImGuiKey_Enter, false))
        {
            press_key(out, DrillKey::pause);
        }
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
    else if (alt && letters(frame, drill, out))
    {
        entry_.focus(); // typing goes on
    }
    else if (alt && frame.study->question != nullptr)
    {
        entry_.keys(*frame.study->question); // Alt and an arrow move an item
    }
}

} // namespace ringside
