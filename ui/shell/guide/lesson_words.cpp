// The words of a lesson's panel: heading, text, prediction, reveal, task, and what was guessed at the end.
#include <fmt/format.h>

#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/guide/lesson_panel.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

void LessonPanel::draw_heading(Column& column)
{
    const LessonFrame& lesson = column.lesson();
    const Painter& p = column.sheet.p;
    const std::size_t steps = lesson.lesson().steps.size();
    column.sheet.heading(fmt::format("Step {} of {}", lesson.state.step + 1, steps));
    Rect r = column.sheet.row(20);
    const float pitch = r.w / static_cast<float>(steps);
    const float gap = std::min(p.px(4), pitch * 0.25F);
    for (std::size_t i = 0; i < steps; ++i)
    {
        const bool past = i < lesson.state.step || lesson.state.finished;
        const Rect pip = r.cut_left(pitch);
        p.fill({pip.x, pip.middle() - p.px(3), pitch - gap, p.px(6)},
               past                     ? p.theme.text
               : i == lesson.state.step ? p.theme.muted
                                        : p.theme.raised,
               p.px(3));
    }
    column.sheet.gap(8);
}

void LessonPanel::draw_box(Column& column, std::string_view heading, std::string_view text, bool lit,
                           bool done)
{
    const Painter& p = column.sheet.p;
    const auto words = [&](Sheet& in)
    {
        if (done)
        {
            p.tick(in.x(), in.y() + p.px(9), p.theme.ok);
        }
        in.words(Type::small_strong, p.theme.text, heading, p.px(done ? 26 : 0));
        in.gap(4);
        in.markdown(text, {}, p.theme.muted);
    };
    column.sheet.boxed(p.theme.control, lit ? p.theme.text : p.theme.line, lit ? p.px(2) : 1, 16, words);
    column.sheet.gap(16);
}

void LessonPanel::draw_prediction_box(Column& column)
{
    const LessonFrame& lesson = column.lesson();
    const bool choice = lesson.step().predict->is_choice();
    const auto& earlier = lesson.state.record().earlier;
    const std::string before =
        earlier.empty() ? "" : fmt::format(" Before: {}.", said(*lesson.step().predict, earlier.back()));
    draw_box(column, lesson.state.nudged ? "Your guess first" : "Predict before you see",
             fmt::format("{} Your guess stays next to the truth.{}",
                         choice ? "Choose one, then lock it in." : "Set the slider, then lock it in.",
                         before),
             lesson.state.nudged);
}

void LessonPanel::draw_reveal(Column& column, bool boxed)
{
    const LessonFrame& lesson = column.lesson();
    const Prediction& p = *lesson.step().predict;
    const StepRecord& record = lesson.state.record();
    const double truth = p.is_choice() ? static_cast<double>(lesson.planned().right) : lesson.planned().truth;
    const bool right = p.is_choice() && record.guess && !record.skipped && *record.guess == truth;
    const std::string heading = !p.is_choice() ? "It is " + said(p, truth) : right ? "Right" : said(p, truth);
    if (boxed)
    {
        draw_box(column, heading, lesson.words.reveal, false, right);
        return;
    }
    column.sheet.markdown(fmt::format("**{}**", heading));
    column.sheet.gap(8);
    draw_text(column, lesson.words.reveal);
}

void LessonPanel::draw_task(Column& column)
{
    const LessonFrame& lesson = column.lesson();
    const StepRecord& record = lesson.state.record();
    if (record.done)
    {
        draw_box(column, "Repaired", lesson.words.done, false, true);
    }
    else if (record.skipped)
    {
        draw_box(column, "One solution, in place", lesson.words.goal, false);
    }
    else
    {
        draw_box(column, lesson.words.goal, record.hinted ? lesson.words.hint : "", lesson.state.nudged);
    }
}

void LessonPanel::draw_controls(Column& column, Panel& controls)
{
    const LessonFrame& lesson = column.lesson();
    if (!lesson.controls())
    {
        return;
    }
    Sheet& sheet = column.sheet;
    if (lesson.locked)
    {
        sheet.note("Locked; L unlocks");
    }
    sheet.take(controls.draw_fields(column.frame, sheet.p, {sheet.x(), sheet.y(), sheet.width(), 1e6F},
                                    lesson.step().free, column.out));
}

void LessonPanel::draw_end(Column& column)
{
    const LessonFrame& lesson = column.lesson();
    column.sheet.name("Done. What you said, and what it is:");
    column.sheet.gap(12);
    for (std::size_t i = 0; i < lesson.lesson().steps.size(); ++i)
    {
        const auto& predict = lesson.lesson().steps[i].predict;
        if (!predict)
        {
            continue;
        }
        const StepRecord& record = lesson.state.records[i];
        const StepPlan& planned = lesson.plan.steps[i];
        const double truth = predict->is_choice() ? static_cast<double>(planned.right) : planned.truth;
        column.sheet.note(lesson.lesson().steps[i].heading);
        const bool guessed = record.guess && !record.skipped;
        const std::string words =
            guessed && *record.guess == truth
                ? fmt::format("**{}**, as you said", said(*predict, truth))
                : fmt::format("**{}**{}", said(*predict, truth),
                              guessed ? ", you said " + said(*predict, *record.guess) : ", no guess");
        column.sheet.markdown(words);
        column.sheet.gap(10);
    }
}

void LessonPanel::draw_step(Column& column, Panel& controls)
{
    const LessonFrame& lesson = column.lesson();
    if (lesson.state.finished)
    {
        draw_end(column);
        return;
    }
    column.sheet.name(lesson.step().heading);
    column.sheet.gap(12);
    draw_text(column, lesson.words.text);
    if (lesson.pending())
    {
        draw_prediction_box(column);
    }
    else if (lesson.step().predict)
    {
        draw_reveal(column, true);
    }
    else if (lesson.step().task)
    {
        draw_task(column);
    }
    draw_controls(column, controls);
}

void LessonPanel::draw_text(Column& column, std::string_view text, const MarkdownTypes& types)
{
    column.sheet.markdown(text, types);
    column.sheet.gap(16);
}

// Where there is little room, what was read before a reveal makes place for it.
void LessonPanel::draw_words(Column& column)
{
    const LessonFrame& lesson = column.lesson();
    if (lesson.state.finished)
    {
        draw_end(column);
    }
    else if (lesson.step().predict && !lesson.pending())
    {
        draw_reveal(column, false);
    }
    else if (lesson.step().task)
    {
        if (!lesson.state.record().done)
        {
            draw_text(column, lesson.words.text);
        }
        draw_task(column);
    }
    else
    {
        draw_text(column, lesson.words.text);
    }
}

} // namespace ringside
