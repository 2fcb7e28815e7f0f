#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr int kDays = 30;
constexpr double kLeastShown = 0.5; // recall at the foot of the chart

// The attempt as it would stand after a right answer now.
Attempt if_right(const DrillSession& drill, std::int64_t now_ms)
{
    Attempt a = drill.items[drill.at].attempt;
    if (drill.stage == DrillStage::asking)
    {
        a.correct = true;
        a.seconds = seconds_on_show(drill, now_ms);
    }
    return a;
}

// Why a grade cannot be given; empty when it can.
std::string_view out_of_reach(const DrillSession& drill, Grade grade, std::int64_t now_ms)
{
    const DrillItem& item = drill.items[drill.at];
    if (drill.stage == DrillStage::grading && item.revealed)
    {
        return grade <= best_grade(item) ? "" : "help was used";
    }
    return why_not(grade, if_right(drill, now_ms));
}

struct Chart
{
    Rect plot;
    float at_day(double day) const { return plot.x + plot.w * static_cast<float>(day / kDays); }
    float at_recall(double r) const
    {
        return plot.bottom() -
               plot.h * static_cast<float>((std::max(r, kLeastShown) - kLeastShown) / (1 - kLeastShown));
    }
};

void draw_curve(const Painter& p, const Chart& chart, const std::vector<double>& recall, bool chosen,
                bool dotted)
{
    std::vector<ImVec2> points;
    for (std::size_t day = 0; day < recall.size() && recall[day] >= kLeastShown; ++day)
    {
        points.push_back({chart.at_day(static_cast<double>(day)), chart.at_recall(recall[day])});
    }
    const Colour colour = chosen ? p.theme.text : p.theme.muted;
    for (std::size_t i = 1; i < points.size() && dotted; ++i)
    {
        p.dashed(points[i - 1].x, points[i - 1].y, points[i].x, points[i].y, colour, p.px(1.6F));
    }
    if (!dotted && points.size() > 1)
    {
        p.list.AddPolyline(points.data(), static_cast<int>(points.size()), colour, 0,
                           p.px(chosen ? 2.5F : 1.2F));
    }
}

void draw_axes(const Painter& p, const Chart& chart, std::optional<double> interview)
{
    const Theme& t = p.theme;
    for (const double r : {1.0, 0.9, 0.7, 0.5})
    {
        const float y = chart.at_recall(r);
        p.line(chart.plot.x, y, chart.plot.right(), y, r == kLeastShown ? t.line : t.grid);
        p.text(chart.plot.x - p.px(6), y, Type::mono_small, t.muted, std::to_string(std::lround(r * 100)),
               Align::right);
    }
    const float foot = chart.plot.bottom() + p.px(16);
    p.text(chart.plot.x, foot, Type::mono_small, t.muted, "0");
    const std::string last = fmt::format("{} d", kDays);
    p.text(chart.plot.right(), foot, Type::mono_small, t.muted, last, Align::right);
    if (interview && *interview > 0 && *interview <= kDays)
    {
        const float x = chart.at_day(*interview);
        p.dashed(x, chart.plot.y - p.px(4), x, chart.plot.bottom(), t.text, 1);
        const std::string_view word = "interview";
        const float half = p.width(Type::small_strong, word) / 2 + p.px(6);
        const bool room = x - half > chart.plot.x + p.px(12) &&
                          x + half < chart.plot.right() - p.width(Type::mono_small, last);
        p.text(x, foot, Type::small_strong, t.text, room ? word : std::string_view(), Align::centre);
    }
}

std::string second_line(const GradePreview& preview, std::string_view why)
{
    if (!why.empty())
    {
        return std::string(why);
    }
    return preview.on_the_day ? fmt::format("{} on the day", whole_percent(*preview.on_the_day))
                              : fmt::format("{} in {} d", whole_percent(preview.recall.back()), kDays);
}

struct GradeButton
{
    const GradePreview& preview;
    std::string_view why; // not; empty: can be given
    bool best;
    bool live; // grades are given now
};

bool draw_grade(const Painter& p, Rect r, const GradeButton& b)
{
    const Theme& t = p.theme;
    const bool can = b.why.empty();
    const std::string name(name_of(b.preview.grade));
    const Press pressed = press(p, can && b.live ? r : Rect{}, (name + "###grade " + name).c_str(), 8);
    p.fill(r, b.best || pressed.hovered ? t.raised : t.panel, p.px(8));
    p.outline(r, b.best ? t.text : t.line, b.best ? p.px(2) : 1, p.px(8));
    const Colour ink = can ? t.text : t.muted;
    p.keycap(r.x + p.px(12), r.middle(), std::to_string(static_cast<int>(b.preview.grade)));
    const float x = r.x + p.px(48);
    const std::string wait = wait_words(b.preview.wait_ms);
    const float w = p.width(Type::mono_small, wait) + p.px(12);
    p.text_within(x, r.y + p.px(19), r.right() - x - w - p.px(4), Type::small_strong, ink, name);
    p.text(r.right() - p.px(12), r.y + p.px(19), Type::mono_small, ink, wait, Align::right);
    p.text_within(x, r.y + p.px(39), r.right() - x - p.px(8), Type::small, t.muted,
                  second_line(b.preview, b.why));
    return pressed.clicked;
}

