#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "ui/views/study/drill/answer.h"
#include "ui/widgets/sheet.h"

namespace ringside
{

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
    line("Concept:", q.concept_id);
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
