#include "ui/views/mock/question.h"

#include <fmt/format.h>

#include "ui/views/drill/head.h"
#include "ui/views/drill/solution.h"
#include "ui/views/drill/stem.h"

#include <algorithm>
#include <array>

namespace ringside
{

namespace
{

void push_key(Out& out, MockKey key)
{
    out.push(StudyStep{MockInput{key}});
}

// What was said and nobody has judged yet.
bool is_open(const MockItem& item)
{
    return item.answered() && !item.correct && !item.grade;
}

// The next one to judge, from here round; none when all are.
std::optional<std::size_t> next_to_judge(const MockSession& mock)
{
    for (std::size_t step = 0; step < mock.items.size(); ++step)
    {
        const std::size_t i = (mock.at + step) % mock.items.size();
        if (is_open(mock.items[i]))
        {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace

void MockQuestion::follow(const Question& q, const MockSession& mock)
{
    const MockItem& item = mock.items[mock.at];
    const std::string place = fmt::format("{} {}", mock.started_ms, mock.at);
    const std::string now = fmt::format("{} {} {} {}", place, q.id, q.seed, mock.stage == MockStage::running);
    entry_.show(q, place, item.answer);
    if (now != item_)
    {
        item_ = now;
        points_.reset(points_of(q).size());
        entry_.focus();
    }
}

void MockQuestion::answer(const Question& q, Out& out)
{
    const std::string text = AnswerEntry::is_said(q) ? "said aloud" : entry_.text(q);
    if (!text.empty())
    {
        out.push(AnswerQuestion{text});
        entry_.focus();
    }
}

// Judges the one on show, or goes to the next that is open, or closes the book.
void MockQuestion::judge(const MockSession& mock, Out& out)
{
    if (is_open(mock.items[mock.at]))
    {
        const RubricInput points{points_.ticked(), static_cast<int>(points_.made().size()), false};
        out.push(StudyStep{MockInput{JudgeInput{mock.at, points}}});
        MockSession next = mock;
        next.items[mock.at].grade = Grade::good;
        if (const auto to = next_to_judge(next))
        {
            out.push(StudyStep{MockInput{GoToInput{*to}}});
        }
    }
    else if (const auto to = next_to_judge(mock))
    {
        out.push(StudyStep{MockInput{GoToInput{*to}}});
    }
    else
    {
        push_key(out, MockKey::finish);
    }
}

void MockQuestion::draw_running(Sheet& sheet, const Frame& frame, const MockSession& mock, Out& out)
{
    const StudyFrame& study = *frame.study;
    const Question& q = *study.question;
    draw_stem(sheet, q, mock.items[mock.at].card.lead);
    if (AnswerEntry::is_said(q))
    {
        sheet.words(Type::body, Type::body_strong, sheet.p.theme.text,
                    "Say your answer aloud. You judge it at the end.");
        sheet.gap(12);
    }
    else if (entry_.draw(sheet, q, {true, nullptr, study.unread}))
    {
        answer(q, out);
    }
    const bool again = mock.items[mock.at].answered();
    const std::string label = AnswerEntry::is_said(q) ? "I have said it###submit"
                              : again                 ? "Answer again###submit"
                                                      : "Answer###submit";
    const std::array buttons{KeyButton{label, "Enter", true}, KeyButton{"Skip###skip", "Tab"}};
    const auto pressed = draw_buttons(sheet.p, sheet.row(40), buttons);
    if (pressed == 0U)
    {
        answer(q, out);
    }
    else if (pressed)
    {
        push_key(out, MockKey::skip);
    }
    sheet.gap(8);
}

void MockQuestion::draw_judged(Sheet& sheet, const Frame& frame, const MockSession& mock)
{
    const StudyFrame& study = *frame.study;
    const Question& q = *study.question;
    const MockItem& item = mock.items[mock.at];
    draw_stem(sheet, q, item.card.lead, true);
    if (!item.answered())
    {
        sheet.words(Type::body, Type::body_strong, sheet.p.theme.muted,
                    item.visited ? "Skipped." : "Not reached.");
        sheet.gap(8);
    }
    else if (!AnswerEntry::is_said(q))
    {
        entry_.draw(sheet, q, {false, study.verdict, ""});
    }
    if (study.verdict != nullptr)
    {
        draw_verdict(sheet, {*study.verdict, ""});
    }
    if (is_open(item) && mock.stage == MockStage::judging)
    {
        sheet.heading("Which points did you make?", "Space: made, \u2193: not");
        points_.draw(sheet, points_of(q));
        sheet.gap(8);
    }
    else if (item.grade && !item.correct)
    {
        sheet.words(Type::body, Type::body_strong, sheet.p.theme.text,
                    fmt::format("You judged it **{}**.", rubric_name(*item.grade)));
        sheet.gap(8);
    }
    draw_solution(sheet, q);
}

void MockQuestion::draw_paused(Sheet& sheet, Out& out)
{
    sheet.gap(100);
    sheet.words(Type::title, Type::title, sheet.p.theme.text, "Paused");
    sheet.gap(16);
    const std::array buttons{KeyButton{"Go on###pause", "T", true}};
    if (draw_buttons(sheet.p, sheet.row(40), buttons))
    {
        push_key(out, MockKey::pause);
    }
}

bool MockQuestion::draw_foot(const Painter& p, Rect row, const MockSession& mock, Out& out)
{
    std::vector<KeyButton> all;
    if (mock.stage == MockStage::running)
    {
        all = {{"Previous###previous", "P"},
               {"Next###next", "N"},
               {"Pause###pause", "T"},
               {"Finish###finish", "F"}};
    }
    else
    {
        const bool over = mock.stage == MockStage::over;
        const bool open = next_to_judge(mock).has_value();
        all = {{over   ? "Scorecard###judge"
                : open ? "Judge, go on###judge"
                       : "Scorecard###judge",
                over ? "Esc" : "Enter", true},
               {"Previous###previous", "P"},
               {"Next###next", "N"}};
    }
    const auto pressed = draw_buttons(p, row, all);
    const std::string label = pressed ? all[*pressed].label : "";
    const std::size_t count = mock.items.size();
    if (label.ends_with("###previous") || label.ends_with("###next"))
    {
        out.push(StudyStep{
            MockInput{GoToInput{(mock.at + (label.ends_with("###next") ? 1 : count - 1)) % count}}});
    }
    else if (label.ends_with("###pause") || label.ends_with("###finish"))
    {
        push_key(out, label.ends_with("###pause") ? MockKey::pause : MockKey::finish);
    }
    else if (pressed && mock.stage == MockStage::judging)
    {
        judge(mock, out);
    }
    return pressed == 0U && mock.stage == MockStage::over;
}

bool MockQuestion::draw(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out)
{
    const Question* q = frame.study->question;
    keep_keys();
    bool closed = false;
    if (area.h > p.px(120))
    {
        area.cut_bottom(p.px(8));
        closed = draw_foot(p, area.cut_bottom(p.px(40)), mock, out);
        area.cut_bottom(p.px(8));
    }
    if (q != nullptr)
    {
        follow(*q, mock);
    }
    const auto content = [&](Sheet& sheet)
    {
        if (q == nullptr)
        {
            sheet.gap(60);
            sheet.words(Type::title, Type::title, p.theme.text, "This question could not be made");
            sheet.gap(8);
            sheet.words(Type::small, Type::small_strong, p.theme.muted, frame.study->fault);
        }
        else if (mock.paused)
        {
            draw_paused(sheet, out);
        }
        else if (mock.stage == MockStage::running)
        {
            draw_running(sheet, frame, mock, out);
        }
        else
        {
            draw_judged(sheet, frame, mock);
        }
    };
    scrolled_.draw(p, area, item_, content);
    return closed;
}

bool MockQuestion::letters(const MockSession& mock, Out& out)
{
    const std::size_t count = mock.items.size();
    const int by =
        (ImGui::IsKeyPressed(ImGuiKey_N, false) ? 1 : 0) - (ImGui::IsKeyPressed(ImGuiKey_P, false) ? 1 : 0);
    if (by != 0)
    {
        out.push(StudyStep{MockInput{GoToInput{(mock.at + (by > 0 ? 1 : count - 1)) % count}}});
        return true;
    }
    const bool finish = ImGui::IsKeyPressed(ImGuiKey_F, false);
    if (mock.stage == MockStage::running && (finish || ImGui::IsKeyPressed(ImGuiKey_T, false)))
    {
        push_key(out, finish ? MockKey::finish : MockKey::pause);
        return true;
    }
    return false;
}

void MockQuestion::keys(const Frame& frame, const MockSession& mock, Out& out)
{
    const Question* q = frame.study->question;
    const bool enter =
        ImGui::IsKeyPressed(ImGuiKey_Enter, false) || ImGui::IsKeyPressed(ImGuiKey_KeypadEnter, false);
    if (letters(mock, out))
    {
        return;
    }
    if (mock.stage == MockStage::judging)
    {
        if (is_open(mock.items[mock.at]) && points_.keys())
        {
            return;
        }
        if (enter)
        {
            judge(mock, out);
        }
        return;
    }
    const bool space = ImGui::IsKeyPressed(ImGuiKey_Space, false);
    if (mock.paused)
    {
        if (enter || space)
        {
            push_key(out, MockKey::pause);
        }
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Tab, false))
    {
        push_key(out, MockKey::skip);
    }
    else if (q != nullptr && (enter || space))
    {
        answer(*q, out);
    }
    else if (q != nullptr)
    {
        entry_.keys(*q);
    }
}

void MockQuestion::typing_keys(const Frame& frame, const MockSession& mock, Out& out)
{
    const bool alt = ImGui::GetIO().KeyAlt;
    if (ImGui::IsKeyPressed(ImGuiKey_Tab, false) && !alt)
    {
        push_key(out, MockKey::skip);
    }
    else if (alt && !letters(mock, out) && frame.study->question != nullptr)
    {
        entry_.keys(*frame.study->question);
    }
}

} // namespace ringside
