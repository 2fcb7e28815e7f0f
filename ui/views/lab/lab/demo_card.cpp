#include <fmt/format.h>

#include "ui/draw/transcript.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/views/lab/lab/plot.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

const LabDemo& of(const LabDemoFrame& demo)
{
    return lab_demos()[demo.demo];
}

void draw_progress(const Painter& p, Rect area, double share)
{
    p.fill(area, p.theme.raised, p.px(3));
    p.fill({area.x, area.y, area.w * static_cast<float>(std::clamp(share, 0.0, 1.0)), area.h}, p.theme.text,
           p.px(3));
}

// Which it was, and whether that was expected.
void draw_verdict(const Painter& p, Rect row, const LabDemoFrame& demo)
{
    const Theme& t = p.theme;
    const bool right = demo.finding->answer == *demo.answer;
    if (right)
    {
        p.tick(row.x, row.middle(), t.ok);
    }
    else
    {
        const float u = p.px(6);
        const float x = row.x + u;
        p.line(x - u, row.middle() - u, x + u, row.middle() + u, t.warning, p.px(3));
        p.line(x - u, row.middle() + u, x + u, row.middle() - u, t.warning, p.px(3));
    }
    row.cut_left(p.px(28));
    const std::string_view came = of(demo).answers.at(demo.finding->answer);
    const std::string words = right ? fmt::format("As you said: {}", came)
                                    : fmt::format("{}, not: {}", came, of(demo).answers.at(*demo.answer));
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, words);
    read_aloud(p.look, words);
}

} // namespace

void draw_demo_question(const Painter& p, Rect area, const LabDemoFrame& demo, Out& out)
{
    const Theme& t = p.theme;
    const LabDemo& d = of(demo);
    area.cut_top(p.px(8));
    Rect row = area.cut_top(p.px(30));
    const Rect leave = row.cut_right(std::min(row.w * 0.4F, p.px(176)));
    if (button(p, leave, "Leave###leave demo", "Esc", ButtonStyle::quiet))
    {
        out.push(LabAction(LabCommand::clear));
    }
    p.text_within(row.x, row.middle(), row.w - p.px(8), Type::small, t.muted, d.title);
    const bool beside = area.w > p.px(600);
    const float gap = p.px(12);
    const float pitch = p.px(48) + gap;
    Rect answers = area.cut_bottom(std::min(area.h * 0.7F, beside ? pitch : 3 * pitch));
    say_if_room(p, area, area.h > p.px(150) ? Type::title : Type::body_strong, t.text, d.question, p.px(10));
    say_if_room(p, area, Type::body, t.muted, d.does, p.px(16));
    answers.y = std::min(answers.y, area.y + p.px(8));
    const float w = beside ? (answers.w - 2 * gap) / 3 : answers.w;
    const float h = beside ? answers.h - gap : answers.h / 3 - p.px(4);
    for (std::size_t i = 0; i < d.answers.size(); ++i)
    {
        const auto place = static_cast<float>(i);
        const Rect r = beside ? Rect{answers.x + (w + gap) * place, answers.y, w, h}
                              : Rect{answers.x, answers.y + answers.h / 3 * place, w, h};
        const std::string label = fmt::format("{}###answer {}", d.answers.at(i), i + 1);
        if (h >= p.px(20) && button(p, r, label.c_str(), std::to_string(i + 1)))
        {
            out.push(LabAction(AnswerDemo{i}));
        }
    }
}

void draw_demo_finding(const Painter& p, Rect area, const LabDemoFrame& demo, Out& out)
{
    Rect row = area.cut_top(p.px(36));
    if (!demo.finding)
    {
        p.text_within(row.x, row.middle(), row.w, Type::body_strong, p.theme.text, of(demo).question);
        row = area.cut_top(p.px(26));
        p.text_within(row.x, row.middle(), row.w, Type::small, p.theme.muted,
                      fmt::format("you expect: {}", of(demo).answers.at(*demo.answer)));
        area.cut_top(p.px(8));
        draw_progress(p, area.cut_top(p.px(6)), demo.progress);
        area.cut_top(p.px(16));
        say_if_room(p, area, Type::small, p.theme.muted, of(demo).does, 0);
        return;
    }
    draw_verdict(p, row, demo);
    const Rect buttons = area.cut_bottom(std::min(p.px(40), area.h * 0.3F));
    const Rect leave{buttons.x, buttons.y, std::min(buttons.w, p.px(232)), buttons.h};
    if (button(p, leave, "Back to your run###leave demo", "Esc"))
    {
        out.push(LabAction(LabCommand::clear));
    }
    area.cut_bottom(p.px(8));
    area.cut_top(p.px(4));
    const Type plain = area.w > p.px(360) && area.h > p.px(150) ? Type::body : Type::small;
    p.list.PushClipRect(area.min(), area.max(), true);
    p.rich(area, plain, plain == Type::body ? Type::body_strong : Type::small_strong, p.theme.text,
           demo.finding->text);
    p.list.PopClipRect();
}

} // namespace ringside
