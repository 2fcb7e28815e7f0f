#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "core/base/text/text.h"
#include "ui/draw/scopes.h"
#include "ui/draw/transcript.h"
#include "ui/views/study/drill/answer.h"
#include "ui/views/study/drill/session.h"
#include "ui/views/study/study/parts.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

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

namespace
{

constexpr const char* kNote = "question note";
constexpr const char* kSources = "question sources";

void draw_sources(const Question& q, const Painter& window)
{
    PopupSheet sheet(window, kSources, 600);
    if (!sheet)
    {
        return;
    }
    sheet->heading("Where it comes from");
    const auto line = [&](std::string_view name, const std::string& value)
    {
        if (!value.empty())
        {
            sheet->text(fmt::format("**{}** {}", name, value));
            sheet->gap(4);
        }
    };
    line("Question:", q.id);
    line("Misconceptions:", fmt::format("{}", fmt::join(q.errata, ", ")));
    for (const Term& term : q.engine)
    {
        line(term.label + ":", term.source);
    }
    line("Seed:", std::to_string(q.seed));
}

} // namespace

void QuestionPopups::open_note(const StudyFrame& study)
{
    if (study.card != nullptr)
    {
        const auto found = study.progress->notes.find(study.card->family);
        note_ = found == study.progress->notes.end() ? "" : found->second;
        note_asked_ = true;
    }
}

void QuestionPopups::draw_note(const StudyFrame& study, const Painter& window, Out& out)
{
    PopupSheet sheet(window, kNote, 600);
    if (!sheet || study.card == nullptr)
    {
        return;
    }
    sheet->heading("Your note on this question", "Enter keeps it");
    const Rect field = sheet->row(32);
    ImGui::SetCursorScreenPos(field.min());
    ImGui::SetNextItemWidth(field.w);
    const FontScope font(window.look.fonts.of(Type::body));
    if (fresh_)
    {
        ImGui::SetKeyboardFocusHere();
        fresh_ = false;
    }
    if (ImGui::InputText("###note", &note_, ImGuiInputTextFlags_EnterReturnsTrue))
    {
        out.push(ChangeProgress{SetNote{study.card->family, note_}});
        ImGui::CloseCurrentPopup();
    }
    read_field(window, "Your note on this question", note_);
}

void QuestionPopups::draw(const Frame& frame, const Painter& p, Out& out)
{
    if (note_asked_)
    {
        ImGui::OpenPopup(kNote);
        fresh_ = true;
    }
    if (sources_asked_)
    {
        ImGui::OpenPopup(kSources);
    }
    note_asked_ = sources_asked_ = false;
    draw_note(*frame.study, p, out);
    if (frame.study->question != nullptr)
    {
        draw_sources(*frame.study->question, p);
    }
}

} // namespace ringside
