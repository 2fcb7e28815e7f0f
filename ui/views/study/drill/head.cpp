#include <fmt/format.h>

#include "ui/views/study/drill/parts.h"
#include "ui/widgets/empty_state.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

void draw_pip(const Painter& p, Rect r, Pip pip)
{
    const Theme& t = p.theme;
    const float radius = r.h / 2;
    switch (pip)
    {
    case Pip::passed:
        p.fill(r, t.text, radius);
        break;
    case Pip::current:
        p.fill(r, t.muted, radius);
        break;
    case Pip::failed: // half as high, so that it is not colour alone
        p.fill({r.x, r.middle() - r.h / 4, r.w, r.h / 2}, t.warning, radius);
        break;
    case Pip::skipped:
        p.outline(r, t.muted, 1, radius);
        break;
    case Pip::waiting:
        p.fill(r, t.raised, radius);
        break;
    }
}

std::string verdict_words(const Verdict& v)
{
    if (v.correct || v.nearest.empty())
    {
        return v.correct ? "Right." : "Not yet.";
    }
    std::string slip = v.mistake;
    std::ranges::replace(slip, '-', ' ');
    return fmt::format("Not yet. That matches a known slip: {}.", slip);
}

} // namespace

void draw_pips(const Painter& p, Rect row, const std::vector<Pip>& pips, std::string_view right)
{
    const float words = p.width(Type::small, right);
    if (words + p.px(80) < row.w)
    {
        p.text(row.right(), row.middle(), Type::small, p.theme.muted, right, Align::right);
        row.cut_right(words + p.px(16));
    }
    const auto count = static_cast<float>(std::max<std::size_t>(1, pips.size()));
    const float step = std::min(p.px(32), row.w / count);
    const float gap = std::min(p.px(8), step * 0.25F);
    for (std::size_t i = 0; i < pips.size(); ++i)
    {
        const Rect r{row.x + step * static_cast<float>(i), row.middle() - p.px(3), step - gap, p.px(6)};
        draw_pip(p, r, pips[i]);
    }
}

void draw_verdict(Sheet& sheet, const Verdict& v, std::string_view right)
{
    const Theme& t = sheet.p.theme;
    const Rect box = sheet.boxed(t.control, v.correct ? t.line : t.warning, 1, 14,
                                 [&](Sheet& in)
                                 {
                                     in.name(verdict_words(v));
                                     in.text(v.message == "Right." ? "" : v.message);
                                     in.note(right);
                                 });
    sheet.p.fill({box.x, box.y, sheet.p.px(8), box.h}, v.correct ? t.text : t.warning);
    sheet.gap(12);
}

bool draw_no_questions(const Painter& p, Rect area, const StudyFrame& study)
{
    if (study.families.empty())
    {
        empty_state(
            p, area,
            fmt::format("No questions found in {}", study.questions.empty() ? "the assets" : study.questions),
            "Start with --assets DIR or set RINGSIDE_ASSETS to a folder that has them. What was studied "
            "before is kept; X in Topics exports it, or takes in an Anki text file from the clipboard.");
    }
    return study.families.empty();
}

bool draw_no_question(const Painter& p, Rect area, const StudyFrame& study, const char* label,
                      std::string_view key)
{
    return empty_state(p, area, "This question could not be made", study.fault, label, key);
}

bool draw_paused(const Painter& p, Rect area)
{
    return empty_state(p, area, "Paused", "The clock is paused and the question is hidden.", "Go on###go on",
                       "T");
}

void keep_keys()
{
    const ImGuiID own = ImGui::GetID("###question keys");
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    {
        ImGui::SetKeyOwner(key, own);
    }
}

std::string letter_key(std::string_view letter)
{
    return (ImGui::GetIO().WantTextInput ? "Alt " : "") + std::string(letter);
}

std::string clock_words(double seconds)
{
    const auto s = std::lround(std::floor(std::max(0.0, seconds)));
    return fmt::format("{:02}:{:02}", s / 60, s % 60);
}

} // namespace ringside
