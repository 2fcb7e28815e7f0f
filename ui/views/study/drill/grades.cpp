#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/sheet.h"

#include <algorithm>

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

// Recall over the coming days after each grade; the day of the interview, where it lies among them.
void draw_recall(const Painter& p, Rect area, std::span<const GradePreview> all, Grade best,
                 std::optional<double> interview)
{
    Plot plot(p, area, {0, kDays, PlotScale::linear, "days", plain_number},
              {kLeastShown, 1, PlotScale::linear, "recall", whole_percent, {0.5, 0.7, 0.9, 1}});
    if (!plot)
    {
        return;
    }
    for (const GradePreview& preview : all)
    {
        const bool chosen = preview.grade == best;
        plot.line(series(preview.recall), {chosen ? p.theme.text : p.theme.muted, chosen ? 2.5F : 1.2F,
                                           preview.grade == Grade::again});
    }
    if (interview && *interview > 0 && *interview <= kDays)
    {
        plot.rule_x(*interview, {p.theme.text, 1, true}, "interview");
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
        return std::min(*item.automatic, Grade::good); // by the points that are ticked
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

void draw_grades(const Painter& p, Rect area, const StudyFrame& study, const DrillSession& drill, Out& out)
{
    const DeckCard& asked = drill.items[drill.at].card;
    const std::string name = card_name(asked.family, asked.variant);
    const Card& card = card_of(*study.cards, name);
    const Schedule schedule = schedule_of(*study.progress, study.now.offset_ms);
    const auto all = previews(card, name, study.now.ms, schedule, kDays);
    const bool live = drill.stage == DrillStage::grading;
    const Grade best = offered_grade(drill, study.now.ms);
    Sheet sheet(p, area);
    sheet.heading(live ? "Your grade" : "If you answer now");
    const auto& date = study.progress->interview;
    draw_recall(p, sheet.row(166), all, best,
                date ? std::optional(static_cast<double>(*date - study.now.day())) : std::nullopt);
    sheet.gap(8);
    for (const GradePreview& preview : all)
    {
        const auto why = out_of_reach(drill, preview.grade, study.now.ms);
        if (draw_grade(p, sheet.row(56), {preview, why, preview.grade == best, live}))
        {
            give_grade(out, preview.grade);
        }
        sheet.gap(8);
    }
    sheet.note(drill.items[drill.at].revealed ? "Ticked points suggest a grade; the one you press counts."
                                              : "You may lower an automatic grade, never raise it.");
    sheet.rule(10, 10);
    draw_memory(sheet, study, card);
    sheet.gap(10);
    if (!drill.undo.empty() && sheet.button("Undo last###undo", "U", ButtonStyle::plain))
    {
        press_key(out, DrillKey::undo);
    }
}

std::vector<KeyButton> grade_buttons(const DrillSession& drill, Out& out)
{
    std::vector<KeyButton> all;
    const Grade best = offered_grade(drill, drill.shown_ms);
    for (const Grade grade : kGrades)
    {
        if (out_of_reach(drill, grade, drill.shown_ms).empty())
        {
            all.push_back({fmt::format("{0}###row {0}", name_of(grade)),
                           std::to_string(static_cast<int>(grade)), [&out, grade] { give_grade(out, grade); },
                           ImGuiKey_None, grade == best ? ButtonStyle::primary : ButtonStyle::plain});
        }
    }
    return all;
}

} // namespace ringside
