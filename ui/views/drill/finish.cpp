#include "ui/views/drill/finish.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/study/words.h"

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
    const Rect row = sheet.row(84);
    const float w = row.w / static_cast<float>(figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i)
    {
        const float x = row.x + w * static_cast<float>(i);
        p.text_within(x, row.y + p.px(28), w - p.px(8), Type::display, p.theme.text, figures[i].value);
        p.text_within(x, row.y + p.px(62), w - p.px(8), Type::small, p.theme.muted, figures[i].says);
    }
    sheet.gap(8);
}

void draw_improved(Sheet& sheet, const StudyFrame& study, const EndCard& end)
{
    constexpr std::size_t kMost = 6;
    const Painter& p = sheet.p;
    sheet.heading("Remembered longer now", "until recall falls to 90%");
    for (std::size_t i = 0; i < std::min(kMost, end.improved.size()); ++i)
    {
        const Improved& one = end.improved[i];
        const Rect row = sheet.row(28);
        const std::string days =
            fmt::format("{} \u2192 {} d", one.before_d > 0 ? three_digits(one.before_d) : "new",
                        three_digits(one.after_d));
        const float w = p.width(Type::mono, days);
        p.text_within(row.x, row.middle(), row.w - w - p.px(16), Type::small, p.theme.text,
                      title_of(study, one.family));
        p.text(row.right(), row.middle(), Type::mono, p.theme.text, days, Align::right);
    }
    if (end.improved.size() > kMost)
    {
        sheet.words(Type::small, Type::small_strong, p.theme.muted,
                    fmt::format("and {} more", end.improved.size() - kMost));
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
    StartDrill next;
    if (study.due == 0 && end.weakest != nullptr)
    {
        next.wish.kind = DeckKind::weak;
        next.wish.filter.topics = {std::string(end.weakest->id)};
    }
    return next;
}

void draw_end_card(Sheet& sheet, const StudyFrame& study, const EndCard& end)
{
    const Theme& t = sheet.p.theme;
    const std::string share =
        end.answered == 0 ? "\u2013" : whole_percent(static_cast<double>(end.passed) / end.answered);
    const std::array figures{Figure{std::to_string(end.answered), "graded"}, Figure{share, "passed"},
                             Figure{std::to_string(end.best_streak), "best streak"},
                             Figure{minutes_words(end.minutes), "minutes"}};
    draw_figures(sheet, figures);
    if (!end.improved.empty())
    {
        draw_improved(sheet, study, end);
    }
    if (end.weakest != nullptr)
    {
        const std::string kind = end.weakest_kind ? fmt::format(", {}", name_of(*end.weakest_kind)) : "";
        sheet.words(Type::body, Type::body_strong, t.text,
                    fmt::format("Weakest: **{}**{}, {} {}.", end.weakest->name, kind,
                                whole_percent(end.weakest_recall),
                                study.has_interview() ? "on the day" : "today"));
        sheet.gap(6);
    }
    if (end.next_due_ms)
    {
        const std::int64_t wait = *end.next_due_ms - study.now.ms;
        sheet.words(Type::body, Type::body_strong, t.text,
                    study.due > 0
                        ? fmt::format("**{}** {} due now.", study.due, study.due == 1 ? "is" : "are")
                        : fmt::format("Next due in **{}**.", wait_words(wait)));
    }
    sheet.gap(12);
}

} // namespace ringside
