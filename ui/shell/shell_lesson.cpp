// The window's frame while a lesson runs: its title, the picture with what is pointed at or covered, its
// status.
#include <fmt/format.h>

#include "core/base/place.h"
#include "core/base/text/hide_numbers.h"
#include "ui/shell/frame/lesson_frame.h"
#include "ui/shell/guide/spotlight.h"
#include "ui/shell/shell.h"

#include <algorithm>

namespace ringside
{

// Below the picture the question; without a panel all of the lesson, beside the picture or below it.
void Shell::lay_out_lesson(const LessonFrame& lesson, const Look& look, float wide, Parts& parts, Rect& all)
{
    const float room = (all.h + parts.caption.h) / look.scale;
    const float band = LessonPanel::band_height(lesson, room);
    if (parts.has_panel && band <= 0)
    {
        return;
    }
    all.h += parts.caption.h;
    parts.caption = {};
    if (parts.has_panel)
    {
        parts.band = all.cut_bottom(look.px(band));
        all.cut_bottom(look.px(8));
    }
    else if (wide >= 700)
    {
        parts.band = all.cut_right(std::min(all.w * 0.42F, look.px(360)));
        all.cut_right(look.px(24));
    }
    else
    {
        parts.band = all.cut_bottom(all.h * 0.5F);
        all.cut_bottom(look.px(8));
    }
}

bool Shell::is_own_view(const Frame& frame)
{
    return frame.view == view_of(frame.lesson->planned().view) && !frame.lesson->state.finished;
}

void Shell::follow_lesson(const Frame& frame)
{
    cover_ = {};
    said_.clear();
    if (frame.lesson == nullptr || (!frame.lesson->pending() && !is_own_view(frame)))
    {
        return;
    }
    const LessonFrame& lesson = *frame.lesson;
    cover_ = cover_of(lesson.plan, lesson.state, frame.now.scenario);
    if (cover_.any())
    {
        said_ = numbers_in(lesson.words.text + " " + lesson.words.question + " " +
                           (lesson.pending() ? "" : lesson.words.reveal));
        for (int digit = 0; digit < 10; ++digit) // labels of ranks, and constants of formulas: 2 (N - 1)
        {
            said_.push_back(std::to_string(digit));
        }
        // One that also answers what is asked here or later does not stay.
        for (std::size_t i = lesson.state.step; i < lesson.plan.steps.size(); ++i)
        {
            const auto& predict = lesson.lesson().steps[i].predict;
            if (predict && !lesson.state.records[i].locked_in)
            {
                const auto answer = numbers_in(said(*predict, lesson.plan.steps[i].truth));
                std::erase_if(said_, [&](const std::string& number)
                              { return std::ranges::find(answer, number) != answer.end(); });
            }
        }
    }
}

void Shell::draw_lesson_title(const Frame& frame, const Painter& painter, const Parts& parts)
{
    const LessonFrame& lesson = *frame.lesson;
    Rect row{parts.title.x, parts.title.y, parts.title.w, painter.px(64)};
    draw_title_keys(painter, frame.preferences.presenter, row);
    std::string title = fmt::format("Lesson {}: {}", lesson.lesson().number, lesson.lesson().title);
    if (!parts.has_panel)
    {
        const std::string place = fmt::format("{} / {}", lesson.state.step + 1, lesson.lesson().steps.size());
        const float w = painter.width(Type::mono, place);
        painter.text(row.cut_right(w).right(), row.middle(), Type::mono, painter.theme.muted, place,
                     Align::right);
        row.cut_right(painter.px(16));
        title = lesson.state.finished ? title : lesson.step().heading;
    }
    const bool roomy = row.w >= painter.width(Type::title, title);
    painter.text_within(row.x, row.middle(), row.w, roomy ? Type::title : Type::body_strong,
                        painter.theme.text, title);
}

void Shell::draw_lesson_picture(const Frame& frame, const Painter& painter, Rect area, View& view, Out& out)
{
    const LessonFrame& lesson = *frame.lesson;
    const bool own_view = is_own_view(frame);
    const bool covered = !cover_.parts.empty();
    named_.clear();
    const int first = painter.list.raw.IdxBuffer.Size;
    {
        Look look = painter.look;
        look.no_tips = look.no_tips || covered;
        look.marks = covered ? nullptr : look.marks;
        const Painter named(painter.list.raw, look, &named_);
        // Labels at the ends of axes reach as far beyond it as the picture may.
        named.part("picture", {area.x - painter.px(12), area.y - painter.px(4), area.w + painter.px(24),
                               area.h + painter.px(4)});
        const MouseAway away(covered);
        view.draw(frame, named, area, out);
    }
    if (covered)
    {
        cover_parts(painter, named_, cover_.parts, first);
    }
    const std::string ring = fmt::format("{} {}", lesson.lesson().id, lesson.state.step);
    if (ring != ring_of_)
    {
        ring_of_ = ring;
        ring_ = Tween();
        ring_.towards(0, frame, painter.look, out);
    }
    const float strength = ring_.towards(1, frame, painter.look, out);
    if (own_view && !lesson.step().highlight.empty())
    {
        ring_part(painter, area, named_, lesson.step().highlight, strength);
    }
}

void Shell::draw_lesson_status(const Frame& frame, const Painter& picture, Rect area, const Motion& motion,
                               Out& out)
{
    Look open = picture.look;
    open.hide_numbers = false; // places in the lesson; only the clock is the picture's
    const Painter painter(picture.list.raw, open, picture.parts);
    const Theme& t = painter.theme;
    const LessonFrame& lesson = *frame.lesson;
    painter.fill(area, t.control);
    painter.line(area.x, area.y, area.right(), area.y, t.grid);
    area.cut_left(painter.px(20));
    area.cut_right(painter.px(20));
    const bool moves = motion.duration > 0 && !lesson.pending() && !lesson.frozen;
    const Rect moving = area.cut_right(moves ? std::min(area.w * 0.5F, painter.px(440)) : 0);
    const std::string keys = "PgDn next   PgUp back";
    const float hint = painter.width(Type::small, keys);
    const bool hints = !moves && area.w > hint + painter.px(320);
    if (hints)
    {
        painter.text(area.right(), area.middle(), Type::small, t.muted, keys, Align::right);
        area.cut_right(hint + painter.px(16));
    }
    const bool has_controls = !lesson.state.finished && !lesson.step().free.empty();
    const std::vector<StatusFact> facts{
        {draw_notice(frame, painter, area)},
        {lesson.frozen ? fmt::format("frozen: {} resumes", letter_key("F")) : ""},
        {lesson.track != nullptr
             ? fmt::format("{}, {} of {}", lesson.track->title, lesson.place + 1, lesson.count)
             : fmt::format("Lesson {} of {}", lesson.place + 1, lesson.count)},
        {fmt::format("step {} of {}", lesson.state.step + 1, lesson.lesson().steps.size())},
        {fmt::format("about {:.0f} min", lesson.lesson().minutes)},
        {lesson.hidden && has_controls   ? "controls hidden"
         : lesson.locked && has_controls ? "controls locked"
                                         : ""}};
    draw_facts(frame, painter, area, facts, true);
    if (moves)
    {
        draw_transport(frame, picture, moving, motion, out);
    }
}

} // namespace ringside
