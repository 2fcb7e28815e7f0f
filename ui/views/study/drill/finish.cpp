#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/parts.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

struct Figure
{
    std::string value;
    std::string says;
};

std::string minutes_words(double minutes)
{
    const auto s = std::lround(minutes * 60);
    return fmt::format("{}:{:02}", s / 60, s % 60);
}

void draw_figures(Sheet& sheet, std::span<const Figure> figures)
{
    const Painter& p = sheet.p;
    Rect row = sheet.row(84);
    const float w = row.w / static_cast<float>(figures.size());
    for (const Figure& figure : figures)
    {
        const Rect cell = row.cut_left(w);
        p.text_within(cell.x, row.y + p.px(28), w - p.px(8), Type::display, p.theme.text, figure.value);
        p.text_within(cell.x, row.y + p.px(62), w - p.px(8), Type::small, p.theme.muted, figure.says);
    }
    sheet.gap(8);
}

void draw_improved(Sheet& sheet, const StudyFrame& study, const EndCard& end)
{
    constexpr std::size_t kMost = 6;
    sheet.heading("Remembered longer now", "until recall falls to 90%");
    for (std::size_t i = 0; i < std::min(kMost, end.improved.size()); ++i)
    {
        const Improved& one = end.improved[i];
        sheet.fact(title_of(study, one.family),
                   fmt::format("{} \u2192 {} d", one.before_d > 0 ? three_digits(one.before_d) : "new",
                               three_digits(one.after_d)),
                   {}, FactInk::strong);
    }
    if (end.improved.size() > kMost)
    {
        sheet.note(fmt::format("and {} more", end.improved.size() - kMost));
    }
    sheet.gap(12);
}

} // namespace

std::string title_of(const StudyFrame& study, std::string_view family)
{
    const auto found = std::find_if(study.families.begin(), study.families.end(),
                                    [&](const FamilyInfo& f) { return f.id == family; });
    return found == study.families.end() || found->title.empty() ? std::string(family) : found->title;
}

StartDrill what_next(const StudyFrame& study, const EndCard& end)
{
    return study.due == 0 && end.weakest != nullptr ? topic_drill(end.weakest->id) : StartDrill();
}

void draw_end_card(Sheet& sheet, const StudyFrame& study, const EndCard& end)
{
    const std::string share =
        end.answered == 0 ? "\u2013" : whole_percent(static_cast<double>(end.passed) / end.answered);
    const std::array figures{Figure{std::to_string(end.answered), "graded"}, Figure{share, "right"},
                             Figure{std::to_string(end.best_streak), "best streak"},
                             Figure{minutes_words(end.minutes), "minutes"}};
    draw_figures(sheet, figures);
    if (!end.improved.empty())
    {
        draw_improved(sheet, study, end);
    }
    if (!end.wrong.empty())
    {
        sheet.heading("What went wrong");
        for (const std::string& family : end.wrong)
        {
            sheet.point(title_of(study, family), sheet.p.theme.text);
        }
        sheet.gap(10);
    }
    if (end.next_due_ms)
    {
        const std::int64_t wait = *end.next_due_ms - study.now.ms;
        sheet.say(study.due > 0 ? fmt::format("**{}** {} due now.", study.due, study.due == 1 ? "is" : "are")
                  : wait < kMinuteMs ? std::string("Next due in **less than a minute**.")
                                     : fmt::format("Next due in **{}**.", wait_words(wait)));
    }
    sheet.gap(12);
}

} // namespace ringside
