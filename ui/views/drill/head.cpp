#include "ui/views/drill/head.h"

#include <fmt/format.h>

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

// "no-optimizer" in words.
std::string slip_words(std::string slip)
{
    std::replace(slip.begin(), slip.end(), '-', ' ');
    return slip;
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

void draw_verdict(Sheet& sheet, const VerdictCard& card)
{
    const Painter& p = sheet.p;
    const Theme& t = p.theme;
    const Verdict& v = card.verdict;
    const bool known = !v.nearest.empty();
    const std::string head =
        v.correct ? "Right."
        : known   ? fmt::format("Not yet. That matches a known slip: {}.", slip_words(v.mistake))
                  : "Not yet.";
    const std::string says = v.message == "Right." ? "" : v.message;
    const float pad = p.px(16);
    const float inner = sheet.width() - 2 * pad - p.px(8);
    const float right = p.width(Type::small, card.right);
    const bool beside = right + p.px(200) < inner;
    const float head_width = inner - (beside ? right + p.px(16) : 0);
    const float head_height = words_height(p, head_width, Type::body_strong, head);
    const float body = says.empty() ? 0 : words_height(p, inner, Type::small, says) + p.px(4);
    const Rect box = sheet.take(head_height + body + p.px(20));
    p.fill(box, t.control, p.px(8));
    p.outline(box, v.correct ? t.line : t.warning, 1, p.px(8));
    p.fill({box.x, box.y, p.px(8), box.h}, v.correct ? t.text : t.warning);
    const float x = box.x + p.px(8) + pad;
    const float y = box.y + p.px(10);
    p.paragraph({x, y, head_width, 0}, Type::body_strong, t.text, head);
    if (beside)
    {
        p.text(box.right() - pad, y + p.height(Type::body) / 2, Type::small, t.muted, card.right,
               Align::right);
    }
    p.paragraph({x, y + head_height + p.px(4), inner, 0}, Type::small, t.text, without_light_marks(says));
    sheet.gap(12);
}

std::optional<std::size_t> draw_buttons(const Painter& p, Rect row, std::span<const KeyButton> buttons)
{
    std::optional<std::size_t> pressed;
    const float gap = p.px(12);
    const auto count = static_cast<float>(buttons.size());
    const float w = std::min(p.px(240), (row.w - gap * (count - 1)) / count);
    for (std::size_t i = 0; i < buttons.size(); ++i)
    {
        const Rect r{row.x + (w + gap) * static_cast<float>(i), row.y, w, row.h};
        const ButtonStyle style = buttons[i].primary ? ButtonStyle::primary : ButtonStyle::plain;
        pressed = button(p, r, buttons[i].label.c_str(), buttons[i].key, style) ? std::optional(i) : pressed;
    }
    return pressed;
}

void keep_keys()
{
    const ImGuiID own = ImGui::GetID("###question keys");
    for (const ImGuiKey key : {ImGuiKey_Tab, ImGuiKey_UpArrow, ImGuiKey_DownArrow})
    {
        ImGui::SetKeyOwner(key, own);
    }
}

std::string clock_words(double seconds)
{
    const auto s = std::lround(std::floor(std::max(0.0, seconds)));
    return fmt::format("{:02}:{:02}", s / 60, s % 60);
}

} // namespace ringside