void draw_memory(Sheet& sheet, const StudyFrame& study, const Card& card)
{
    const auto recall = recall_at(card, study.now, study.progress->weights);
    const bool seen = card.phase != CardPhase::fresh;
    sheet.fact("Recall today", recall ? whole_percent(*recall) : "new");
    sheet.fact("Stability", seen ? fmt::format("{} d", three_digits(card.memory.stability)) : "\u2013");
    const std::int64_t ago = study.now.ms - card.last_ms;
    sheet.fact("Last seen", !seen ? "never" : ago < kMinuteMs ? "just now" : wait_words(ago) + " ago");
}

} // namespace

Grade offered_grade(const DrillSession& drill, std::int64_t now_ms)
{
    const DrillItem& item = drill.items[drill.at];
    const bool own = item.revealed;
    if (own && item.automatic && drill.stage == DrillStage::grading)
    {
        return *item.automatic; // by the points that are ticked
    }
    for (const Grade grade : {Grade::easy, Grade::good, Grade::hard})
    {
        if ((grade != Grade::easy || !own) && out_of_reach(drill, grade, now_ms).empty())
        {
            return grade;
        }
    }
    return Grade::again;
}

GradesEvent draw_grades(const Painter& p, Rect area, const StudyFrame& study, const DrillSession& drill)
{
    GradesEvent event;
    const std::string& family = drill.items[drill.at].card.family;
    const Card& card = card_of(*study.cards, family);
    const Schedule schedule = schedule_of(*study.progress, study.now.offset_ms);
    const auto all = previews(card, family, study.now.ms, schedule, kDays);
    const bool live = drill.stage == DrillStage::grading;
    const Grade best = offered_grade(drill, study.now.ms);
    Sheet sheet(p, area);
    sheet.heading(live ? "Your grade" : "If you answer now");
    sheet.note("recall, %");
    sheet.gap(8);
    Rect plot = sheet.row(122);
    sheet.gap(44);
    plot.cut_left(p.width(Type::mono_small, "100") + p.px(6));
    const Chart chart{plot};
    const auto& date = study.progress->interview;
    draw_axes(p, chart, date ? std::optional(static_cast<double>(*date - study.now.day())) : std::nullopt);
    for (const GradePreview& preview : all)
    {
        draw_curve(p, chart, preview.recall, preview.grade == best, preview.grade == Grade::again);
    }
    for (const GradePreview& preview : all)
    {
        const auto why = out_of_reach(drill, preview.grade, study.now.ms);
        if (draw_grade(p, sheet.row(56), {preview, why, preview.grade == best, live}))
        {
            event.given = preview.grade;
        }
        sheet.gap(8);
    }
    sheet.note(drill.items[drill.at].revealed ? "Ticked points suggest a grade; the one you press is booked."
                                              : "You may lower an automatic grade, never raise it.");
    sheet.rule(10, 10);
    draw_memory(sheet, study, card);
    sheet.gap(10);
    event.undo = !drill.undo.empty() && sheet.button("Undo last###undo", "U", ButtonStyle::plain);
    return event;
}

std::optional<Grade> draw_grade_row(const Painter& p, Rect area, const DrillSession& drill)
{
    std::optional<Grade> given;
    const float gap = p.px(8);
    const float w = (area.w - 3 * gap) / 4;
    const Grade best = offered_grade(drill, drill.shown_ms);
    for (std::size_t i = 0; i < kGrades.size(); ++i)
    {
        const Rect r{area.x + (w + gap) * static_cast<float>(i), area.y, w, area.h};
        const std::string name(name_of(kGrades[i]));
        if (!out_of_reach(drill, kGrades[i], drill.shown_ms).empty())
        {
            p.outline(r, p.theme.line, 1, p.px(6));
            p.text(r.centre(), r.middle(), Type::small, p.theme.muted,
                   p.shortened(Type::small, name, r.w - p.px(8)), Align::centre);
        }
        else if (button(p, r, (name + "###row " + name).c_str(), std::to_string(static_cast<int>(kGrades[i])),
                        kGrades[i] == best ? ButtonStyle::primary : ButtonStyle::plain))
        {
            given = kGrades[i];
        }
    }
    return given;
}

} // namespace ringside
