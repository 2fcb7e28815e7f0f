#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/views/study/mock/parts.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ringside
{

namespace
{

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

std::string MockQuestion::entered(const Question& q) const
{
    return AnswerEntry::is_said(q) ? "said out loud" : entry_.text(q);
}

// Enter: an answer, or from one that stands as it is to the next without one, or to the end.
MockQuestion::Enter MockQuestion::enter_does(const Question& q, const MockSession& mock) const
{
    const MockItem& item = mock.items[mock.at];
    if (!item.answered() || entered(q) != item.answer)
    {
        return Enter::answer;
    }
    return std::ranges::all_of(mock.items, &MockItem::answered) ? Enter::finish : Enter::next;
}

void MockQuestion::enter(const Question& q, const MockSession& mock, Out& out)
{
    const Enter does = enter_does(q, mock);
    if (does == Enter::finish)
    {
        push_key(out, MockKey::finish);
    }
    else if (does == Enter::next)
    {
        std::size_t to = mock.at;
        do
        {
            to = (to + 1) % mock.items.size();
        } while (mock.items[to].answered());
        out.push(StudyStep{MockInput{GoToInput{to}}});
    }
    else if (const std::string text = entered(q); !text.empty())
    {
        out.push(AnswerQuestion{text});
        entry_.focus();
    }
}

// Judges the one on show, or goes to the next that is open, or closes the book.
void MockQuestion::judge(const MockSession& mock, Out& out, bool could_teach)
{
    if (is_open(mock.items[mock.at]))
    {
        const RubricInput points{points_.ticked(), static_cast<int>(points_.made().size()), could_teach};
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
        sheet.say("Say your answer out loud. You judge it at the end.");
        sheet.gap(12);
    }
    else if (entry_.draw(sheet, q, {true, nullptr, study.unread}, out.animating))
    {
        enter(q, mock, out);
    }
    const Enter does = enter_does(q, mock);
    const std::string label = does == Enter::finish            ? "Finish###submit"
                              : does == Enter::next            ? "Next open###submit"
                              : AnswerEntry::is_said(q)        ? "I have said it###submit"
                              : mock.items[mock.at].answered() ? "Answer again###submit"
                                                               : "Answer###submit";
    const std::array buttons{
        KeyButton{label, "Enter", [&] { enter(q, mock, out); }, ImGuiKey_None, ButtonStyle::primary},
        KeyButton{"Skip###skip", "Tab", [&] { push_key(out, MockKey::skip); }}};
    draw_buttons(sheet.p, sheet.row(40), buttons);
    sheet.gap(8);
}

void MockQuestion::draw_judged(Sheet& sheet, const Frame& frame, const MockSession& mock, Out& out)
{
    const StudyFrame& study = *frame.study;
    const Question& q = *study.question;
    const MockItem& item = mock.items[mock.at];
    draw_stem(sheet, q, item.card.lead, true);
    if (!item.answered())
    {
        sheet.words(Type::body, sheet.p.theme.muted, item.visited ? "Skipped." : "Not reached.");
        sheet.gap(8);
    }
    else if (!AnswerEntry::is_said(q))
    {
        entry_.draw(sheet, q, {false, study.verdict, ""}, out.animating);
    }
    if (study.verdict != nullptr)
    {
        draw_verdict(sheet, *study.verdict);
    }
    if (is_open(item) && mock.stage == MockStage::judging)
    {
        points_.draw(sheet, points_of(q));
    }
    else if (item.grade && !item.correct)
    {
        sheet.say(fmt::format("You judged it **{}**.", rubric_name(*item.grade)));
        sheet.gap(8);
    }
    draw_solution(sheet, q);
}

std::vector<KeyButton> MockQuestion::actions(const MockSession& mock, bool& closed, Out& out)
{
    const std::size_t count = mock.items.size();
    const auto go = [&out, &mock, count](std::size_t by) {
        return [&out, &mock, count, by]
        { out.push(StudyStep{MockInput{GoToInput{(mock.at + by) % count}}}); };
    };
    const auto key = [&out](MockKey which) { return [&out, which] { push_key(out, which); }; };
    std::vector<KeyButton> all{{"Previous###previous", letter_key("P"), go(count - 1), ImGuiKey_P},
                               {"Next###next", letter_key("N"), go(1), ImGuiKey_N}};
    if (mock.stage == MockStage::running)
    {
        all.push_back({"Pause###pause", letter_key("T"), key(MockKey::pause), ImGuiKey_T});
        all.push_back({"Finish###finish", letter_key("F"), key(MockKey::finish), ImGuiKey_F});
        return all;
    }
    const bool over = mock.stage == MockStage::over;
    const bool judges = !over && next_to_judge(mock).has_value();
    all.insert(all.begin(), {judges ? "Judge, continue###judge" : "Scorecard###judge", over ? "Esc" : "Enter",
                             [this, over, &mock, &closed, &out]
                             {
                                 closed = over;
                                 over ? void() : judge(mock, out);
                             },
                             ImGuiKey_None, ButtonStyle::primary});
    if (!over && is_open(mock.items[mock.at]) && points_.ticked() > 0 &&
        points_.ticked() == std::ssize(points_.made()))
    {
        all.push_back(
            {"I could teach it###teach", "T", [this, &mock, &out] { judge(mock, out, true); }, ImGuiKey_T});
    }
    return all;
}

bool MockQuestion::draw(const Frame& frame, const MockSession& mock, const Painter& p, Rect area, Out& out)
{
    bool closed = false;
    const bool running = mock.stage == MockStage::running;
    const Question* q = frame.study->question;
    QuestionPage page{*frame.study, {{}, mock.at}, mock.paused};
    std::ranges::transform(mock.items, std::back_inserter(page.places.pips),
                           [&](const MockItem& item) { return pip_of(mock, item); });
    page.places.go_to = [&](std::size_t to) { out.push(StudyStep{MockInput{GoToInput{to}}}); };
    page.resume = [&] { push_key(out, MockKey::pause); };
    page.foot = [&](Rect row) { draw_buttons(p, row, actions(mock, closed, out)); };
    page.question = [&](Sheet& sheet)
    { running ? draw_running(sheet, frame, mock, out) : draw_judged(sheet, frame, mock, out); };
    const std::string place = fmt::format("{} {} {}", mock.started_ms, mock.at, running);
    if (q != nullptr && entry_.show(*q, place, mock.items[mock.at].answer))
    {
        points_.reset(points_of(*q).size());
    }
    page.about = entry_.shown();
    draw_page(p, area, page);
    return closed;
}

bool MockQuestion::letters(const MockSession& mock, Out& out)
{
    bool closed = false;
    return press_keys(actions(mock, closed, out));
}

void MockQuestion::keys(const Frame& frame, const MockSession& mock, Out& out)
{
    const Question* q = frame.study->question;
    if (letters(mock, out))
    {
        return;
    }
    if (mock.stage == MockStage::judging)
    {
        const bool ticked = is_open(mock.items[mock.at]) && points_.keys();
        if (!ticked && enter_pressed(false))
        {
            judge(mock, out);
        }
    }
    else if (mock.paused)
    {
        enter_pressed() ? push_key(out, MockKey::pause) : void();
    }
    else if (ImGui::IsKeyPressed(ImGuiKey_Tab, false))
    {
        push_key(out, MockKey::skip);
    }
    else if (q != nullptr)
    {
        enter_pressed() ? enter(*q, mock, out) : entry_.keys(*q);
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
