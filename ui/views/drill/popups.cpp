#include "ui/views/drill/popups.h"

#include <fmt/format.h>
#include <misc/cpp/imgui_stdlib.h>

#include "ui/shell/scopes.h"
#include "ui/views/drill/sheet.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr const char* kNote = "question note";
constexpr const char* kSources = "question sources";

float popup_width(const Painter& p)
{
    return std::min(p.px(600), ImGui::GetIO().DisplaySize.x * 0.96F - p.px(48));
}

void draw_sources(const Question& q, const Painter& window)
{
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{window.px(20), window.px(16)});
    centre_next_popup();
    const PopupScope popup(kSources);
    if (!popup)
    {
        return;
    }
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    Sheet sheet(p, {at.x, at.y, popup_width(p), 0});
    sheet.heading("Where it comes from");
    const auto line = [&](std::string_view name, const std::string& value)
    {
        if (!value.empty())
        {
            sheet.words(Type::small, Type::small_strong, p.theme.text, fmt::format("**{}** {}", name, value));
            sheet.gap(4);
        }
    };
    line("Question:", q.id);
    line("Concept:", q.concept_id);
    line("Asked in:", fmt::format("{}", fmt::join(q.sources, ", ")));
    line("Sources disagree:", fmt::format("{}", fmt::join(q.errata, ", ")));
    for (const Term& term : q.engine)
    {
        line(term.label + ":", term.source);
    }
    line("Seed:", std::to_string(q.seed));
    ImGui::Dummy({sheet.width(), sheet.y() - at.y});
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
    const StyleScope padding(ImGuiStyleVar_WindowPadding, ImVec2{window.px(20), window.px(16)});
    centre_next_popup();
    const PopupScope popup(kNote);
    if (!popup || study.card == nullptr)
    {
        return;
    }
    const Painter p(*ImGui::GetWindowDrawList(), window.look);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    Sheet sheet(p, {at.x, at.y, popup_width(p), 0});
    sheet.heading("Your note on this question", "Enter keeps it");
    ImGui::SetCursorScreenPos({sheet.x(), sheet.y()});
    ImGui::SetNextItemWidth(sheet.width());
    const FontScope font(p.look.fonts.of(Type::body));
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
